# SPDX-License-Identifier: Apache-2.0
"""Host tiling from Python, for operators and for sources of op_host."""

from __future__ import annotations

from cannery.optiling.matmul import matmul_tiling
from cannery.optiling.op_host import load_op_host
from cannery.optiling.operators import tiling
from cannery.optiling.result import Tiling

__all__ = ["Tiling", "load_op_host", "matmul_tiling", "tiling"]
