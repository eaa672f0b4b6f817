# SPDX-License-Identifier: Apache-2.0
"""cannery.tiling must show the results of the operators' tiling functions without a launch."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

import cannery

X = ((2, 32), "float16")
Y_GRAD = ((2, 16), "float16")


def test_fields_key_blocks_and_workspace() -> None:
    tiling = cannery.tiling("SwiGluGrad", [Y_GRAD, X], {"dim": -1}, soc="Ascend910B2")
    assert tiling.ok
    assert tiling.status == 0
    assert tiling.message == ""
    assert (tiling.op, tiling.soc, tiling.key) == ("SwiGluGrad", "Ascend910B2", 0)
    assert tiling.block_dim == 1
    assert tiling.workspaces == (0,)
    assert tiling.user_workspace == 0
    assert tiling["rows"] == 2
    assert tiling["cols"] == 16
    assert tiling["tiles"] == 1
    assert tiling.outputs == (((2, 32), "float16"),)
    assert tiling.array.dtype.itemsize == len(tiling.data) == 72
    assert tiling.array["rowsPerTile"] == tiling["rowsPerTile"]
    assert tiling.array.dtype["tileElems"] == np.uint32


def test_names_defaults_dtypes_and_chips() -> None:
    wide = [((4096, 4096), bfloat16), ((4096, 8192), bfloat16)]
    named = cannery.tiling("swi_glu_grad", wide)
    assert named.data == cannery.tiling("SwiGluGrad", wide, {"dim": None}).data
    cores = {
        soc: cannery.tiling("SwiGluGrad", wide, soc=soc) for soc in ("Ascend910B1", "Ascend910B4")
    }
    assert cores["Ascend910B1"].block_dim == 48 == cores["Ascend910B1"].chip["vector_cores"]
    assert cores["Ascend910B4"].block_dim == 40
    with cannery.use(soc="Ascend910B4"):
        assert cannery.tiling("SwiGluGrad", wide).block_dim == 40


def test_it_is_the_tiling_of_a_run(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    y_grad, x = np.ones((5, 300), np.float32), np.ones((5, 600), np.float32)
    tiling = cannery.tiling("SwiGluGrad", [y_grad, x])
    dump = tmp_path / "stream.jsonl"
    monkeypatch.setenv("CANNERY_DUMP", str(dump))
    cannery.swi_glu_grad(y_grad, x)
    blocks = {line.partition('"block":')[2].partition(",")[0] for line in dump.open()} - {""}
    assert len(blocks) == tiling.block_dim


@pytest.mark.parametrize(
    ("inputs", "attrs", "status", "word"),
    [
        ([Y_GRAD, ((2, 33), "float16")], {}, 561002, "refused"),
        ([Y_GRAD, X], {"dim": 5}, 561002, "refused"),
        ([Y_GRAD, ((2, 32), "float32")], {}, 161002, "x float32"),
        ([Y_GRAD, ((2, -32), "float16")], {}, 161002, "[2, -32]"),
        ([Y_GRAD, ((1,) * 26, "float16")], {}, 161002, "at most 25"),
        ([Y_GRAD], {}, 161001, "x is null"),
        ([None, X], {}, 161001, "y_grad is null"),
        ([Y_GRAD, ((2, 32), "float16", "FRACTAL_NZ")], {}, 161002, "format 29"),
    ],
)
def test_a_refusal_is_no_exception(
    inputs: list[Any], attrs: dict[str, Any], status: int, word: str
) -> None:
    tiling = cannery.tiling("SwiGluGrad", inputs, attrs)
    assert not tiling.ok
    assert tiling.status == status
    assert word in tiling.message
    assert "\n  inputs: y_grad " in tiling.message
    assert tiling.block_dim == 0
    assert tiling.data == b""
    assert tiling.fields == {}
    with pytest.raises(KeyError, match="no tiling field 'rows'"):
        tiling["rows"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ({"op": "Nothing", "inputs": []}, ValueError, "op: expected one of .*SwiGluGrad"),
        ({"op": "SwiGluGrd", "inputs": []}, ValueError, r"op: .*; did you mean SwiGluGrad\?$"),
        ({"op": 3, "inputs": []}, TypeError, "op: expected the type"),
        ({"op": "SwiGluGrad", "inputs": [1, 2]}, TypeError, "input y_grad: expected"),
        ({"op": "SwiGluGrad", "inputs": "xy"}, TypeError, "inputs: expected a list"),
        ({"op": "SwiGluGrad", "inputs": [X] * 3}, TypeError, "inputs: got 3; .* y_grad, x"),
        ({"op": "SwiGluGrad", "inputs": [((2,), "f7")]}, TypeError, "input y_grad: .*'f7'"),
        ({"op": "SwiGluGrad", "inputs": X}, TypeError, r"y_grad: expected \(shape, dtype\)"),
        ({"op": "SwiGluGrad", "inputs": [((2.5,), "int8")]}, TypeError, "whole numbers"),
        ({"op": "SwiGluGrad", "inputs": [((2**63,), "int8")]}, ValueError, "64 bits"),
        ({"op": "SwiGluGrad", "inputs": [((2,), "int8", "XY")]}, ValueError, "a format of"),
        ({"op": "SwiGluGrad", "inputs": [], "attrs": {"axis": 1}}, TypeError, "it has dim"),
        ({"op": "SwiGluGrad", "inputs": [], "attrs": {"dim": 1.0}}, TypeError, "whole number"),
        ({"op": "SwiGluGrad", "inputs": [], "attrs": {"dim": True}}, TypeError, "whole number"),
        ({"op": "SwiGluGrad", "inputs": [], "attrs": [1]}, TypeError, "attrs: expected a mapping"),
        ({"op": "SwiGluGrad", "inputs": [], "soc": "Ascend310P"}, ValueError, "soc: expected"),
    ],
)
def test_what_is_no_call_is_an_exception(
    call: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        cannery.tiling(**call)


def test_values_that_tiling_reads() -> None:
    shapes = [((63, 16, 128), "float16"), ((1024, 16, 128), "float16"), ((32, 16), "float16")]
    attrs = {"compress_block_size": 32, "compressStride": 16, "actSeqLenType": 0}
    ends = np.array([1024], np.int64)
    tiling = cannery.tiling("NsaCompressGrad", [*shapes, ends], attrs)
    assert tiling.ok, tiling.message
    assert (tiling["rows"], tiling["windows"], tiling["sequences"]) == (1024, 63, 1)
    assert len(tiling["starts"]) == 48
    assert tiling["starts"][0]["sequence"] == 0
    assert tiling["inputGradStrides"] == [16 * 128, 128, 1]
    assert tiling.array["starts"].dtype.names == ("sequence", "firstRow", "windows")
    # Tiling needs the values of this input, but a shape has no values.
    assert not cannery.tiling("NsaCompressGrad", [*shapes, ((1,), "int64")], attrs).ok


def test_absent_inputs_and_outputs_of_ones_own() -> None:
    tokens, routing = ((64, 128), "float16"), ((64, 8), "bool")
    attrs = {"num_out_tokens": 128}
    with_probs = [tokens, routing, ((64, 8), "float16")]
    op = "MoeTokenPermuteWithRoutingMap"
    assert cannery.tiling(op, [tokens, routing], attrs)["hasProbs"] == 0
    assert cannery.tiling(op, [tokens, routing, None], attrs)["hasProbs"] == 0
    assert cannery.tiling(op, with_probs, attrs)["hasProbs"] == 1
    outputs = [((128, 128), "float16"), None, ((128,), "int32")]
    assert cannery.tiling(op, [tokens, routing], attrs, outputs=outputs).outputs == tuple(outputs)
    wrong = [((127, 128), "float16"), None, ((128,), "int32")]
    assert cannery.tiling(op, [tokens, routing], attrs, outputs=wrong).status == 561002


def test_results_can_be_kept() -> None:
    tiling = cannery.tiling("SwiGluGrad", [Y_GRAD, X])
    again = pickle.loads(pickle.dumps(tiling))  # noqa: S301  bytes that this test made
    assert again == tiling
    assert again.fields == tiling.fields


def test_grouped_matmul() -> None:
    e, k, n, rows, tokens = 4, 256, 512, 96, 32
    inputs = [
        ((rows, k), "int8"),
        ((e, k, n // 8), "int32"),
        ((e, 1, n), "int64"),
        ((e, n), "float32"),
        ((rows,), "float32"),
        ((e,), "int64"),
        ((tokens // 2, n), "bfloat16"),
        ((rows,), "float32"),
        ((rows,), "int64"),
    ]
    tiling = cannery.tiling("GroupedMatmulFinalizeRouting", inputs, {"output_bs": tokens})
    assert tiling.ok, tiling.message
    assert (tiling["k"], tiling["cols"], tiling["experts"]) == (k, n, e)
    assert tiling["sharedWeight"] == 1.0
    assert isinstance(tiling["sharedWeight"], float)
    assert tiling.block_dim <= tiling.chip["cube_cores"]
    assert tiling.user_workspace > 0
