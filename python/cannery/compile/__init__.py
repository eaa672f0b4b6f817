# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels from a source text or file for the twin, and caches them.

Modules are imported at their first use, because the build of cannery's own operators runs
checked.py where the packages that other modules need are not installed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "Coverage": "coverage",
    "Kernel": "kernel",
    "UbMap": "ub_map",
    "Writer": "recording",
    "compile_kernel": "build",
    "load": "module",
    "read_dump": "recording",
    "read_ub_map": "ub_map",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}", name=name, obj=globals()
        )
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
