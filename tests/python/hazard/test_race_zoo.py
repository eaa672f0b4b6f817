# SPDX-License-Identifier: Apache-2.0
"""The checker must report kernels with races at the right level and lines, and must not report
correct kernels."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import cannery

from .verdicts import BOTH, FAULTS, FILLER, FREED, RACES, UNWRITTEN, Fault, Race
from .zoo import FAMILIES, FOLDER, Place, launch, places, silent

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

Kernels = Callable[[str], Any]


def case(family: str, of: Any, name: str) -> Any:
    """Returns the parameters of a test. Tests of Matmul kernels on vector cores are marked slow."""
    marks = [pytest.mark.slow] if family == "server" else []
    return pytest.param(family, of, id=f"{family}-{name}", marks=marks)


ALL_RACES = [case(family, race, race.name) for family, races in RACES.items() for race in races]
ALL_FAULTS = [
    case(family, fault, fault.name) for family, faults in FAULTS.items() for fault in faults
]
EVERY_NAME = [case(family, name, name) for family in FAMILIES for name in places(family)]
#: Schedules: (worker threads, seed of the order in which blocks start).
SCHEDULES = ((1, 0), (2, 7), (2, 1234), (1, 99))


@pytest.fixture(scope="module")
def kernels() -> Kernels:
    compiled: dict[str, Any] = {}

    def kernel(family: str) -> Any:
        if family not in compiled:
            compiled[family] = cannery.compile_kernel(FOLDER / f"{family}.cpp", family)
        return compiled[family]

    return kernel


def test_the_zoo_is_whole() -> None:
    """Each wrong kernel has an expected finding in verdicts.py, and marks on its wrong lines."""
    for family in FAMILIES:
        known = places(family)
        verdicts = [entry.name for entry in (*RACES.get(family, []), *FAULTS.get(family, []))]
        assert sorted(verdicts) == sorted(name for name, place in known.items() if place.race)
        assert all(known[name].second for name in verdicts)
    assert sum(len(races) for races in RACES.values()) >= 60


def found_by(kernels: Kernels, family: str, race: Race, level: str) -> cannery.HazardError:
    with cannery.use(hazards=level), pytest.raises(cannery.HazardError) as caught:
        launch(kernels(family), family, race.name, mended=False)
    return caught.value


def lines_of(hazard: Any) -> tuple[int | None, int | None]:
    first = hazard.first.line if hazard.first is not None else None
    return first, hazard.second.line if hazard.second is not None else None


@pytest.mark.parametrize("level", BOTH)
@pytest.mark.parametrize(("family", "race"), ALL_RACES)
def test_race(kernels: Kernels, family: str, race: Race, level: str) -> None:
    if level not in race.levels:
        with cannery.use(hazards=level):
            launch(kernels(family), family, race.name, mended=False)
        return
    error = found_by(kernels, family, race, level)
    place = places(family)[race.name]
    assert len(error.hazards) == 1, [str(hazard) for hazard in error.hazards]
    check_hazard(error.hazards[0], family, race, place)
    assert error.code == error.hazards[0].code
    for line in {place.first, place.second} - {None}:
        assert f"{family}.cpp:{line}" in str(error)


def check_hazard(hazard: Any, family: str, race: Race, place: Place) -> None:
    several = FAMILIES[family].several_cores
    pipes = race.pipes.split()
    assert hazard.kind in kinds_of(race, several), str(hazard)
    assert hazard.memory == race.memory
    if race.kind == UNWRITTEN:
        assert hazard.first is None
        assert (hazard.second.line, hazard.second.pipe) == (place.second, pipes[0])
        return
    found = [(each.line, each.pipe) for each in (hazard.first, hazard.second)]
    want = list(zip((place.first, place.second), pipes, strict=True))
    assert found == want, str(hazard)
    for access in (hazard.first, hazard.second):
        assert access.file.endswith(f"{family}.cpp")
    if race.kind not in (FREED, FILLER):
        check_missing(hazard, pipes, several)


def kinds_of(race: Race, several: bool) -> list[str]:
    if race.kind in (UNWRITTEN, FREED, FILLER):
        return [race.kind]
    if not several:
        pipes = race.pipes.split()
        return [f"{race.kind} {'intra' if pipes[0] == pipes[1] else 'inter'}-pipe"]
    return [f"{race.kind} inter-core"]


def check_missing(hazard: Any, pipes: list[str], several: bool) -> None:
    """Checks that the message contains the missing synchronisation in a form that can be pasted."""
    if several:
        same = hazard.first.line == hazard.second.line
        wanted = r"other bytes of GM for each core" if same else r"SyncAll|CrossCoreSetFlag"
        if " for " in hazard.first.core + hazard.second.core:  # a cube core serves a Matmul request
            wanted = (
                r"SyncAll\(\) on the vector|WaitIterateAll\(\) after|HardEvent::MTE2_MTE3> after"
            )
        assert re.search(wanted, hazard.missing)
    elif pipes[0] == pipes[1]:
        assert f"PipeBarrier<PIPE_{pipes[0]}>" in hazard.missing
    else:
        assert f"HardEvent::{pipes[0]}_{pipes[1]}>" in hazard.missing


@pytest.mark.parametrize("level", BOTH)
@pytest.mark.parametrize(("family", "fault"), ALL_FAULTS)
def test_fault(kernels: Kernels, family: str, fault: Fault, level: str) -> None:
    with cannery.use(hazards=level), pytest.raises(cannery.KernelError) as caught:
        launch(kernels(family), family, fault.name, mended=False)
    place = places(family)[fault.name]
    assert caught.value.code == fault.code or isinstance(caught.value, cannery.HazardError)
    assert f"{family}.cpp:{place.second}" in str(caught.value)
    assert re.search(fault.text, str(caught.value))


@pytest.mark.parametrize("level", ["off", *BOTH])
@pytest.mark.parametrize(("family", "name"), EVERY_NAME)
def test_mended(kernels: Kernels, family: str, name: str, level: str) -> None:
    with cannery.use(hazards=level):
        launch(kernels(family), family, name, mended=True)


@pytest.mark.parametrize("level", BOTH)
@pytest.mark.parametrize(("family", "name"), [case(*each, each[1]) for each in silent()])
def test_right_kernel_is_silent(kernels: Kernels, family: str, name: str, level: str) -> None:
    with cannery.use(hazards=level):
        launch(kernels(family), family, name, mended=False)


@pytest.mark.parametrize(("family", "race"), ALL_RACES)
def test_same_findings_on_every_schedule(kernels: Kernels, family: str, race: Race) -> None:
    found = []
    for threads, order in SCHEDULES:
        with cannery.use(threads=threads, core_order=order):
            found.append(found_by(kernels, family, race, "explicit").hazards)
    assert all(hazards == found[0] for hazards in found[1:])


@pytest.mark.slow
@pytest.mark.parametrize("race", RACES["server"], ids=lambda race: race.name)
def test_a_cube_core_serves_in_any_order(kernels: Kernels, race: Race) -> None:
    found = []
    for launched in range(100):
        threads, order = (*SCHEDULES, (2, launched))[launched % 5]
        with cannery.use(threads=threads, core_order=order):
            found.append(found_by(kernels, "server", race, "explicit").hazards)
    assert all(hazards == found[0] for hazards in found[1:])


@pytest.mark.parametrize(("family", "race"), ALL_RACES)
def test_hardware_mode_finds_them_too(kernels: Kernels, family: str, race: Race) -> None:
    with cannery.use(mode="hardware"):
        error = found_by(kernels, family, race, "explicit")
    place = places(family)[race.name]
    assert any(place.second in lines_of(hazard) for hazard in error.hazards)


@pytest.mark.parametrize(("family", "fault"), ALL_FAULTS)
def test_hardware_mode_with_the_checker_lets_no_fault_pass(
    kernels: Kernels, family: str, fault: Fault
) -> None:
    with cannery.use(mode="hardware", hazards="explicit"), pytest.raises(cannery.KernelError):
        launch(kernels(family), family, fault.name, mended=False)
