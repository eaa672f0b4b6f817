# SPDX-License-Identifier: Apache-2.0
"""An error must name the line of the call, in every form of call, in release and debug builds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import DEVICE_KERNELS, Compile

LINES = (DEVICE_KERNELS / "error_lines.cpp").read_text().splitlines()
MARKS = {int(m[1]): i for i, text in enumerate(LINES, 1) if (m := re.search(r"// (\d+)$", text))}


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.twin_only("a debug build"))],
    ids=["release", "debug"],
)
def kernel(request: pytest.FixtureRequest, compile_device: Compile) -> Any:
    return compile_device("error_lines", debug=request.param)


def test_every_form_has_a_mark() -> None:
    assert sorted(MARKS) == list(range(1, 15))


@pytest.mark.parametrize("form", sorted(MARKS))
def test_line(kernel: Any, form: int) -> None:
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, np.zeros(64, np.float32), np.zeros(64, np.float32), tiling_key=form)
    assert caught.value.code == ("T101" if form in (5, 10) else "T107")
    place = re.search(r"\n  at \S*error_lines\.cpp:(\d+) \S+ +core 0 AIV", str(caught.value))
    assert place is not None, str(caught.value)
    assert int(place[1]) == MARKS[form], str(caught.value)
    element = {13: 4294967304, 14: -8}.get(form)
    assert element is None or f"a view starts at element {element}," in str(caught.value)


def test_without_a_mistake(kernel: Any) -> None:
    kernel(1, np.zeros(64, np.float32), np.zeros(64, np.float32))
