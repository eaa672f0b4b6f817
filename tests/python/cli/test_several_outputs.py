# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery run` with an operator of several outputs, some exact or optional."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import cannery
from cannery import cases
from cannery.cases.case import Array, Block, Case, Workloads
from cannery.cli.app import app

FLOAT, HALF = np.dtype(np.float32), np.dtype(np.float16)


class PairRun:
    """A run that returns SwiGluGrad's result, the indices and, if asked for, a sum."""

    ideal_bytes = 1

    def __init__(self, case: Case) -> None:
        self.x = np.ones(case.shape, case.dtype)
        self.indices = np.arange(case.shape[0], dtype=np.int32)
        self.with_sum = bool(case.attrs["with_sum"])
        self.broken = bool(case.attrs["broken"])

    def call(self) -> dict[str, Array | None]:
        grad = cannery.swi_glu_grad(self.x[:, : self.x.shape[1] // 2], self.x)
        total = self.x.sum(1, dtype=np.float32) + np.float32(0.25) if self.with_sum else None
        return {"grad": grad, "indices": self.indices + self.broken, "total": total}

    def golden(self) -> Iterator[Block]:
        want = cannery.golden.swi_glu_grad(self.x[:, : self.x.shape[1] // 2], self.x)
        yield Block("grad", slice(0, 6), want.reshape(-1)[:6])
        yield Block("indices", slice(None), self.indices)
        yield Block("grad", slice(6, None), want.reshape(-1)[6:])
        if self.with_sum:
            exact = self.x.sum(1, dtype=np.float64)
            yield Block("total", slice(None), exact, bound=np.full(exact.shape, 0.5))

    def yardstick(self) -> object:
        return None


class PairWorkloads(Workloads):
    op = "pair"
    type = "Pair"
    dtypes = (FLOAT, HALF)
    sizes = {"small": (4, 6), "medium": (8, 6), "large": (16, 6), "stress": (2, 2)}  # noqa: RUF012
    axes = ("T", "H")
    attrs = {"with_sum": False, "broken": False}  # noqa: RUF012
    rules = {"indices": "exact", "total": "bound"}  # noqa: RUF012

    def prepare(self, case: Case, seed: int) -> PairRun:
        return PairRun(case)


@pytest.fixture(autouse=True)
def pair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cases._WORKLOADS, "pair", PairWorkloads())


def run(*arguments: str, status: int = 0) -> Any:
    found = CliRunner().invoke(app, ["run", *arguments, "--json"])
    assert found.exit_code == status, found.stdout
    return json.loads(found.stdout)


def test_every_output_is_compared_by_its_rule() -> None:
    results = run("pair", "--attr", "with_sum=true")["results"]
    assert [(r["dtype"], r["size"]) for r in results] == [
        ("float32", "small"), ("float16", "small"), ("float32", "medium"), ("float16", "medium"),
    ]  # fmt: skip
    outputs = results[0]["outputs"]
    assert {name: each["rule"] for name, each in outputs.items()} == {
        "grad": "close", "indices": "exact", "total": "bound",
    }  # fmt: skip
    assert outputs["total"]["worst_relative_error"] == 0.5
    assert results[0]["worst_relative_error"] == 0.5
    assert outputs["indices"]["dtype"] == "int32"


def test_an_output_that_is_none_is_left_out() -> None:
    (result,) = run("pair", "--size", "stress", "--dtype", "float16")["results"]
    assert list(result["outputs"]) == ["grad", "indices"]


def test_one_wrong_output_is_enough() -> None:
    document = run("Pair", "--attr", "broken=1", "--size", "small", status=1)
    assert not document["ok"]
    outputs = document["results"][0]["outputs"]
    assert (outputs["grad"]["ok"], outputs["indices"]["ok"]) == (True, False)
    wide = CliRunner(env={"COLUMNS": "100"})
    text = wide.invoke(app, ["run", "pair", "--attr", "broken=1", "--shape", "5,8"]).stdout
    assert "indices: 5 wrong" in text
    assert "5 x 8, broken=True" in text
    assert "int32 result of shape (5,) does not match its golden bit for bit" in text


def test_without_operator_all_of_them_run() -> None:
    results = run("--size", "small", "--dtype", "float32")["results"]
    assert {"swi_glu_grad", "pair"} <= {result["op"] for result in results}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["pair", "--shape", "1,2,3"], "--shape: pair takes 2 extents, T,H, got 3: 1,2,3"),
        (["pair", "--attr", "broken=maybe"], "--attr: broken is true or false"),
        (["swi_glu_grad", "--size", "stress"], "--size: swi_glu_grad has small, medium, large"),
    ],
)
def test_wrong_options(arguments: list[str], word: str) -> None:
    assert word in run(*arguments, status=2)["error"]["message"]
