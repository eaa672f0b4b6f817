# SPDX-License-Identifier: Apache-2.0
"""Helpers for tests of operators and kernels: comparison with a golden, random inputs, measured
and modelled times, checks of tilings and of written elements, and poisoned or strided outputs.
"""

from cannery.testing.clock import best_of
from cannery.testing.compare import (
    Comparison,
    assert_close,
    assert_identical,
    assert_within,
    tolerance,
)
from cannery.testing.modelled import assert_modelled_us
from cannery.testing.poison import assert_written, poisoned_outputs, strided_outputs
from cannery.testing.random import normal, with_strides
from cannery.testing.tilings import check_tiling

__all__ = [
    "Comparison",
    "assert_close",
    "assert_identical",
    "assert_modelled_us",
    "assert_within",
    "assert_written",
    "best_of",
    "check_tiling",
    "normal",
    "poisoned_outputs",
    "strided_outputs",
    "tolerance",
    "with_strides",
]
