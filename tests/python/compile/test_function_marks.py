# SPDX-License-Identifier: Apache-2.0
"""Tests which functions of a source are marked as device code."""

from __future__ import annotations

import pytest

from cannery.compile.code import Function, Place
from cannery.compile.declarations import Sources

FILE = "k.cpp"


def marked(text: str, name: str) -> bool | None:
    """Returns whether the function `name`, declared on the first line, is marked."""
    function = Function(name, Place(FILE, 1), Place(FILE, 1), origin=1)
    return Sources({FILE: text}, {}).marked(function)


@pytest.mark.parametrize(
    "head",
    [
        "template <> class Tile<float> {",
        "template <> struct alignas(8) Tile<float> : Base<float, 4> {",
        "class Tile final : public Base {",
        "union Tile {",
    ],
)
def test_the_compiler_makes_a_constructor(head: str) -> None:
    """The compiler names the line of the class as the place of a constructor that it makes."""
    assert marked(f"{head} int n; }};", "Tile") is None
    assert marked("int Tile(int n) { return n; }", "Tile") is False


@pytest.mark.parametrize("name", ["Twice", "Twice<float>", "Twice<Pair<int, 4>>"])
def test_functions(name: str) -> None:
    assert marked(f"inline float {name}(float v);", name) is False
    assert marked(f"__aicore__ inline float {name}(float v);", name) is True
