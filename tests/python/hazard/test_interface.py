# SPDX-License-Identifier: Apache-2.0
"""Tests how a user turns hazard checks on, what a finding says, and where findings are allowed."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import cannery
from cannery.cli.app import app
from cannery.errors import HazardAccess

SOURCE = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)out);
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> tile = buffer.Get<float>();
    for (int i = 0; i < 4; ++i) {
        DataCopy(tile, from[i * 256], 256);
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        Adds(tile, tile, 1.0f, 256);
        Adds(tile, tile, 1.0f, 256);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(to[i * 256], tile, 256);
        BACK
    }
}
"""
BACK = "SetFlag<HardEvent::MTE3_MTE2>(0); WaitFlag<HardEvent::MTE3_MTE2>(0);"
RACY = SOURCE.replace("BACK", "")
GOOD = SOURCE.replace("BACK", BACK)


def line_of(source: str, text: str) -> int:
    return next(i for i, line in enumerate(source.splitlines(), 1) if text in line)


def run(source: str) -> None:
    x = np.arange(1024, dtype=np.float32)
    cannery.compile_kernel(source, "scale")(1, x, np.empty_like(x))


def found(source: str, level: str) -> cannery.HazardError:
    with cannery.use(hazards=level), pytest.raises(cannery.HazardError) as caught:
        run(source)
    return caught.value


def test_a_finding_names_both_sides_and_the_missing_edge() -> None:
    error = found(RACY, "auto-sync")
    loads = line_of(RACY, "DataCopy(tile")
    stores = line_of(RACY, "DataCopy(to")
    hazard = next(each for each in error.hazards if each.first and each.first.line == stores)
    assert hazard.first == HazardAccess("0 AIV", "MTE3", "DataCopy", "scale.cpp", stores)
    assert hazard.second == HazardAccess("0 AIV", "MTE2", "DataCopy", "scale.cpp", loads)
    assert (hazard.code, hazard.kind, hazard.memory) == ("T802", "WAR inter-pipe", "UB")
    assert (hazard.begin, hazard.bytes, hazard.place, hazard.count) == (0, 1024, "TBuf #0[0]", 3)
    assert hazard.missing == (
        f"SetFlag<HardEvent::MTE3_MTE2> after line {stores}, "
        f"WaitFlag before line {loads} of the next round"
    )
    assert isinstance(error, cannery.KernelError)
    assert error.code == error.hazards[0].code
    assert error.line == error.hazards[0].second.line
    assert not error.incomplete
    assert hazard.missing in str(error)


def test_levels_differ_by_what_the_compiler_puts_in() -> None:
    with cannery.use(hazards="off"):
        run(RACY)
    with cannery.use(hazards="auto-sync"):
        run(GOOD)
    error = found(GOOD, "explicit")
    first = line_of(GOOD, "Adds(")
    assert [(h.code, h.first.line, h.second.line) for h in error.hazards if h.first] == [
        ("T801", first, first + 1)
    ]
    assert f"PipeBarrier<PIPE_V> between line {first}" in error.hazards[0].missing


def test_the_environment_asks_for_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_HAZARDS", "auto-sync")
    with pytest.raises(cannery.HazardError):
        run(RACY)
    monkeypatch.setenv("CANNERY_HAZARDS", "loud")
    with pytest.raises(cannery.AclError, match="CANNERY_HAZARDS=loud: expected off, auto-sync"):
        run(GOOD)


@pytest.fixture(autouse=True)
def nobody_has_said() -> None:
    """Before each test, removes the hazard level that an earlier test has set."""
    cannery.use(hazards=None)


def test_kernels_are_checked_unless_somebody_says_otherwise() -> None:
    assert "CANNERY_HAZARDS" not in os.environ
    with pytest.raises(cannery.HazardError) as caught:
        run(RACY)
    assert caught.value.level == "auto-sync"


def test_operators_are_checked_on_demand(tmp_path: Path) -> None:
    x = np.ones((4, 64), np.float32)
    for level in (None, "off", "auto-sync", "explicit"):
        with cannery.use(hazards=level):
            cannery.swi_glu_grad(np.ones((4, 32), np.float32), x)


def test_wrong_levels_are_refused() -> None:
    with pytest.raises(ValueError, match="hazards: expected one of off, auto-sync, explicit"):
        cannery.use(hazards="all")
    assert "CANNERY_HAZARDS" not in os.environ


def test_a_card_is_refused_before_it_is_looked_for() -> None:
    with pytest.raises(cannery.BackendError, match="asks for the twin's hazard checker"):
        cannery.use(backend="npu", hazards="explicit")
    with (
        cannery.use(hazards="auto-sync"),
        pytest.raises(cannery.BackendError, match="asks for the twin's hazard checker"),
    ):
        cannery.use(backend="npu")
    with pytest.raises(RuntimeError) as caught:  # no card, or the process has loaded the twin
        cannery.use(backend="npu", hazards="off")
    assert "hazard" not in str(caught.value)


def test_a_card_is_refused_in_every_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_BACKEND", "npu")
    with pytest.raises(cannery.BackendError, match="asks for the twin's hazard checker"):
        cannery.use(hazards="auto-sync")
    cannery.use(hazards="off")
    cannery.use(hazards=None)


@pytest.mark.parametrize("mode", ["strict", "hardware"])
def test_it_works_in_both_modes_and_beside_a_dump(mode: str, tmp_path: Path) -> None:
    dump = tmp_path / "stream.jsonl"
    x = np.arange(1024, dtype=np.float32)
    kernel = cannery.compile_kernel(RACY, "scale")
    with (
        cannery.use(mode=mode, hazards="auto-sync"),  # type: ignore[arg-type]
        pytest.raises(cannery.HazardError),
    ):
        kernel(1, x, np.empty_like(x), dump=dump)
    assert any(each["opcode"] == "Adds" for each in cannery.read_dump(dump))


MANY = f"""\
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void many(GM_ADDR x) {{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2048);
    LocalTensor<float> tile = buffer.Get<float>();
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)x);
    DataCopy(tile, gm, 8);
{("    DataCopy(tile, gm, 8);" + chr(10)) * 29}}}
"""


@pytest.mark.parametrize("mode", ["strict", "hardware", "pedantic"])
def test_twenty_are_shown_and_all_are_listed(mode: str) -> None:
    kernel = cannery.compile_kernel(MANY, "many")
    x = np.zeros(64, np.float32)
    with cannery.use(mode=mode), pytest.raises(cannery.HazardError) as caught:  # type: ignore[arg-type]
        kernel(2, x, record=True)
    error = caught.value
    assert len(error.hazards) == 29
    assert str(error).count("    second:") == 20
    assert "and 9 more" in str(error)
    # Findings are in the program order of block 0. Block 1 has equal findings, so each count is 2.
    assert [hazard.second.line for hazard in error.hazards] == list(range(11, 40))
    assert {hazard.second.core for hazard in error.hazards} == {"0 AIV"}
    assert {hazard.count for hazard in error.hazards} == {2}
    assert error.code == error.hazards[0].code
    assert error.line == error.hazards[0].second.line
    assert not error.incomplete
    assert "many" in str(kernel.ub_map())  # there is a map although the launch has findings


def test_an_error_of_another_kind_comes_first() -> None:
    wrong = RACY.replace("to[i * 256]", "to[i * 512]")
    with cannery.use(hazards="explicit"), pytest.raises(cannery.KernelError) as caught:
        run(wrong)
    assert caught.value.code == "T101"
    assert not isinstance(caught.value, cannery.HazardError)


def test_a_comment_with_a_reason_allows_a_finding(tmp_path: Path) -> None:
    def launch(comment: str) -> None:
        file = tmp_path / "scale.cpp"
        mark = "DataCopy(tile, from[i * 256], 256);"
        file.write_text(RACY.replace(mark, f"{mark}  {comment}"))
        x = np.arange(1024, dtype=np.float32)
        cannery.compile_kernel(file, "scale")(1, x, np.empty_like(x))

    with cannery.use(hazards="auto-sync"):
        launch("// hazard-ok: T802 the copy is slower")
        with pytest.raises(cannery.HazardError) as caught:
            launch("// hazard-ok: T803 the copy is slower")
        assert [hazard.code for hazard in caught.value.hazards] == ["T802"]
        with pytest.raises(cannery.HazardError) as caught:
            launch("// hazard-ok: T802")
        assert [hazard.code for hazard in caught.value.hazards] == ["T802"]


def test_the_error_can_be_pickled() -> None:
    error = found(RACY, "auto-sync")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301  bytes that this test made
    assert copy.hazards == error.hazards
    assert str(copy) == str(error)


def test_schedules_find_the_same() -> None:
    seen = set()
    for threads, order in ((1, 0), (2, 0), (2, 5), (1, 9)):
        with cannery.use(threads=threads, core_order=order):
            seen.add(str(found(RACY, "explicit")))
    assert len(seen) == 1


def test_the_command_line_prints_them(tmp_path: Path) -> None:
    file = tmp_path / "scale.cpp"
    file.write_text(RACY)
    words = ["run", f"{file}:scale", "--arg", "float32[1024]", "--arg", "float32[1024]"]
    assert CliRunner().invoke(app, [*words, "--hazards", "off"]).exit_code == 0
    shown = CliRunner().invoke(app, [*words, "--hazards", "auto-sync", "--json"])
    assert shown.exit_code == 1
    error = json.loads(shown.stdout)["error"]
    assert error["type"] == "HazardError"
    assert error["hazards"][0]["second"]["line"] == line_of(RACY, "DataCopy(tile")
    shown = CliRunner().invoke(app, [*words, "--hazards", "explicit"])
    assert shown.exit_code == 1
    assert "missing: SetFlag<HardEvent::MTE3_MTE2>" in shown.stderr
    assert "CANNERY_HAZARDS" not in os.environ
