# SPDX-License-Identifier: Apache-2.0
"""Chooses which values of a test's parameter belong to the default tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from cannery.compile import toolchain

#: Values for `parametrize`.
COMPILERS = ["g++", pytest.param("clang++", marks=pytest.mark.clang)]


def needs_clang(test: Any) -> Any:
    """Marks a test that uses the clang which cannery finds."""
    missing = toolchain.clang_command() is None
    reason = "no clang on this machine, and no ziglang"
    return pytest.mark.clang(pytest.mark.skipif(missing, reason=reason)(test))


def rest_slow(values: Iterable[Any], quick: int = 1) -> list[Any]:
    """Returns values for `parametrize`; all except the first `quick` ones are marked slow."""
    values = list(values)
    return [*values[:quick], *_marked(values[quick:], pytest.mark.slow)]


def rest_release(values: Iterable[Any]) -> list[Any]:
    """Returns values for `parametrize`; all except the first one are marked release."""
    first, *rest = values
    return [first, *_marked(rest, pytest.mark.release)]


def _marked(values: list[Any], mark: pytest.MarkDecorator) -> list[Any]:
    return [pytest.param(*_several(value), marks=mark) for value in values]


def _several(value: Any) -> tuple[Any, ...]:
    """Returns `value` as a tuple; a list or tuple contains the values of several parameters."""
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)
