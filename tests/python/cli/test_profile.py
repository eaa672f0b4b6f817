# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery profile`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cannery.cli.app import app

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

KERNEL = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void copy(GM_ADDR x, GM_ADDR y) {
    LocalTensor<float> a(TPosition::VECCALC, 0, 1024);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y);
    DataCopy(a, from, 1024);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, a, 1024);
    PipeBarrier<PIPE_ALL>();
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    file = tmp_path / "copy.cpp"
    file.write_text(KERNEL)
    return f"{file}:copy"


def cannery(*words: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["profile", *map(str, words)])
    return result.exit_code, result.output


def document(*words: object) -> dict[str, Any]:
    status, text = cannery(*words, "--json")
    assert status == 0, text
    found: dict[str, Any] = json.loads(text)
    return found


def test_operator() -> None:
    status, text = cannery("swi_glu_grad", "--size", "small")
    assert status == 0
    assert "us modelled" in text
    assert "AIV" in text
    (launch,) = document("swi_glu_grad", "--shape", "8,64", "--soc", "Ascend910B4")["launches"]
    assert launch["soc"] == "Ascend910B4"
    assert launch["task_us"] > launch["core_us"] > 0
    least, most = launch["task_us_range"]
    assert least < launch["task_us"] < most
    assert {"launch", "core", "code", "tiling"} <= set(launch["startup_us"])
    assert launch["bound"]["resource"] == "start-up"
    for words in ("us modelled, expect ", "Start of the slowest core, us: launch 0.45, "):
        assert words in text
    assert "start-up takes" in text


@pytest.mark.slow
def test_kernel(kernel: str) -> None:
    args = ("--arg", "float32[1024]", "--arg", "float32[1024]=zeros")
    (launch,) = document(kernel, *args, "--blocks", 1)["launches"]
    assert launch["kernel"] == "copy"
    assert launch["gm_bytes"] == 2 * 4096
    assert {line["line"] for line in launch["lines"]} >= {9, 11}


@pytest.mark.slow
def test_keep(kernel: str, tmp_path: Path) -> None:
    """The command says what it left out, and which options have everything."""
    args = (kernel, "--arg", "float32[1024]", "--arg", "float32[1024]=zeros")
    (whole,) = document(*args)["launches"]
    assert whole["kept_instructions"] == whole["instructions"] == 4
    (part,) = document(*args, "--keep", 2)["launches"]
    assert part | {"kept_instructions": 4} == whole
    status, text = cannery(*args, "--keep", 2, "--trace", tmp_path / "t.json")
    assert status == 0
    text = " ".join(text.split())
    assert "keeps the times of the first 2 of 4 instructions" in text
    assert "of 4 instructions are here; --keep 4 --all-cores has all of them." in text
    assert cannery(*args, "--keep", -1)[0] == 2


@pytest.mark.slow
def test_pictures(kernel: str, tmp_path: Path) -> None:
    args = (kernel, "--arg", "float32[1024]", "--arg", "float32[1024]=zeros")
    trace, page = tmp_path / "t.json", tmp_path / "p.html"
    status, text = cannery(*args, "--trace", trace, "--html", page)
    assert status == 0, text
    assert str(trace) in text.replace("\n", "")
    assert json.loads(trace.read_text())["otherData"]["kernel"] == "copy"
    assert "PipeBarrier&lt;PIPE_ALL&gt;();" in page.read_text("utf-8")  # the source's text
    found = document(*args, "--trace", trace, "--html", page, "--all-cores")
    assert (found["trace"], found["html"]) == (str(trace), str(page))
    assert found["launches"][0]["advice"]


def test_saved_and_compared(tmp_path: Path) -> None:
    small, large = tmp_path / "small", tmp_path / "large"
    cannery("swi_glu_grad", "--shape", "64,128", "--save", small)
    cannery("swi_glu_grad", "--shape", "4096,2048", "--save", large)
    status, text = cannery("--diff", small, large)
    assert status == 0
    assert "slower" in text
    (change,) = document("--diff", large, small)["launches"]
    assert change["speedup"] > 1
    (same,) = document("--diff", large, large)["launches"]
    assert same["speedup"] == 1


def test_calibrate(tmp_path: Path, kernel: str) -> None:
    (launch,) = document("swi_glu_grad", "--shape", "64,128", "--dtype", "float16")["launches"]
    file = tmp_path / "card.csv"
    file.write_text(
        "kernel,shape,us,dtype,blocks\n"
        f'swi_glu_grad,"64,128",{launch["task_us"]},float16,\n'
        f"{kernel},float32[1024] float32[1024],1000,,1\n"
    )
    found = document("--calibrate", file)
    assert found["points"][0]["ratio"] == pytest.approx(1)
    ratio = found["points"][1]["ratio"]
    assert ratio < 0.1
    assert found["geometric_mean_error"] == pytest.approx((1 / ratio) ** 0.5)
    assert "Geometric mean" in cannery("--calibrate", file)[1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kernel,us\n", "expected the columns"),
        ("kernel,shape,us\n", "got none"),
        ("kernel,shape,us\na,b,none\n", "line 2"),
        ("kernel,shape,us\na,b,0\n", "line 2"),
        ("kernel,shape,us\na,b\n", "line 2"),
        ("kernel,shape,us\na,b,1,2\n", "line 2"),
    ],
)
def test_calibrate_refuses(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "card.csv"
    file.write_text(text)
    status, output = cannery("--calibrate", file)
    assert status == 2
    assert said in output.replace("\n", " ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "0 targets"),
        (("--diff", "one"), "two saved profiles"),
        (("--diff", "one", "one"), "error: one: cannot be read (No such file or directory)"),
        (("swi_glu_grad", "--calibrate", "x.csv"), "expected no target"),
        (("--calibrate", "missing.csv"), "missing.csv"),
        (("nothing",), "nothing"),
        (("swi_glu_grad", "--all-cores"), "add --trace FILE"),
        (("swi_glu_grad", "--html", "/"), "is a folder"),
        (("swi_glu_grad", "--trace", "/no/such/folder/t.json"), "there is no folder"),
        (("--diff", "a", "b", "--html", "p.html"), "--html: needs an operator"),
        (("--calibrate", "a.csv", "--save", "p"), "--save: needs an operator"),
        (("swi_glu_grad", "--size", "small", "--html", "/proc/p.html"), "cannot be written"),
    ],
)
def test_refused(words: tuple[str, ...], said: str) -> None:
    status, output = cannery(*words)
    assert status in (1, 2)
    assert said in output


RACY = KERNEL.replace("    PipeBarrier<PIPE_ALL>();\n    DataCopy(to", "    DataCopy(to")


def test_a_racy_kernel(tmp_path: Path) -> None:
    """A kernel that still has a race can be profiled, because --hazards turns the check off."""
    file = tmp_path / "copy.cpp"
    file.write_text(RACY)
    words = (f"{file}:copy", "--arg", "float32[1024]", "--arg", "float32[1024]")
    status, text = cannery(*words)
    assert (status, "T801" in text) == (1, True), text
    assert document(*words, "--hazards", "off")["launches"][0]["kernel"] == "copy"
    status, text = cannery(*words, "--hazards", "on")
    assert status == 2
    assert "--hazards: expected one of off, auto-sync, explicit, got 'on'" in text
