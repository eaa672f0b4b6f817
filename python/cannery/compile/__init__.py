# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels from a source text or file for the twin, and caches them."""

from __future__ import annotations

from cannery.compile.build import compile_kernel
from cannery.compile.coverage import Coverage
from cannery.compile.kernel import Kernel
from cannery.compile.module import load
from cannery.compile.recording import Writer, read_dump
from cannery.compile.ub_map import UbMap, read_ub_map

__all__ = [
    "Coverage",
    "Kernel",
    "UbMap",
    "Writer",
    "compile_kernel",
    "load",
    "read_dump",
    "read_ub_map",
]
