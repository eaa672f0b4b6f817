# SPDX-License-Identifier: Apache-2.0
"""Tests the errors about arrays that are too large."""

from __future__ import annotations

import numpy as np
import pytest

from cannery.cases.case import Case
from cannery.testing.sizes import SizeError, check_size, naming


def test_a_size_that_is_no_float() -> None:
    with pytest.raises(SizeError, match=r"^x: expected arrays .* which needs more than 2\^63 B$"):
        check_size("x", (10**330,), np.dtype(np.float32))


@pytest.mark.parametrize("shape", [(0, 10**25), (0, 2**62, 2**62)])
def test_extents_of_an_empty_array(shape: tuple[int, ...]) -> None:
    with pytest.raises(SizeError, match=r"^x: the extents .* got float32\[0,"):
        check_size("x", shape, np.dtype(np.float32))


def test_memory_errors_without_a_shape() -> None:
    with pytest.raises(SizeError, match=r"^x: not enough memory for the arrays$"), naming("x"):
        raise MemoryError


def test_the_option_of_a_scalar() -> None:
    assert Case("scale", np.dtype(np.float32), (), {}, "custom").argument == "--shape ()"
