# SPDX-License-Identifier: Apache-2.0
"""Host tiling of the advanced API from Python: `advanced_tiling.softmax((64, 512), "float32")`.

Each function returns the tiling structure of the device function with that name, as a structured
array without dimensions. You can pass it as `tiling=`, as a parameter by value, or as a part of a
larger structure. Shapes count elements. `buffer_bytes` is the size of the temporary buffer that the
device function will get; the default is the largest useful size. `scratch` returns the smallest and
the largest useful size. If no tiling fits, the functions raise CanneryError; with the backend npu
they raise TwinOnlyError.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy.typing as npt

from cannery import settings
from cannery.errors import CanneryError
from cannery.optiling import calls
from cannery.optiling.matmul import structured
from cannery.optiling.request import dtype_name, numpy_dtype

__all__ = [
    "batch_norm",
    "confusion_transpose",
    "deep_norm",
    "group_norm",
    "layer_norm",
    "layer_norm_grad",
    "layer_norm_grad_beta",
    "layer_norm_separate",
    "log_softmax",
    "pad",
    "rms_norm",
    "scratch",
    "softmax",
    "softmax_flash",
    "softmax_flash_v2",
    "softmax_grad",
    "topk",
    "unpad",
]

Shape = Sequence[int]
Tiling = npt.NDArray[Any]
#: For each dtype parameter: the name of the dtype's size (bytes) in the request to the twin.
_SIZES = {"dtype": "size", "sum_dtype": "sum_size"}
_SHAPES = ("shape", "origin", "target")
#: If a Python function lacks one of these parameters, the request has the value given here.
_DEFAULTS: dict[str, Any] = {
    "reuse": False,
    "update": False,
    "front": False,
    "basic_block": False,
    "output_broadcast": False,
    "compute_rstd": True,
    "last_axis": True,
}


def softmax(shape: Shape, dtype: Any, *, buffer_bytes: int | None = None) -> Tiling:
    """Returns SoftMaxTiling from SoftMaxTilingFunc, for a softmax along the last dimension."""
    return _tiling("softmax", locals())


def log_softmax(shape: Shape, dtype: Any, *, buffer_bytes: int | None = None) -> Tiling:
    """Returns LogSoftMaxTiling from LogSoftMaxTilingFunc."""
    return _tiling("log_softmax", locals())


def softmax_flash(
    shape: Shape, dtype: Any, *, update: bool = False, buffer_bytes: int | None = None
) -> Tiling:
    """Returns SoftMaxTiling from SoftMaxFlashTilingFunc. update: the call continues from earlier
    maxima and sums.
    """
    return _tiling("softmax_flash", locals())


def softmax_flash_v2(
    shape: Shape,
    dtype: Any,
    *,
    sum_dtype: Any = "float32",
    update: bool = False,
    basic_block: bool = False,
    output_broadcast: bool = False,
    buffer_bytes: int | None = None,
) -> Tiling:
    """Returns SoftMaxTiling from SoftMaxFlashV2TilingFunc. sum_dtype: dtype of maxima and sums."""
    return _tiling("softmax_flash_v2", locals())


def softmax_grad(
    shape: Shape, dtype: Any, *, front: bool = False, buffer_bytes: int | None = None
) -> Tiling:
    """Returns SoftMaxTiling from SoftMaxGradTilingFunc. front: the call computes only the sum of
    each row.
    """
    return _tiling("softmax_grad", locals())


def layer_norm(
    shape: Shape, dtype: Any, *, reuse: bool = False, buffer_bytes: int | None = None
) -> Tiling:
    """Returns LayerNormTiling for the shape (b, s, h, h without padding), from
    GetLayerNormNDTilingInfo. reuse: the call may also use the memory of its source as a buffer.
    """
    return _tiling("layer_norm", locals())


def layer_norm_separate(
    shape: Shape,
    dtype: Any,
    *,
    compute_rstd: bool = True,
    reuse: bool = False,
    buffer_bytes: int | None = None,
) -> Tiling:
    """Returns LayerNormSeparateTiling for the shape (a, r), for the LayerNorm that also returns the
    mean, and either rstd or the variance.
    """
    return _tiling("layer_norm_separate", locals())


def layer_norm_grad(
    shape: Shape, dtype: Any, *, reuse: bool = False, buffer_bytes: int | None = None
) -> Tiling:
    """Returns LayerNormGradTiling for the shape (b, s, h, h without padding)."""
    return _tiling("layer_norm_grad", locals())


def layer_norm_grad_beta(
    shape: Shape, dtype: Any, *, reuse: bool = False, buffer_bytes: int | None = None
) -> Tiling:
    """Returns LayerNormGradBetaTiling for the shape (b, s, h, h without padding)."""
    return _tiling("layer_norm_grad_beta", locals())


def rms_norm(
    shape: Shape,
    dtype: Any,
    *,
    origin: Shape | None = None,
    basic_block: bool = False,
    buffer_bytes: int | None = None,
) -> Tiling:
    """Returns RmsNormTiling for the shape (b, s, h). origin: the shape without padding."""
    return _tiling("rms_norm", {**locals(), "origin": origin or shape})


def batch_norm(
    shape: Shape,
    dtype: Any,
    *,
    origin: Shape | None = None,
    basic_block: bool = False,
    reuse: bool = False,
    buffer_bytes: int | None = None,
) -> Tiling:
    """Returns BatchNormTiling for the shape (b, s, h). origin: the shape without padding."""
    return _tiling("batch_norm", {**locals(), "origin": origin or shape})


def deep_norm(
    shape: Shape,
    dtype: Any,
    *,
    origin: Shape | None = None,
    basic_block: bool = False,
    reuse: bool = False,
    buffer_bytes: int | None = None,
) -> Tiling:
    """Returns DeepNormTiling for the shape (b, s, h, h without padding). origin: the shape without
    padding.
    """
    return _tiling("deep_norm", {**locals(), "origin": origin or shape})


def group_norm(
    shape: Shape, dtype: Any, groups: int, *, reuse: bool = False, buffer_bytes: int | None = None
) -> Tiling:
    """Returns GroupNormTiling for the shape (n, c, h, w) with `groups` groups of channels."""
    return _tiling("group_norm", locals())


def topk(
    inner: int,
    outer: int,
    k: int,
    dtype: Any,
    *,
    init_index: bool = False,
    small: bool = False,
    largest: bool = True,
    soc: str | None = None,
) -> Tiling:
    """Returns TopkTiling for the k largest or smallest elements of `outer` rows of length `inner`.
    init_index: the caller passes the indices.   small: TOPK_NSMALL, for which `inner` is 32.
    """
    return _tiling("topk", {**locals(), "shape": (outer, inner)})


def confusion_transpose(
    shape: Shape, dtype: Any, transpose_type: int, *, buffer_bytes: int | None = None
) -> Tiling:
    """Returns ConfusionTransposeTiling. transpose_type: the numeric value of TransposeType."""
    return _tiling("confusion_transpose", locals())


def pad(shape: Shape, dtype: Any, origin: Shape, *, buffer_bytes: int | None = None) -> Tiling:
    """Returns PadTiling for the shape (height, width). origin: the shape without row padding."""
    return _tiling("pad", locals())


def unpad(shape: Shape, dtype: Any, *, buffer_bytes: int | None = None) -> Tiling:
    """Returns UnPadTiling for the shape (height, width)."""
    return _tiling("unpad", locals())


def scratch(
    function: str, shape: Shape, dtype: Any, *, soc: str | None = None, **named: Any
) -> tuple[int, int]:
    """Calls Get...MaxMinTmpSize of a device function. Returns the smallest and the largest useful
    size of the function's temporary buffer, in bytes.

    function: the name in snake case: a function of this module, or "sin", "exp", "gelu", "swiglu",
    "ascend_quant", "cum_sum", ...   named: further parameters of the module's function.
    """
    answer = _ask(function, {"shape": shape, "dtype": dtype, "soc": soc, **named})
    return answer["least"], answer["most"]


def _tiling(function: str, parameters: dict[str, Any]) -> Tiling:
    """Returns the tiling that the public function `function` returns for these parameters."""
    shape, dtype = parameters["shape"], parameters["dtype"]
    answer = _ask(function, parameters)
    if answer["status"] != 0:
        buffer_bytes = parameters.get("buffer_bytes")
        given = "" if buffer_bytes is None else f" with {buffer_bytes} bytes of scratch"
        raise CanneryError(
            f"advanced_tiling.{function} of {tuple(shape)} {dtype_name('dtype', dtype)}{given}: "
            f"{answer['message']}; least useful scratch {answer['least']} bytes, most "
            f"{answer['most']}"
        )
    return structured(answer)


def _ask(function: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Sends a request for a tiling to the twin, and returns the twin's answer."""
    arguments = {**_DEFAULTS, "sum_size": 4, "buffer": None}
    for name, value in parameters.items():
        if name in _SIZES:
            arguments[_SIZES[name]] = _bytes(name, value)
        elif name in _SHAPES:
            arguments[name] = _sizes(name, value)
        elif name == "buffer_bytes":
            arguments["buffer"] = None if value is None else operator.index(value)
        elif name != "soc":
            arguments[name] = value if isinstance(value, bool) else operator.index(value)
    request = {
        "function": function,
        "soc": settings.soc_name(parameters.get("soc")),
        "arguments": arguments,
    }
    return calls.library_tiling(request)


def _bytes(name: str, dtype: Any) -> int:
    return numpy_dtype(dtype_name(name, dtype)).itemsize


def _sizes(name: str, shape: Shape) -> list[int]:
    try:
        return [operator.index(size) for size in shape]
    except TypeError:
        raise TypeError(f"{name}: expected whole numbers, got {shape!r}") from None
