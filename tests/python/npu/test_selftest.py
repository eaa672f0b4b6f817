# SPDX-License-Identifier: Apache-2.0
"""On the twin, every prediction of cannery selftest must be true. On a card, the report says which
predictions are false."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cannery import selftest
from cannery.cli import selftest as command
from cannery.errors import AclError
from cannery.selftest.probe import Probe, differences
from cannery.testing.toolkit import Toolkit

from ..selection import rest_slow
from .conftest import python

CLI = "from cannery.cli import main; sys.argv = ['cannery', 'selftest', *{}]; main()"


def report(toolkit: Toolkit, *options: str, status: int = 0, **variables: str) -> dict[str, Any]:
    code = CLI.format(repr([*options, "--json"]))
    found: dict[str, Any] = json.loads(python(toolkit, code, status=status, **variables))
    return found


@pytest.mark.parametrize(
    "probe", rest_slow(selftest.all_probes(), 13), ids=lambda probe: probe.name
)
def test_the_twin_does_what_it_predicts(probe: Probe) -> None:
    observed, agrees = probe.observe()
    assert agrees, observed


def test_pages_exist(repository: Any) -> None:
    for probe in selftest.all_probes():
        assert (repository / "docs" / probe.page).is_file()


@pytest.mark.release
@pytest.mark.xdist_group("card")
def test_report_of_a_card(toolkit: Toolkit) -> None:
    found = report(toolkit, "--backend", "npu", CANNERY_BACKEND="")
    assert (found["ok"], found["backend"], found["soc"]) == (True, "npu", "Ascend910B2")
    assert found["runtime"] == f"{toolkit.lib}/libascendcl.so"
    assert found["packages"] == [f"{toolkit.opp}/vendors/cannery"]
    assert {each["op"] for each in found["operators"]} >= {"swi_glu_grad", "nsa_compress_grad"}
    assert len(found["operators"]) >= 10
    # Here the twin replaces the toolkit's libraries and compiler, so all predictions are true.
    assert {each["state"] for each in found["predictions"]} == {"agrees"}


@pytest.mark.release
def test_report_without_a_compiler(toolkit: Toolkit, tmp_path: Path) -> None:
    made = Toolkit(Path(shutil.copytree(toolkit.home, tmp_path / "toolkit", symlinks=True)))
    (made.home / "compiler/ccec_compiler/bin/bisheng").unlink()
    found = report(made, "--backend", "npu", PATH=os.defpath)
    states = {each["name"]: each for each in found["predictions"]}
    assert states["a strided output"]["state"] == "agrees"
    fixpipe = states["Fixpipe rounds 8-bit results"]
    assert fixpipe["state"] == "failed"
    assert "has no bisheng" in fixpipe["observed"]


@pytest.mark.release
@pytest.mark.xdist_group("card")
def test_a_card_that_fails(faulty: Toolkit) -> None:
    found = report(faulty, status=1, FAULTS="kernel=507035")
    assert not found["ok"]
    for each in found["operators"]:
        assert each["error"]["message"].startswith("The aicore execution is abnormal")
    states = {each["name"]: each["state"] for each in found["predictions"]}
    assert states["a strided output"] == "failed"
    assert states["a device that is not there"] == "differs"


@pytest.mark.release
@pytest.mark.xdist_group("card")
def test_a_card_that_copies(faulty: Toolkit) -> None:
    found = report(faulty, FAULTS="unmapped")
    (mapping,) = [each for each in found["predictions"] if "mapped" in each["name"]]
    assert (found["ok"], mapping["state"], mapping["observed"]) == (True, "differs", "copied")


def test_no_card(faulty: Toolkit) -> None:
    said = python(faulty, CLI.format("[]"), status=1, FAULTS="devices=0")
    assert "no Ascend card" in said


@pytest.mark.release
def test_the_text(toolkit: Toolkit) -> None:
    said = python(toolkit, CLI.format("[]"))
    assert "ok       swi_glu_grad float16 small" in said
    assert "agrees    a strided output: moe_token_permute_with_routing_map writes" in said
    assert "agrees    Fixpipe rounds 8-bit results" in said


def test_what_differs_is_shown() -> None:
    got = np.array([1.0, np.nan, -0.0, 4.0], np.float32)
    want = np.array([1.0, np.nan, 0.0, 5.0], np.float32)
    text, agrees = differences(got, want)
    assert not agrees
    assert text.startswith("2 of 4 elements differ: [2] ")
    assert differences(want, want) == ("4 elements as predicted", True)


def test_an_operator_that_is_wrong_is_no_end(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def broken(case: Any) -> Any:
        raise AclError("the card is gone", 507899)

    monkeypatch.setattr(command, "run_case", broken)
    monkeypatch.setattr(selftest, "all_probes", list)
    assert not command.show(None, "small", as_json=False)
    assert capsys.readouterr().out.count("the card is gone") >= 10
