# SPDX-License-Identifier: Apache-2.0
"""Compares the model of time with the measurements in benchmarks/calibrate_timing.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import cannery

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "calibrate_timing.py"
#: Points of the benchmark that cover every effect and every pipe, but run fast.
QUICK = (
    *("P-2", "P-3", "P-4", "P-5", "B-1", "B-2", "B-4", "B-5", "B-7"),
    *("D2", "D3", "D5", "D6", "D7", "D8", "C-3", "C-4", "C-5", "C-6", "C-7", "C-9"),
)


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("calibrate_timing", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["calibrate_timing"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modelled(script: ModuleType, shared_cache: Path) -> dict[str, float]:
    points = tuple(point for point in script.POINTS if point.name in QUICK)
    assert len(points) == len(QUICK)
    points += script.HELD_OUT
    with cannery.use(soc=script.SOC, cache_dir=shared_cache):
        return {point.name: us for point, us in script.rows(points, lambda _: None)}


@pytest.mark.release
@pytest.mark.xdist_group("calibration")
def test_error(script: ModuleType, modelled: dict[str, float]) -> None:
    """The mean error is at most 10 % for measurements that the constants of the model come from."""
    ratios = [modelled[each.name] / each.measured for each in script.POINTS if each.name in QUICK]
    assert script.geometric_error(ratios) <= 1.10


@pytest.mark.release
def test_held_out(script: ModuleType, modelled: dict[str, float]) -> None:
    """The mean error is at most 15 % for measurements that chose no constant of the model."""
    ratios = [modelled[each.name] / each.measured for each in script.HELD_OUT]
    assert script.geometric_error(ratios) <= 1.15


@pytest.mark.release
def test_matmul(script: ModuleType, shared_cache: Path) -> None:
    """The mean error may be 25 % for Matmul: the real library may issue other instructions."""
    points = tuple(point for point in script.POINTS if point.kernel.startswith("matmul"))
    assert len(points) == 5
    with cannery.use(soc=script.SOC, cache_dir=shared_cache):
        found = list(script.rows(points, lambda _: None))
    assert script.geometric_error([us / point.measured for point, us in found]) <= 1.25


@pytest.mark.release
@pytest.mark.xdist_group("calibration")
def test_effects(script: ModuleType, modelled: dict[str, float]) -> None:
    """If a kernel changes, the modelled time changes by nearly the same factor as the real time."""
    measured = {point.name: point.measured for point in script.POINTS + script.HELD_OUT}
    seen = 0
    for what, slow, fast in script.EFFECTS:
        if slow in modelled and fast in modelled:
            want = measured[slow] / measured[fast]
            got = modelled[slow] / modelled[fast]
            assert abs(got / want - 1) <= 0.15, what
            assert want < 1.05 or got > 1, what
            seen += 1
    assert seen == 16
