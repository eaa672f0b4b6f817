# SPDX-License-Identifier: Apache-2.0
"""`cannery run` checks the first call of a case, and times a second one that is not checked."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from cannery import cases
from cannery.checked_operator import report
from cannery.cli import selftest
from cannery.cli.run import run
from cannery.cli.selection import Selection
from cannery.outputs import output_array, untouched


class ProbeRun:
    """Calls that warn of an unwritten element if outputs are filled and PROBE_GAP is set."""

    ideal_bytes = 0

    def __init__(self, calls: list[tuple[str | None, bool]]) -> None:
        self._calls = calls

    def call(self) -> Mapping[str, Any]:
        y = output_array((4,), np.dtype(np.float32))
        self._calls.append((os.environ.get("CANNERY_HAZARDS"), untouched(y) is not None))
        y[...] = 1
        if self._calls[-1][1] and os.environ.get("PROBE_GAP"):
            report("output y of Probe: a gap", "\n  try: this")
        return {"y": y}

    def golden(self) -> Iterator[cases.Block]:
        yield cases.Block("y", slice(0, 4), np.ones(4))

    def yardstick(self) -> object:
        return None


class Probe(cases.Workloads):
    op = "probe"
    type = "Probe"
    dtypes = (np.dtype(np.float32),)
    sizes = MappingProxyType({"small": (4,), "medium": (4,)})

    def __init__(self) -> None:
        self.calls: list[tuple[str | None, bool]] = []

    def prepare(self, case: cases.Case, seed: int) -> ProbeRun:
        return ProbeRun(self.calls)


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Probe:
    monkeypatch.delenv("CANNERY_HAZARDS", raising=False)
    made = Probe()
    monkeypatch.setattr(cases, "_WORKLOADS", {"probe": made})
    monkeypatch.setattr("cannery.cli.run.record", lambda *_: contextlib.nullcontext())  # no launch
    return made


pytestmark = pytest.mark.twin_only("a card is not checked")


def test_the_timed_call_is_not_checked(
    probe: Probe, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(Selection(op="probe", size="small"), as_json=False)
    assert probe.calls == [("auto-sync", True), ("off", False)]
    said = capsys.readouterr().out
    assert "hazards auto-sync, mode strict; the times are those of a second run" in said
    probe.calls.clear()
    monkeypatch.setenv("CANNERY_HAZARDS", "explicit")
    assert run(Selection(op="probe", size="small"), as_json=True)
    assert probe.calls == [("explicit", True), ("off", False)]
    document = json.loads(capsys.readouterr().out)
    assert (document["hazards"], document["mode"]) == ("explicit", "strict")


def test_a_gap_is_wrong(
    probe: Probe, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROBE_GAP", "1")
    assert not run(Selection(op="probe", size="small"), as_json=False)
    said = capsys.readouterr().out
    assert "WRONG" in said
    assert "output y of Probe: a gap" in said


def test_selftest_is_checked_too(
    probe: Probe, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(selftest.selftest, "run", lambda _: [])
    assert selftest.show(None, "small", as_json=False)
    assert probe.calls == [("auto-sync", True), ("off", False)]
    assert "hazards: auto-sync" in capsys.readouterr().out
    monkeypatch.setenv("PROBE_GAP", "1")
    assert not selftest.show(None, "small", as_json=False)
    assert "output y of Probe: a gap" in capsys.readouterr().out


def test_the_project_is_that_of_the_folder(
    probe: Probe, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "op_host").mkdir()
    (tmp_path / "op_host/probe.cpp").write_text("")
    (tmp_path / "pyproject.toml").write_text('[tool.cannery]\nhazards = "explicit"\n')
    monkeypatch.chdir(tmp_path)
    assert run(Selection(op="probe", size="small"), as_json=True)
    assert probe.calls == [("explicit", True), ("off", False)]
