# SPDX-License-Identifier: Apache-2.0
"""Reads the table of the twin's error codes, which the build makes from twin/errors.toml."""

from __future__ import annotations

import json
from typing import Any

from cannery import _runtime
from cannery.errors import CanneryError

__all__ = ["codes"]


def codes() -> dict[str, dict[str, Any]]:
    """Returns every error code with its title, text, remedy, and what the hardware does."""
    path = _runtime.twin_root() / "errors.json"
    try:
        found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CanneryError(f"{path} cannot be read ({error}); reinstall cannery") from error
    return found
