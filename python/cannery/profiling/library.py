# SPDX-License-Identifier: Apache-2.0
"""Loads the twin's C functions for profiles."""

from __future__ import annotations

import ctypes
from functools import cache

from cannery import _runtime

__all__ = ["twin"]


@cache
def twin() -> ctypes.CDLL:
    """Returns the twin's library, with the signatures of twinProfile and twinCopyMicros."""
    library = ctypes.CDLL(str(_runtime.twin_root() / "lib" / "libcannery_twin.so"))
    library.twinProfile.argtypes = [
        *(ctypes.c_char_p, ctypes.c_bool, ctypes.c_uint32, ctypes.c_uint64)
    ]
    library.twinProfile.restype = None
    library.twinCopyMicros.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.twinCopyMicros.restype = ctypes.c_double
    return library
