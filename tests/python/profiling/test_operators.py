# SPDX-License-Identifier: Apache-2.0
"""The modelled times of the five operators must agree with the committed table and pages."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import cannery
from cannery import _runtime, cases
from cannery.profiling.page_html import render_page
from cannery.testing import assert_modelled_us

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "modelled_operators.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("modelled_operators", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "size",
    ["small", *(pytest.param(each, marks=pytest.mark.release) for each in ("medium", "large"))],
)
def test_table(script: ModuleType, size: str) -> None:
    table = json.loads(script.TABLE.read_text(encoding="utf-8"))
    want = {name: us for name, us in table.items() if name.endswith(f" {size}")}
    assert len(want) == 5
    assert dict(script.modelled([size])) == want


@pytest.mark.parametrize("op", cases.names())
def test_page_is_of_the_table_and_of_these_sources(script: ModuleType, op: str) -> None:
    text = (script.PAGES / f"{op}.json").read_text(encoding="utf-8")
    assert len(text) < 300_000
    assert str(script.ROOT) not in text
    page = json.loads(text)
    data = page["timeline"]
    table = json.loads(script.TABLE.read_text(encoding="utf-8"))
    (us,) = [us for name, us in table.items() if name.split()[::2] == [op, script.PAGE_SIZE]]
    again = "python benchmarks/modelled_operators.py --write"
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
    _, (launch, *_) = script.launches(op, script.PAGE_SIZE)
    assert script.page(launch) == (script.PAGES / f"{op}.json").read_text(encoding="utf-8")


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
