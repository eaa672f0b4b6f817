# SPDX-License-Identifier: Apache-2.0
""".ci/run must end commands that take too long, name slow stages, and fail only for failures."""

from __future__ import annotations

import os
import sys
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def ci() -> ModuleType:
    loader = SourceFileLoader("ci_run", str(ROOT / "tools" / "ci.py"))
    spec = spec_from_loader("ci_run", loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.modules["ci_run"] = module  # dataclasses look up their module in sys.modules
    loader.exec_module(module)
    return module


@pytest.mark.parametrize(("command", "passed"), [("true", True), ("false", False)])
def test_outcome(ci: ModuleType, command: str, passed: bool) -> None:
    assert ci.run(command, time.monotonic() + 60) is passed


def test_a_missing_tool_is_named(ci: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert not ci.run(".venv/bin/no-such-tool --check", time.monotonic() + 60)
    assert "there is no .venv/bin/no-such-tool; .ci/run build" in capsys.readouterr().err


def test_what_takes_too_long_ends_with_its_children(ci: ModuleType, tmp_path: Path) -> None:
    held = tmp_path / "held"
    os.mkfifo(held)
    end = os.open(held, os.O_RDONLY | os.O_NONBLOCK)
    assert not ci.run(f"sh -c 'exec 3>{held}; sleep 200 & sleep 200'", time.monotonic() + 1)
    limit = time.monotonic() + 60
    with open(end, "rb", buffering=0) as pipe:
        while (read := pipe.read(1)) is None and time.monotonic() < limit:
            time.sleep(0.02)  # a process still has the FIFO open
    assert read == b""


def test_report(ci: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    quick, slow = ci.Stage("quick", 1, ()), ci.Stage("slow", 2, ())
    slower = ci.Stage("slower", 2, ())
    ci.report([(quick, 0.5, False), (slow, 2.5, True), (slower, 6.0, True)], 9.0)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[-4:] == [
        ["quick", "0.5", "1", "FAILED"],
        ["slow", "2.5", "2", "over", "its", "budget"],
        ["slower", "6.0", "2", "FAILED:", "at", "least", "3", "times", "its", "budget"],
        ["all", "9.0", "5"],
    ]


def test_budgets(ci: ModuleType) -> None:
    stages = ci.stages()
    assert sum(stage.budget for stage in stages) <= 25


def test_a_release_runs_all_that_a_commit_runs(ci: ModuleType) -> None:
    commit, release = ci.stages(), ci.stages(release=True)
    assert {stage.name for stage in commit} <= {stage.name for stage in release}
    commands = str([stage.commands for stage in release])
    for word in (
        "(slow or release)",
        "-m aarch64",
        "tidy.py build/wheel-release'",
        "sanitize.sh --all",
    ):
        assert word in commands


@pytest.mark.parametrize(
    ("outcomes", "status", "ran"),
    [
        ([True, True], 0, ["first", "second"]),
        ([True, False], 1, ["first", "second"]),
        ([False, True], 1, ["first"]),
    ],
)
def test_stages(
    ci: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    outcomes: list[bool],
    status: int,
    ran: list[str],
) -> None:
    done: list[str] = []

    def run(command: str, deadline: float) -> bool:
        done.append(command)
        return outcomes[len(done) - 1]

    stages = [ci.Stage("a", 1, ("first",), needed=True), ci.Stage("b", 1, ("second",))]
    monkeypatch.setattr(ci, "stages", lambda release: stages)
    monkeypatch.setattr(ci, "run", run)
    monkeypatch.setattr(sys, "argv", ["run"])
    assert ci.main() == status
    assert done == ran


@pytest.mark.parametrize(("minutes", "status"), [(2.0, 0), (2.9, 0), (3.0, 1)])
def test_a_stage_at_three_times_its_budget_fails(
    ci: ModuleType, monkeypatch: pytest.MonkeyPatch, minutes: float, status: int
) -> None:
    clock = 0.0

    def run(command: str, deadline: float) -> bool:
        nonlocal clock
        clock += 60 * minutes
        return True

    monkeypatch.setattr(ci, "stages", lambda release: [ci.Stage("a", 1, ("first",))])
    monkeypatch.setattr(ci, "run", run)
    monkeypatch.setattr(ci.time, "monotonic", lambda: clock)
    monkeypatch.setattr(sys, "argv", ["run"])
    assert ci.main() == status
