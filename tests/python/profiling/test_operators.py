# SPDX-License-Identifier: Apache-2.0
"""The modelled times of the five operators must agree with the kept figures and pages."""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import _runtime, cases
from cannery.profiling.page_html import render_page
from cannery.testing import assert_modelled_us

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def script_of(name: str) -> ModuleType:
    """Imports benchmarks/<name>.py, which imports other files of benchmarks/."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        return importlib.import_module(name)


@pytest.fixture(scope="module")
def kernels() -> ModuleType:
    return script_of("bench_kernels")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return script_of("profile_pages")


def table_of(kernels: ModuleType) -> dict[str, dict[str, Any]]:
    table: dict[str, dict[str, Any]] = json.loads(kernels.TABLE.read_text(encoding="utf-8"))
    return table


@pytest.mark.parametrize("op", cases.names())
@pytest.mark.parametrize(
    "kind",
    [
        "small",
        *(pytest.param(each, marks=pytest.mark.release) for each in ("medium", "large", "awkward")),
    ],
)
def test_table(kernels: ModuleType, kind: str, op: str) -> None:
    want = {name: each for name, each in table_of(kernels)[op].items() if each["kind"] == kind}
    assert want
    found = {entry.name: figures for entry, figures in kernels.modelled([op], [kind])}
    assert found == want, "python benchmarks/bench_kernels.py --write"


@pytest.mark.parametrize("op", cases.names())
def test_table_has_the_grid_and_no_launch_below_its_roofline(kernels: ModuleType, op: str) -> None:
    rows = table_of(kernels)[op]
    assert list(rows) == [entry.name for entry in kernels.entries(op)]
    assert len(rows) >= 10
    for name, each in rows.items():
        assert each["us"] >= each["ideal_us"], name
        assert each["ideal_us"] == pytest.approx(max(each["terms"].values()), abs=1e-3)


def test_the_page_of_performance_shows_the_table(
    kernels: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = sys.modules["kernels.page"]
    for name in ("PAGE", "PICTURE"):
        kept = getattr(page, name)
        copy = tmp_path / kept.name
        copy.write_text(kept.read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.setattr(page, name, copy)
        monkeypatch.setattr(page, f"KEPT_{name}", kept, raising=False)
    kernels.write_page(table_of(kernels), kernels.ratio, kernels.misses_goal)
    for name in ("PAGE", "PICTURE"):
        kept = getattr(page, f"KEPT_{name}").read_text(encoding="utf-8")
        assert getattr(page, name).read_text(encoding="utf-8") == kept


@pytest.mark.parametrize("op", cases.names())
def test_page_is_of_the_table_and_of_these_sources(
    kernels: ModuleType, script: ModuleType, op: str
) -> None:
    text = (script.PAGES / f"{op}.json").read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert str(script.ROOT) not in text
    page = json.loads(text)
    data = page["timeline"]
    us = next(each["us"] for each in table_of(kernels)[op].values() if each["kind"] == "medium")
    again = "python benchmarks/profile_pages.py --write"
    assert round(data["task"] / 1e3, 3) == us, again
    assert round(page["launch"]["task_us"], 3) == us, again
    assert data["sources"]
    for name, digest in data["sources"].items():
        content = (script.ROOT / name).read_bytes()
        assert hashlib.sha256(content).hexdigest()[:16] == digest, f"{name}: {again}"


@pytest.mark.parametrize("op", cases.names())
def test_the_build_has_rendered_the_page(script: ModuleType, op: str) -> None:
    built = _runtime.twin_root() / "docs" / "profiles" / f"{op}.html"
    page = json.loads((script.PAGES / f"{op}.json").read_text(encoding="utf-8"))
    assert built.read_text(encoding="utf-8") == render_page(page)


@pytest.mark.release
@pytest.mark.parametrize("op", cases.names())
def test_page_is_what_would_be_written(script: ModuleType, op: str) -> None:
    assert script.page(script.launch_of(op)) == (script.PAGES / f"{op}.json").read_text(
        encoding="utf-8"
    )


def test_same_figures_always() -> None:
    """A kernel whose cube and vector cores wait for each other has the same times on all
    schedules."""
    workloads = cases.find("grouped_matmul_finalize_routing")
    prepared = workloads.prepare(workloads.case("small", workloads.dtypes[0]), 0)
    found = []
    settings: list[dict[str, int]] = [{"threads": 1}, {"threads": 2}, {"core_order": 5}]
    for each in settings:
        with cannery.use(**each), cannery.profile() as p:  # type: ignore[arg-type]
            prepared.call()
        found.append(p.launches[0])
    assert found[1].header == found[0].header
    assert found[2].header == found[0].header
    np.testing.assert_array_equal(found[1].instructions.rows, found[0].instructions.rows)
    np.testing.assert_array_equal(found[2].instructions.rows, found[0].instructions.rows)


def test_assert_modelled_us() -> None:
    with cannery.profile() as p:
        cannery.swi_glu_grad(np.ones((64, 32), np.float16), np.ones((64, 64), np.float16))
    (launch,) = p.launches
    assert_modelled_us(launch, at_most=launch.task_us)
    with pytest.raises(AssertionError, match=r"swi_glu_grad takes .* 2\.00 x the") as caught:
        assert_modelled_us(launch, at_most=launch.task_us / 2)
    assert "is busy for" in str(caught.value)
    assert ".h:" in str(caught.value)
    with pytest.raises(TypeError, match="launch: expected one of"):
        assert_modelled_us(p, at_most=1)  # type: ignore[arg-type]
