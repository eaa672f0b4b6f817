# SPDX-License-Identifier: Apache-2.0
"""Calls the twin's C functions for host tiling (twin/host/workbench/workbench.h)."""

from __future__ import annotations

import ctypes
import functools
import json
from typing import Any

from cannery import _runtime
from cannery.errors import CanneryError, TwinOnlyError
from cannery.settings import current_backend

__all__ = ["chip", "describe", "form", "library_tiling", "matmul", "tiling"]


def _text(function: Any, *arguments: Any) -> str:
    """Returns the text that a function of the twin returns. If the function returns NULL, raises
    CanneryError with the twin's reason.
    """
    text = function(*arguments)
    if text is None:
        reason = _open().aclGetRecentErrMsg() or b"no reason is known"
        raise CanneryError(reason.decode(errors="replace"))
    return str(text.decode(errors="replace"))


def tiling(request: dict[str, Any]) -> dict[str, Any]:
    """Returns the twin's answer to a request for an operator's tiling."""
    answer: dict[str, Any] = json.loads(_text(_open().twinTiling, _encoded(request)))
    return answer


def matmul(request: dict[str, Any]) -> dict[str, Any]:
    """Returns the twin's answer to a request for a tiling of Matmul."""
    answer: dict[str, Any] = json.loads(_text(_open().twinMatmulTiling, _encoded(request)))
    return answer


def library_tiling(request: dict[str, Any]) -> dict[str, Any]:
    """Returns the twin's answer to a request for a tiling of the advanced API."""
    answer: dict[str, Any] = json.loads(_text(_open().twinLibraryTiling, _encoded(request)))
    return answer


def describe(place: bytes, op: str | None = None) -> Any:
    """Returns all operators that a library registers, or only `op` of a library or package."""
    return json.loads(_text(_open().twinDescribeHost, place, None if op is None else op.encode()))


def form(number: int) -> str:
    return _text(_open().twinTilingForm, number)


@functools.cache
def chip(soc: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(_text(_open().twinChip, soc.encode()))
    return answer


def _encoded(request: dict[str, Any]) -> bytes:
    return json.dumps(request).encode()


def _open() -> Any:
    if current_backend() != "twin":
        raise TwinOnlyError("tiling without a call is the twin's; a card's toolkit has no such way")
    return _library()


@functools.cache
def _library() -> Any:
    # Opens the libraries that operators are linked with; operators can then use their symbols.
    _runtime.native()
    library = ctypes.CDLL(str(_runtime.twin_root() / "lib/libnnopbase.so"))
    for name in ("Tiling", "MatmulTiling", "LibraryTiling", "DescribeHost", "TilingForm", "Chip"):
        getattr(library, f"twin{name}").restype = ctypes.c_char_p
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    return library
