# SPDX-License-Identifier: Apache-2.0
"""Tests names that operators use although only inner headers of the toolkit declare them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("toolkit_names")


def test_values(kernel: Any) -> None:
    out = np.zeros(32, np.int32)
    kernel(1, out, tiling=np.int32(77))
    numbers = [2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 48]
    assert out[:19].tolist() == [*numbers, 48, 0, 1, 1, 77, 1, 77]


def test_a_type_that_cannot_be_added_is_refused_where_it_is_used(kernel: Any) -> None:
    with pytest.raises(cannery.KernelError, match="T442 assertion failed: SetAtomicAdd: atomic"):
        kernel(1, np.zeros(32, np.int32), tiling=np.int32(0), tiling_key=1)
