# SPDX-License-Identifier: Apache-2.0
"""Tests a whole matrix product with queues from A1 to CO1, as in programming guides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from .conftest import Compile

KINDS = {"half": ("float", np.float16, np.float32), "int8_t": ("int32_t", np.int8, np.int32)}
SHAPES = [
    (16, 16, 16, 16, False),
    (32, 64, 64, 32, False),
    (30, 40, 70, 32, False),
    (20, 50, 100, 64, True),
    (113, 130, 200, 64, True),
    (128, 256, 128, 64, False),
]


@pytest.fixture(scope="module", params=KINDS)
def pipeline(request: pytest.FixtureRequest, compile_device: Compile) -> tuple[Any, str]:
    name = request.param
    return compile_device("cube_pipeline", {"TYPE_A": name, "TYPE_C": KINDS[name][0]}), name


def arrays(name: str, shape: tuple[int, ...], seed: int = 3) -> list[Any]:
    m, n, k, base, with_bias = shape
    _, kind, result = KINDS[name]
    rng = np.random.default_rng(seed)
    top = 128 if kind == np.int8 else 9
    a = rng.integers(-top, top, (m, k)).astype(kind)
    b = rng.integers(-top, top, (k, n)).astype(kind)
    bias = rng.integers(-9, 9, -(-n // 32) * 32).astype(result)
    sizes = np.array([m, n, k, base, with_bias], np.int32)
    return [a, b, bias, sizes, np.full((m, n), -1, result)]


@pytest.mark.parametrize("shape", SHAPES)
def test_product(pipeline: tuple[Any, str], shape: tuple[int, ...]) -> None:
    kernel, name = pipeline
    a, b, bias, sizes, c = arrays(name, shape)
    kernel(1, a, b, bias, sizes, c)
    want = a.astype(np.int64) @ b.astype(np.int64)
    if sizes[4]:
        want = want + bias[: b.shape[1]].astype(np.int64)
    assert (c == want).all()


def test_one_row_reads_a_plain_vector(pipeline: tuple[Any, str]) -> None:
    """With m = 1, Mmad reads A as a vector. The kernel loads A as fractals, so C is wrong."""
    kernel, name = pipeline
    a, b, bias, sizes, c = arrays(name, (1, 48, 64, 64, False))
    with cannery.use(hazards="off"):
        kernel(1, a, b, bias, sizes, c)
    assert not (c == a.astype(np.int64) @ b.astype(np.int64)).all()
    with cannery.use(hazards="auto-sync"), pytest.raises(cannery.HazardError, match="T820"):
        kernel(1, a, b, bias, sizes, c)


def test_same_bits_with_one_and_two_threads(pipeline: tuple[Any, str]) -> None:
    kernel, name = pipeline
    results = []
    for threads in (1, 2):
        values = arrays(name, SHAPES[3])
        with cannery.use(threads=threads):
            kernel(8, *values)  # all blocks compute and write the same product
        results.append(values[-1].tobytes())
    assert results[0] == results[1]


def test_records_are_what_a_timing_model_needs(pipeline: tuple[Any, str], tmp_path: Path) -> None:
    kernel, name = pipeline
    m, n, k, base, _ = shape = (30, 64, 100, 64, True)
    stream = tmp_path / "stream.jsonl"
    kernel(1, *arrays(name, shape), dump=str(stream))
    lines = [json.loads(line) for line in stream.read_text().splitlines()]
    found = [line for line in lines if "opcode" in line and line.get("core") == "AIC"]
    pipes = {line["opcode"]: line["pipe"] for line in found}
    load = "LoadDataTranspose" if name == "half" else "LoadDataWithTranspose"
    assert pipes["DataCopyNd2Nz"] == "MTE2"
    assert pipes["LoadData"] == pipes[load] == pipes["DataCopyToBt"] == "MTE1"
    assert (pipes["Mmad"], pipes["Fixpipe"]) == ("M", "FIX")
    products = [line for line in found if line["opcode"] == "Mmad"]
    per = 16 if name == "half" else 32
    parts = [min(base, k - done) for done in range(0, k, base)]
    assert [p["repeats"] for p in products] == [2 * (n // 16) * -(-part // per) for part in parts]
    assert [p["elements"] for p in products] == [m * n * part for part in parts]
    copies = [line for line in found if line["opcode"] == "DataCopyNd2Nz"]
    assert [p["elements"] for p in copies] == [e for part in parts for e in (m * part, part * n)]
