# SPDX-License-Identifier: Apache-2.0
"""Comparison with a golden, random cases, and poisoned outputs for tests of operators and
kernels.
"""

from cannery.testing.compare import Comparison, assert_close, tolerance
from cannery.testing.poison import poisoned_outputs, strided_outputs
from cannery.testing.random import normal, with_strides

__all__ = [
    "Comparison",
    "assert_close",
    "normal",
    "poisoned_outputs",
    "strided_outputs",
    "tolerance",
    "with_strides",
]
