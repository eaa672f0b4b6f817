# SPDX-License-Identifier: Apache-2.0
"""The settings that a project chooses for its tests and calls: the table [tool.cannery] in its
pyproject.toml.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cannery.errors import CanneryError
from cannery.settings import DEFAULT_HAZARDS, HAZARDS, MODES, Settings, current_backend

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["applied", "settings_of"]

_CHOICES = {"hazards": HAZARDS, "mode": MODES}


def settings_of(project: Path | None) -> dict[str, str]:
    """Returns the environment variables with the settings of a project: CANNERY_HAZARDS, and
    CANNERY_MODE if the project chooses a mode.

    project: its folder; for None, the result has the defaults. Raises CanneryError for an unknown
    key or value.
    """
    chosen = {} if project is None else _table(project / "pyproject.toml")
    return {
        f"CANNERY_{key.upper()}": value
        for key, value in {"hazards": DEFAULT_HAZARDS, **chosen}.items()
    }


@contextmanager
def applied(project: Path | None) -> Iterator[None]:
    """Within the `with` block, sets those variables of `settings_of` that are unset or empty. On a
    card the block changes nothing, because a card checks nothing.
    """
    chosen = settings_of(project) if current_backend() == "twin" else {}
    with Settings({name: value for name, value in chosen.items() if not os.environ.get(name)}):
        yield


def _table(file: Path) -> dict[str, str]:
    try:
        document: dict[str, Any] = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise CanneryError(f"{file}: expected TOML in UTF-8: {error}") from None
    tool = document.get("tool")
    table = tool.get("cannery", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise CanneryError(f"{file}: tool.cannery: expected a table, got {table!r}")
    for key, value in table.items():
        if key not in _CHOICES:
            known = ", ".join(_CHOICES)
            raise CanneryError(f"{file}: tool.cannery.{key}: unknown key; known are {known}")
        if value not in _CHOICES[key]:
            expected = ", ".join(_CHOICES[key])
            raise CanneryError(
                f"{file}: tool.cannery.{key}: expected one of {expected}, got {value!r}"
            )
    return table
