# SPDX-License-Identifier: Apache-2.0
"""check_tiling of cannery.testing must find mistakes, but none in the operators' tilings."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import Tiling
from cannery.testing import check_tiling
from cannery.testing.cover import uncovered

BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "int8": 1}
EDGES = (1, 2, 15, 17, 64, 255, 1024, 4097)


def share(total: int, parts: int, part: int) -> tuple[int, int]:
    """Returns the range of a part. Sizes of parts differ by at most 1; larger parts come first."""
    least, larger = divmod(total, parts)
    return (part * least + min(part, larger), (part + 1) * least + min(part + 1, larger))


def up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def element(tiling: Tiling, tensor: int = 0) -> int:
    return BYTES[tiling.inputs[tensor][1]]


def swi_glu_cases(rows: Any = EDGES, cols: Any = EDGES) -> list[Any]:
    return [
        [((r, c), dtype), ((r, 2 * c), dtype)]
        for r, c, dtype in product(rows, cols, ("float16", "float32"))
    ]


def skewed_share(t: Tiling, block: int) -> tuple[int, int]:
    """Returns a block's share if earlier blocks begin earlier (op_kernel/common/shares.h)."""
    if t["skew"] == 0:
        return share(t["tiles"], t.block_dim, block)
    mean = t["tiles"] * 2048 // t.block_dim

    def first(part: int) -> int:
        skew = t["skew"] * part * (t.block_dim - part)
        return t["tiles"] if part == t.block_dim else (part * mean + skew) // 2048

    return first(block), first(block + 1)


def swi_glu_ub(t: Tiling) -> int:
    if t["narrow"]:
        return int(t["tileElems"] * (48 if element(t) == 2 else 64) + 512)
    if element(t) == 4:
        return int(40 * t["tileElems"] + 256)
    return int(max(12 * t["tileElems"] + 256, 65536) + 20 * t["tileElems"])


SWI_GLU: dict[str, Any] = {
    "work": lambda t: t["tiles"],
    "blocks": skewed_share,
    "ub_bytes": swi_glu_ub,
    "aligned": {
        "tileElems": 128,
        "colsPerTile": lambda t: (
            (t["colsPerTile"] * element(t), 512) if t["colsPerTile"] < t["cols"] else (0, 512)
        ),
    },
    "equal": {
        "rows": lambda t: t.inputs[0][0][0],
        "cols": lambda t: t.inputs[0][0][1],
        "tiles": lambda t: up(t["rows"], t["rowsPerTile"]) // t["rowsPerTile"] * t["colTiles"],
    },
    "uint32": {"UB of a tile": swi_glu_ub},
}


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910B4", "Ascend910_9391"])
def test_swi_glu_grad(soc: str) -> None:
    assert check_tiling("SwiGluGrad", swi_glu_cases(), soc=soc, **SWI_GLU) == 128
    huge = [[((2**20, 2**14), "float16"), ((2**20, 2**15), "float16")]]
    check_tiling("SwiGluGrad", huge, soc=soc, **SWI_GLU)


def test_moe_init_routing_v2_grad() -> None:
    cases = [
        ([((tokens * k, cols), dtype), ((tokens * k,), "int32")], {"top_k": k})
        for tokens, cols, k, dtype in product(
            (1, 7, 50, 1000), (1, 33, 512, 7168), (1, 3, 8), ("bfloat16", "float32")
        )
    ]

    def ub_bytes(t: Tiling) -> int:
        if t["slots"] == 1:
            return int(4 * t["tileElems"] * element(t) + 4 * t["indexElems"])
        wide = element(t) == 2 and t["slots"] > 1
        floats = t["slotsPerStep"] + (t["stepsPerTile"] > 1) if wide else 0
        rows = 2 * (t["slotsPerStep"] + 1)
        gaps = t["gapElems"] * (2 * element(t) + (4 if wide else 0))
        return int(t["tileElems"] * (rows * element(t) + 4 * floats) + 4 * t["indexElems"] + gaps)

    check_tiling(
        "MoeInitRoutingV2Grad",
        cases,
        work=lambda t: (t["tokens"], t["cols"]),
        blocks=lambda t, block: [
            (
                (tile // t["colTiles"] * t["tokensPerTile"],
                 min(t["tokens"], (tile // t["colTiles"] + 1) * t["tokensPerTile"])),
                (tile % t["colTiles"] * t["colsPerTile"],
                 min(t["cols"], (tile % t["colTiles"] + 1) * t["colsPerTile"])),
            )
            for tile in range(*share(t["tiles"], t.block_dim, block))
        ],
        ub_bytes=ub_bytes,
        aligned={"tileElems": 128},
        equal={"tokens": lambda t: t.inputs[1][0][0] // t.attrs["top_k"]},
        uint32=["tileElems", "colsPerTile"],
    )  # fmt: skip


def test_moe_token_permute_with_routing_map() -> None:
    cases = [
        (
            [((tokens, hidden), "float16"), ((tokens, experts), "bool")],
            {"num_out_tokens": (experts if pad else tokens) * 2, "drop_and_pad": pad},
        )
        for tokens, hidden, experts, pad in product(
            (4, 50, 4096), (8, 1000, 7168), (2, 8, 300), (False, True)
        )
    ]
    check_tiling(
        "MoeTokenPermuteWithRoutingMap",
        cases,
        work=lambda t: (t["outRows"], t["hidden"]),
        blocks=lambda t, block: (
            tuple(
                share(t["tokens"], t["rowParts"], block // t["colParts"])[side] * t["slots"]
                if t.key == cannery_key(compact=True)
                else share(t["outRows"], t["rowParts"], block // t["colParts"])[side]
                for side in (0, 1)
            ),
            (block % t["colParts"] * t["colsPerPart"],
             min(t["hidden"], (block % t["colParts"] + 1) * t["colsPerPart"])),
        )
        if block < t["rowParts"] * t["colParts"]
        else [],
        ub_bytes=lambda t: 2 * t["rowBytes"],
        aligned={"countPitch": 32, "scanCols": 8, "rowBytes": 32},
        workspace=lambda t: (
            4 * t["parts"] * t["countPitch"] + 32 * t.block_dim
            + (0 if t.key == cannery_key(compact=True) else 4 * t["outRows"])
        ),
        equal={"outRows": lambda t: t.outputs[0][0][0], "hidden": lambda t: t.inputs[0][0][1]},
    )  # fmt: skip


def cannery_key(compact: bool) -> int:
    """Returns the tiling key of a call without padding if `compact`, else of one with padding."""
    attrs = {"num_out_tokens": 8, "drop_and_pad": not compact}
    inputs = [((4, 8), "float16"), ((4, 4), "bool")]
    return cannery.tiling("MoeTokenPermuteWithRoutingMap", inputs, attrs).key


def test_nsa_compress_grad() -> None:
    block, stride = 32, 16
    cases = [
        (
            [
                (((rows - block) // stride + 1, heads, dim), "float16"),
                ((rows, heads, dim), "float16"),
                ((block, heads), "float16"),
                np.array([rows]),
            ],
            {"compressBlockSize": block, "compressStride": stride, "actSeqLenType": 0},
        )
        for rows, heads, dim in product((32, 64, 1000, 4096), (1, 4, 64), (64, 128, 192))
    ]

    def groups(t: Tiling) -> int:
        return up(t["heads"], t["headsPerGroup"]) // t["headsPerGroup"]

    def units(t: Tiling) -> int:
        return groups(t) * (up(t["rows"], 16) // 16)

    check_tiling(
        "NsaCompressGrad",
        cases,
        work=units,
        blocks=lambda t, block: share(units(t), t.block_dim, block),
        aligned={"rowsPerTile": 16, "blockSize": 16, "stride": 16, "headDim": 16},
        # The workspace has a partial sum for each block, and for each group except one.
        workspace=lambda t: 4 * (t.block_dim + groups(t) - 1) * t["headsPerGroup"] * t["blockSize"],
        equal={"rows": lambda t: t.inputs[1][0][0], "windows": lambda t: t.inputs[0][0][0]},
        int32={"a row's elements": lambda t: t["heads"] * t["headDim"]},
    )


def test_grouped_matmul_finalize_routing() -> None:
    cases = [
        (
            [
                ((rows, k), "int8"),
                ((experts, k, n // 8), "int32"),
                ((experts, 1, n), "int64"),
                ((experts, n), "float32"),
                ((rows,), "float32"),
                ((experts,), "int64"),
                ((8, n), "bfloat16"),
                ((rows,), "float32"),
                ((rows,), "int64"),
            ],
            {"output_bs": 16},
        )
        for rows, experts, k, n in product((16, 96, 1024), (1, 8), (256, 2048), (512, 2560))
    ]

    check_tiling(
        "GroupedMatmulFinalizeRouting",
        cases,
        cores="cube_cores",
        ub_bytes=lambda t: 8 * t["splitRows"] * t["k"],
        workspace=lambda t: (
            t.block_dim * (t["blockSlots"] * 128 * 1024 + 2 * 512)
            + (t.block_dim * 2 * (192 * 2048 + 2048) if t["unpackK"] else t["rows"] * t["k"])
        ),
        equal={"rows": lambda t: t.inputs[0][0][0], "cols": lambda t: t.outputs[0][0][1]},
        int32={"weights of an expert": lambda t: t["k"] * t["cols"]},
    )


SMALLEST = swi_glu_cases((17, 64), (64, 1024))


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        (
            {"work": lambda t: t["tiles"] + 1, "blocks": SWI_GLU["blocks"]},
            r"work fails in 8; the smallest: \(17, 64\) float16, \(17, 128\) float16\n"
            r"    2\.\.3 of 3 is no block's",
        ),
        (
            {"work": lambda t: t["tiles"], "blocks": lambda t, b: (b, min(b + 2, t["tiles"]))},
            r"of block \d+ and of block \d+",
        ),
        (
            {"work": lambda t: 3, "blocks": lambda t, b: (b, b + 4)},
            "block 0 has 0..4, which is not",
        ),
        ({"ub_bytes": lambda t: 500_000}, "500000 bytes; there are 196352 of UB"),
        ({"aligned": {"colsPerTile": 7}}, "colsPerTile is 64, no multiple of 7"),
        ({"workspace": lambda t: 1}, "workspace fails in 8.*\n.*1 bytes; there are 0"),
        ({"equal": {"rows": lambda t: 5}}, "rows is 17; expected 5"),
        ({"int32": {"all bytes": lambda t: t["rows"] << 30}}, "all bytes is 18253611008; 32 bits"),
        ({"uint32": {"below": lambda t: -1}}, "below is -1; 32 bits hold 0 to 4294967295"),
    ],
)
def test_what_is_found(named: dict[str, Any], sentence: str) -> None:
    with pytest.raises(AssertionError, match=sentence) as error:
        check_tiling("SwiGluGrad", SMALLEST, **named)
    assert str(error.value).startswith("the tiling of SwiGluGrad on Ascend910B2, 8 cases:\n")
    assert "key 0, block_dim 2: rows 17, cols 64" in str(error.value)


def test_refusals_cores_and_misuse() -> None:
    refused = [[((2, 16), "float16"), ((2, 33), "float16")]]
    with pytest.raises(AssertionError, match=r"refused fails in 1; .*\n    status 561002"):
        check_tiling("SwiGluGrad", refused)
    wide = swi_glu_cases((4097,), (64,))
    with pytest.raises(AssertionError, match="block_dim is 25; expected 1 to 24, the cube_cores"):
        check_tiling("SwiGluGrad", wide, cores="cube_cores")
    with pytest.raises(ValueError, match="cases: none"):
        check_tiling("SwiGluGrad", [])
    with pytest.raises(TypeError, match="work, blocks: expected both or neither"):
        check_tiling("SwiGluGrad", wide, work=lambda t: 1)
    with pytest.raises(TypeError, match="blocks: expected"):
        check_tiling("SwiGluGrad", wide, work=lambda t: 1, blocks=lambda t, b: "all")


@pytest.mark.parametrize(
    ("work", "blocks", "sentence"),
    [
        (0, [], ""),
        (4, [(0, 2), (2, 4)], ""),
        (4, [[(2, 3), (0, 1)], range(1, 4, 2)], ""),
        (4, [(0, 2), (2, 2), (2, 4)], ""),
        (4, [], "0..4 is no block's"),
        (4, [(1, 4)], "0..1 of 4"),
        (4, [(0, 3), range(2, 4)], "2..3 of 4 is of block 0 and of block 1"),
        (4, [(0, 1), (3, 4)], "1..3 of 4 is no block's: block 0"),
        (4, [(2, 1)], "block 0 has 2..1"),
        (4, [((0, 2), (0, 2))], "expected 1 pairs"),
        ((4, 6), [((0, 4), (0, 3)), ((0, 2), (3, 6)), ((2, 4), (3, 6))], ""),
        ((4, 6), [((0, 4), (0, 3)), ((0, 2), (3, 6))], "6 of 24 pieces are no block's"),
        ((4, 6), [((0, 4), (0, 4)), ((3, 4), (3, 6))], "3..4 x 3..4 is of block 0 and of block 1"),
        ((4, 6), [((0, 4), (0, 7))], "which is not in (4, 6)"),
    ],
)
def test_covers(work: Any, blocks: list[Any], sentence: str) -> None:
    found = uncovered(work, blocks)
    assert sentence in found
    assert bool(sentence) == bool(found)
