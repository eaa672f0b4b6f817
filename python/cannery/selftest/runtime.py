# SPDX-License-Identifier: Apache-2.0
"""Probes of the acl runtime and of the operators' functions: what they return in cases that the
documentation of CANN does not describe.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

import cannery
from cannery import _runtime
from cannery.selftest.probe import Probe, differences
from cannery.testing import strided_outputs

__all__ = ["PROBES"]

_HUGE_FIRST = 0
_HOST_TO_DEVICE = 1
_PAGE = "host-twin.md"


def _acl() -> ctypes.CDLL:
    """Returns the acl library that the native module has opened. Sets the device's context on this
    thread.
    """
    native = _runtime.native()
    native.soc_name()
    library = ctypes.CDLL(native.runtime_path())
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    library.aclrtMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    library.aclrtFree.argtypes = [ctypes.c_void_p]
    library.aclrtMemcpy.argtypes = [
        *(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    ]
    return library


def _status(call: Callable[[ctypes.CDLL], int], want: int) -> Callable[[], tuple[str, bool]]:
    def observe() -> tuple[str, bool]:
        acl = _acl()
        status = call(acl)
        text = acl.aclGetRecentErrMsg() or b""
        return f"{status} {text.decode('utf-8', 'replace')}".strip(), status == want

    return observe


def _malloc_nothing(acl: ctypes.CDLL) -> int:
    address = ctypes.c_void_p()
    status: int = acl.aclrtMalloc(ctypes.byref(address), 0, _HUGE_FIRST)
    if status == 0:
        acl.aclrtFree(address)
    return status


def _copy_too_much(acl: ctypes.CDLL) -> int:
    address, source = ctypes.c_void_p(), ctypes.create_string_buffer(64)
    status: int = acl.aclrtMalloc(ctypes.byref(address), 64, _HUGE_FIRST)
    if status == 0:
        status = acl.aclrtMemcpy(address, 32, source, 64, _HOST_TO_DEVICE)
        acl.aclrtFree(address)
    return status


def _alignment() -> tuple[str, bool]:
    acl = _acl()
    addresses = []
    for size in (1, 32, 33, 4096, 1 << 20):
        address = ctypes.c_void_p()
        if acl.aclrtMalloc(ctypes.byref(address), size, _HUGE_FIRST) == 0:
            addresses.append(address.value or 0)
    for each in addresses:
        acl.aclrtFree(each)
    lowest = min((each & -each for each in addresses), default=0)
    return f"{len(addresses)} addresses, multiples of {lowest}", lowest >= 512


def _text_once() -> tuple[str, bool]:
    acl = _acl()
    acl.aclrtSetDevice(9999)
    first, second = acl.aclGetRecentErrMsg(), acl.aclGetRecentErrMsg()
    return f"first {first is not None}, second {second is not None}", bool(first) and not second


def _mapping() -> tuple[str, bool]:
    _swi_glu_grad(8)
    maps = _runtime.native().maps_host()
    return "mapped" if maps else "copied", maps


def _swi_glu_grad(columns: int, dtype: Any = np.float32) -> Any:
    y_grad, x = np.ones((4, columns), dtype), np.ones((4, 2 * columns), dtype)
    return cannery.swi_glu_grad(y_grad, x)


def _refusal(call: Callable[[], object], want: int) -> Callable[[], tuple[str, bool]]:
    def observe() -> tuple[str, bool]:
        try:
            call()
        except cannery.AclError as error:
            return f"{error.status} {error}", error.status == want
        return "no error", False

    return observe


def _odd() -> object:
    return cannery.swi_glu_grad(np.ones((2, 8), np.float32), np.ones((2, 15), np.float32))


def _permute() -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    tokens = rng.standard_normal((32, 64)).astype(np.float16)
    routing = np.zeros((32, 4), np.bool_)
    routing[np.arange(32), rng.integers(0, 4, 32)] = True
    return cannery.moe_token_permute_with_routing_map(tokens, routing)


def _strided_output() -> tuple[str, bool]:
    want = _permute()[0]
    with strided_outputs():
        got = _permute()[0]
    strides = f"strides {got.strides} and {want.strides}: "
    text, agrees = differences(np.ascontiguousarray(got).reshape(-1), want.reshape(-1))
    return strides + text, agrees and got.strides != want.strides


def _strided_input() -> tuple[str, bool]:
    rng = np.random.default_rng(0)
    y_grad, x = (rng.standard_normal((16, n)).astype(np.float32) for n in (128, 256))
    got = cannery.swi_glu_grad(y_grad[:, ::2], x[::1, ::2])
    want = cannery.swi_glu_grad(y_grad[:, ::2].copy(), x[:, ::2].copy())
    return differences(got.reshape(-1), want.reshape(-1))


PROBES = [
    Probe("host memory is mapped", _PAGE, "arrays of NumPy are mapped, not copied", _mapping),
    Probe(
        "a strided input",
        _PAGE,
        "swi_glu_grad computes the same bits as from contiguous copies",
        _strided_input,
    ),
    Probe(
        "a strided output",
        _PAGE,
        "moe_token_permute_with_routing_map writes through the output's strides",
        _strided_output,
    ),
    Probe("tiling refuses", _PAGE, "561002 for 15 columns in swi_glu_grad", _refusal(_odd, 561002)),
    Probe(
        "a dtype that is no row",
        _PAGE,
        "161002 for float64 in swi_glu_grad",
        _refusal(lambda: _swi_glu_grad(8, np.float64), 161002),
    ),
    Probe(
        "a second aclInit",
        _PAGE,
        "100002",
        _status(lambda acl: int(acl.aclInit(None)), 100002),
    ),
    Probe(
        "a device that is not there",
        _PAGE,
        "aclrtSetDevice(9999) is 107001",
        _status(lambda acl: int(acl.aclrtSetDevice(9999)), 107001),
    ),
    Probe("memory of no bytes", _PAGE, "aclrtMalloc is 100000", _status(_malloc_nothing, 100000)),
    Probe(
        "a copy beyond destMax",
        _PAGE,
        "aclrtMemcpy is 100000",
        _status(_copy_too_much, 100000),
    ),
    Probe("alignment", _PAGE, "aclrtMalloc gives multiples of 512", _alignment),
    Probe("error texts", _PAGE, "aclGetRecentErrMsg hands each out once", _text_once),
]
