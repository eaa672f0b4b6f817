# SPDX-License-Identifier: Apache-2.0
"""Tests that a dump shows the values that an instruction reads and writes."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import cannery

pytestmark = [pytest.mark.slow, pytest.mark.twin_only("a card has no record of a launch")]

# Muls overwrites its own source. Two blocks add to the same elements of `sum`.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> __aicore__ inline void Run(GM_ADDR x, GM_ADDR out, GM_ADDR sum) {
    TPipe pipe;
    TBuf<> buf, wide, bits;
    pipe.InitBuffer(buf, 256);
    pipe.InitBuffer(wide, 1024);
    pipe.InitBuffer(bits, 256);
    GlobalTensor<T> from, to;
    GlobalTensor<float> total;
    from.SetGlobalBuffer((__gm__ T*)x);
    to.SetGlobalBuffer((__gm__ T*)out);
    total.SetGlobalBuffer((__gm__ float*)sum);
    LocalTensor<T> a = buf.Get<T>();
    LocalTensor<float> b = wide.Get<float>();
    LocalTensor<uint8_t> mask = bits.Get<uint8_t>();
    DataCopy(a, from[GetBlockIdx() * 64], 64);
    PipeBarrier<PIPE_ALL>();
    Cast(b, a, RoundMode::CAST_NONE, 64);
    PipeBarrier<PIPE_ALL>();
    Muls(b, b, 2.0f, 64);
    PipeBarrier<PIPE_ALL>();
    CompareScalar(mask, b, 3.0f, CMPMODE::GT, 64);
    PipeBarrier<PIPE_ALL>();
    float first = b.GetValue(1);
    b.SetValue(0, first);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to[GetBlockIdx() * 64], a, 64);
    SetAtomicAdd<float>();
    DataCopy(total, b, 8);
    SetAtomicNone();
    total.GetValue(64);
    PipeBarrier<PIPE_ALL>();
}
extern "C" __global__ __aicore__ void values(GM_ADDR x, GM_ADDR out, GM_ADDR sum) {
    Run<TYPE>(x, out, sum);
}
"""
Record = dict[str, Any]


@pytest.fixture(scope="module")
def kernels(shared_cache: Path) -> dict[str, cannery.Kernel]:
    with cannery.use(cache_dir=shared_cache):
        return {
            name: cannery.compile_kernel(SOURCE, "values", {"TYPE": name})
            for name in ("half", "bfloat16_t")
        }


def arrays(dtype: Any = np.float16) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = (np.arange(128) % 5 - 1).astype(dtype)
    return x, np.zeros_like(x), np.zeros(128, np.float32)


def operands(records: list[Record], opcode: str, block: int = 0) -> dict[str, Record]:
    """Returns the operands of the first instruction with this name, by direction and memory."""
    record = next(r for r in records if (r["opcode"], r["block"]) == (opcode, block))
    return {
        f"{'write' if place['write'] else 'read'} {place['memory']}": place
        for place in record["ranges"]
    }


@pytest.mark.parametrize(
    ("name", "dtype"), [("half", np.float16), ("bfloat16_t", ml_dtypes.bfloat16)]
)
def test_values_before_and_after(
    kernels: dict[str, cannery.Kernel], tmp_path: Path, name: str, dtype: Any
) -> None:
    x, out, total = arrays(dtype)
    kernels[name](2, x, out, total, dump=tmp_path / "v.jsonl", dump_values=4)
    records = cannery.read_dump(tmp_path / "v.jsonl")
    for block in range(2):
        part = x[64 * block : 64 * block + 64]
        copied = operands(records, "DataCopy", block)
        want = {"dtype": name, "first": part[:4].tolist(), "crc32": zlib.crc32(part.tobytes())}
        for place in copied.values():
            assert {key: place[key] for key in want} == want
        wide = part.astype(np.float32)
        cast = operands(records, "Cast", block)
        assert cast["read UB"]["dtype"] == name
        assert cast["read UB"]["crc32"] == want["crc32"]
        assert (cast["write UB"]["dtype"], cast["write UB"]["first"]) == ("float", [*wide[:4]])
        scaled = operands(records, "Muls", block)
        assert scaled["read UB"]["crc32"] == zlib.crc32(wide.tobytes())
        assert scaled["write UB"]["first"] == [*(2 * wide[:4])]
        assert scaled["write UB"]["crc32"] == zlib.crc32((2 * wide).tobytes())
        bits = operands(records, "CompareScalar", block)["write UB"]
        assert (bits["dtype"], bits["first"][0]) == (
            "uint8_t",
            int(np.packbits(2 * wide[:8] > 3, bitorder="little")[0]),
        )


def test_what_has_no_value(kernels: dict[str, cannery.Kernel], tmp_path: Path) -> None:
    """A dump has no value for a scalar write (not yet known), for a scalar access to GM (may
    differ from memory), and for an atomic copy to GM (depends on the order of the cores)."""
    kernels["half"](2, *arrays(), dump=tmp_path / "v.jsonl", dump_values=2)
    records = cannery.read_dump(tmp_path / "v.jsonl")
    scalars = [place for r in records if r["pipe"] == "S" for place in r["ranges"]]
    assert {(p["memory"], p["write"]) for p in scalars if "crc32" in p} == {("UB", False)}
    assert {(p["memory"], p["write"]) for p in scalars} >= {("UB", True), ("GM", False)}
    atomic = [place for r in records if r["atomic"] for place in r["ranges"]]
    assert [(p["memory"], "crc32" in p) for p in atomic[:2]].count(("UB", True)) == 1
    assert all("crc32" not in p for p in atomic if p["memory"] == "GM")


def test_same_in_every_order(kernels: dict[str, cannery.Kernel], tmp_path: Path) -> None:
    dumps = []
    for threads, order in ((1, 0), (2, 0), (2, 5)):
        with cannery.use(threads=threads, core_order=order):
            kernels["half"](2, *arrays(), dump=tmp_path / "v.jsonl", dump_values=3)
        dumps.append((tmp_path / "v.jsonl").read_bytes())
    assert dumps[0] == dumps[1] == dumps[2]


def test_hash_alone_nothing_and_text(kernels: dict[str, cannery.Kernel], tmp_path: Path) -> None:
    kernel = kernels["half"]
    kernel(2, *arrays(), dump=tmp_path / "v.jsonl", dump_values=0)
    places = [p for r in cannery.read_dump(tmp_path / "v.jsonl") for p in r["ranges"]]
    assert {len(p["first"]) for p in places if "first" in p} == {0}
    kernel(2, *arrays(), dump=tmp_path / "v.jsonl")
    assert "crc32" not in (tmp_path / "v.jsonl").read_text()
    kernel(2, *arrays(), dump=tmp_path / "v.txt", dump_values=3)
    (line, *_) = [line for line in (tmp_path / "v.txt").read_text().splitlines() if "Muls" in line]
    assert " = -2 0 2 ... crc " in line
    assert " = -1 0 1 ... crc " in line
    kernel(2, *arrays(), dump=tmp_path / "v.txt", dump_values=4096)
    assert "..." not in (tmp_path / "v.txt").read_text()


def test_strict_json(kernels: dict[str, cannery.Kernel], tmp_path: Path) -> None:
    x, out, total = arrays()
    x[:3] = np.nan, np.inf, -np.inf
    kernels["half"](2, x, out, total, dump=tmp_path / "v.jsonl", dump_values=3)

    def refuse(name: str) -> None:
        raise AssertionError(name)

    for line in (tmp_path / "v.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=refuse)
    first = operands(cannery.read_dump(tmp_path / "v.jsonl"), "DataCopy")["read GM"]["first"]
    assert str(first) == "[nan, inf, -inf]"


def test_mistakes(
    kernels: dict[str, cannery.Kernel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = kernels["half"]
    with pytest.raises(ValueError, match="dump_values: expected with dump"):
        kernel(2, *arrays(), dump_values=3)
    with pytest.raises(ValueError, match="dump_values: expected 0 to 4096, got 4097"):
        kernel(2, *arrays(), dump=tmp_path / "v.txt", dump_values=4097)
    with pytest.raises(TypeError, match="dump_values: expected a whole number, got 'a'"):
        kernel(2, *arrays(), dump=tmp_path / "v.txt", dump_values="a")  # type: ignore[arg-type]
    monkeypatch.setenv("CANNERY_DUMP_VALUES", "-1")
    with pytest.raises(cannery.CanneryError, match=r"CANNERY_DUMP_VALUES=-1: expected a whole"):
        kernel(2, *arrays())


@pytest.mark.parametrize(
    ("name", "data", "want"),
    [
        ("int4b_t", "f1", [1, -1]),
        ("bool", "0100", [1, 0]),
        ("double", "000000000000f03f", [1.0]),
        ("uint64_t", "ffffffffffffffff", [2**64 - 1]),
        ("int8_t", "ff", [-1]),
        ("", "ff00", "ff00"),
    ],
)
def test_types(tmp_path: Path, name: str, data: str, want: Any) -> None:
    record = {"opcode": "x", "ranges": [{"dtype": name, "crc32": 0, "first": data}]}
    file = tmp_path / "v.jsonl"
    file.write_text('{"launch": "k"}\n' + json.dumps(record) + "\n")
    assert cannery.read_dump(file)[0]["ranges"][0]["first"] == want
    file.write_text('{"launch": "k"}\n' + json.dumps({**record, "ranges": [{"dtype": "half"}]}))
    with pytest.raises(cannery.CanneryError, match="is no dump of a launch"):
        cannery.read_dump(file)
