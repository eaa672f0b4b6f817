# SPDX-License-Identifier: Apache-2.0
"""Chooses which values of a parameter belong to the default tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def rest_slow(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Returns the values for `parametrize`; tests with any but the first `quick` ones are slow."""
    values = list(values)
    return [*values[:quick], *_marked(values[quick:], pytest.mark.slow)]


def rest_release(values: Iterable[Any]) -> list[Any]:
    """Returns the values for `parametrize`; tests with any but the first run before a release."""
    first, *rest = values
    return [first, *_marked(rest, pytest.mark.release)]


def _marked(values: list[Any], mark: pytest.MarkDecorator) -> list[Any]:
    return [pytest.param(*_several(value), marks=mark) for value in values]


def _several(value: Any) -> tuple[Any, ...]:
    """Several parameters share a value that is a list or a tuple."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)
