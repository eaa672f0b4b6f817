# SPDX-License-Identifier: Apache-2.0
"""NsaCompressGrad: gradients of the weighted pooling over windows of native sparse attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from cannery import vendor_folder
from cannery.errors import AclnnError, from_status
from cannery.ops.arguments import Array, input_array, int64, int64_list, output_array, text

__all__ = ["nsa_compress_grad"]

_API = "aclnnNsaCompressGradGetWorkspaceSize"
_PARAM_INVALID = 161002
_TILING = 561002


def nsa_compress_grad(
    output_grad: Array | None,
    input: Array | None,  # noqa: A002  the operator's own name
    weight: Array | None,
    act_seq_len: Sequence[int] | Array | None = None,
    *,
    compress_block_size: Any,
    compress_stride: Any,
    act_seq_len_type: Any = 0,
    layout: str | None = "TND",
) -> tuple[Array, Array]:
    """Returns the gradients of out[g, n, d] = sum over r of input[start(g) + r, n, d] *
    weight[r, n]. A window g starts every `compress_stride` rows of each sequence.

    output_grad: (M, N, D), M windows in all sequences.   input: (T, N, D). weight:
    (compress_block_size, N). All are float16 or bfloat16 (ml_dtypes), of one dtype, with any
    strides. N up to 128; D up to 256, a multiple of 16.
    act_seq_len: ends of the sequences in rows of input, from 0 to T and never decreasing; None
    means one sequence of T rows.
    compress_block_size, compress_stride: rows, multiples of 16 with stride < block size <= 128.
    act_seq_len_type: 0.   layout: "TND" or None.
    Returns input_grad (T, N, D) and weight_grad (compress_block_size, N), contiguous, computed in
    float32 and rounded once. Rows that no window covers get 0.

    Raises AclnnError with status 161001 (None for an array), 161002 (dtype, shape, act_seq_len,
    number of windows, type, layout) or 561002 (limits and multiples of 16); TypeError if an
    argument is not an array of numbers or not a whole number; KernelError if the kernel fails.
    """
    arrays = (
        input_array("output_grad", output_grad),
        input_array("input", input),
        input_array("weight", weight),
    )
    ends = int64_list(_API, "act_seq_len", act_seq_len)
    sizes = (
        int64(_API, "compress_block_size", compress_block_size),
        int64(_API, "compress_stride", compress_stride),
        int64(_API, "act_seq_len_type", act_seq_len_type),
    )
    return _run(arrays, ends, sizes, text(_API, "layout", layout, "TND"))


def _run(
    arrays: tuple[Array | None, ...], ends: list[int] | None, sizes: tuple[int, ...], layout: str
) -> tuple[Array, Array]:
    # If an input is None, an output has no shape. The API then reports the missing input before it
    # reads the outputs.
    results = tuple(
        None if like is None else output_array(like.shape, like.dtype) for like in arrays[1:]
    )
    try:
        vendor_folder.operator("nsa_compress_grad")(*arrays, ends, *sizes, layout, *results)
    except AclnnError as error:
        # Only tiling reads the values of act_seq_len, so the API cannot check them first, and
        # the error message of tiling is not exact.
        wrong = _wrong_sequences(ends, arrays, *sizes[:2])
        if wrong is not None and (error.status == _TILING or "actSeqLen" in str(error)):
            raise from_status(_PARAM_INVALID, _API, wrong) from None
        raise
    return cast("tuple[Array, Array]", results)


def _wrong_sequences(
    ends: list[int] | None, arrays: tuple[Array | None, ...], block: int, stride: int
) -> str | None:
    """Returns a sentence if ends of sequences or the number of windows are wrong; else None."""
    output_grad, source, _ = arrays
    if not ends or source is None or output_grad is None:
        return None
    if source.ndim == 0 or output_grad.ndim == 0:
        return None
    countable = block > 0 and stride > 0
    begin = windows = 0
    for i, end in enumerate(ends):
        if not begin <= end <= source.shape[0]:
            return (
                f"act_seq_len[{i}] is {end}; expected {begin} to {source.shape[0]}: the ends of "
                "the sequences never fall and stay within the rows of input"
            )
        windows += (end - begin - block) // stride + 1 if countable and block <= end - begin else 0
        begin = end
    if countable and windows != output_grad.shape[0]:
        return (
            f"output_grad has shape {output_grad.shape}; expected {windows} windows in dimension "
            f"0, what the sequences of act_seq_len have with compress_block_size {block} and "
            f"compress_stride {stride}"
        )
    return None
