# SPDX-License-Identifier: Apache-2.0
"""The modelled time of a library call must be the time of its instructions. Each call is compared
with the same basic instructions, written by hand."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery._runtime import twin_root
from cannery.profiling import Launch

from ..selection import rest_slow
from . import by_hand_masks, by_hand_softmax
from .by_hand import CALLS, FUNCTION, HEAD, TOGETHER, entry, number, source

ROOT = Path(__file__).resolve().parents[3]

pytestmark = [
    pytest.mark.twin_only("a card is measured, not modelled"),
    pytest.mark.hazards_off("kernels copy whole buffers out, also where the call writes less"),
]


def run(name: str, shared_cache: Path) -> tuple[Launch, Launch]:
    dtype = {"half": np.float16, "float": np.float32}[CALLS[name][0]]
    x = (np.arange(CALLS[name][1]) % 17 / 16).astype(dtype)
    launches = []
    results = []
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(source(name), "work")
    for kind in ("call", "hand"):
        y = np.zeros_like(x)
        # The steps by hand are more code than the call.
        with cannery.profile(without=["code"]) as p:
            # The kernel copies bytes; only its library call knows their type.
            kernel(1, x.view(np.uint8), y.view(np.uint8), number(name, kind))
        launches += p.launches
        results.append(y)
    wrote = {"swiglu": 512, "sum": 4, "quant": 512, "fmod": 256, "atanh": 984, "dequant": 1920}
    wrote |= by_hand_masks.WROTE | by_hand_softmax.WROTE
    wrote |= {"layer_norm_grad_beta": 256, "normalize": 256, "welford_finalize": 16}
    wrote |= {"cumsum": 896, "unpad": 520, "welford_finalize_even": 16}
    count = wrote.get(name, len(x))
    np.testing.assert_allclose(results[0][:count], results[1][:count], rtol=2e-3, atol=1e-3)
    return launches[0], launches[1]


def steps(launch: Launch) -> list[tuple[str, float]]:
    """Returns the opcode and the cycles of each vector instruction."""
    return [(each.opcode, each.cycles) for each in launch.instructions if each.pipe == "V"]


@pytest.mark.parametrize("name", rest_slow(CALLS, TOGETHER))
def test_as_by_hand(name: str, shared_cache: Path) -> None:
    call, hand = run(name, shared_cache)
    assert steps(call) == steps(hand)
    # What the kernel computes between the steps by hand takes time, too.
    scalar = max(0.0, hand.busy_us["AIV"]["S"] - call.busy_us["AIV"]["S"])
    assert -0.01 * hand.task_us <= hand.task_us - call.task_us <= scalar + 0.01 * hand.task_us
    assert call.formulas == hand.formulas == ()
    assert call.estimated == ()


def races(name: str, kind: str, shared_cache: Path) -> set[str]:
    """Returns on which sides of the call ("before", "behind") vector instructions have a race."""
    type_, count = CALLS[name][:2]
    x = (np.arange(count) % 17 / 16).astype({"half": np.float16, "float": np.float32}[type_])
    lines = source(name).splitlines()
    begin = next(i for i, line in enumerate(lines, 1) if f"void {kind}_{name}(" in line)
    before = next(i for i, line in enumerate(lines, 1) if i > begin and "Duplicate(dst, T" in line)
    behind = next(i for i, line in enumerate(lines, 1) if i > begin and "Adds(dst, dst, T" in line)
    found = []
    with cannery.use(cache_dir=shared_cache, hazards="explicit"):
        try:
            kernel = cannery.compile_kernel(source(name), "work")
            kernel(1, x.view(np.uint8), np.zeros_like(x).view(np.uint8), number(name, kind))
        except cannery.HazardError as error:
            found = [each for each in error.hazards if each.first and each.second]
    pairs = {
        (each.first.line, each.second.line)
        for each in found
        if each.first.pipe == each.second.pipe == "V"
    }
    return {"before" for first, second in pairs if first == before and second != behind} | {
        "behind" for first, second in pairs if second == behind and first != before
    }


@pytest.mark.parametrize("name", rest_slow(CALLS, TOGETHER))
def test_barriers_as_by_hand(name: str, shared_cache: Path) -> None:
    """A race of the hand-written instructions is also a race of the call. The call may have more
    races: for the checker, a call writes all results at its end, but instructions write earlier."""
    assert races(name, "hand", shared_cache) <= races(name, "call", shared_cache)


def test_pages_agree() -> None:
    """The documentation lists exactly the library calls that the built twin knows."""
    sys.path.insert(0, str(ROOT / "tools"))
    library_calls = importlib.import_module("library_calls")
    twin = twin_root() / "lib" / "libcannery_twin.so"
    assert library_calls.main(["--check", str(twin)]) == 0
    listed = "".join((ROOT / page).read_text("utf-8") for page in library_calls.PAGES)
    calls = {call.name for call in library_calls.load(twin)}
    assert set(library_calls.ROW.findall(listed)) & calls == calls


def test_every_call_lists_its_steps() -> None:
    """The twin lists the instructions of every function; a call without a list ends the process."""
    sys.path.insert(0, str(ROOT / "tools"))
    library_calls = importlib.import_module("library_calls")
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "twin").rglob("*.h"))
    types = set(re.findall(r"\b(?:struct|class|enum class|enum|using) (\w+)", sources))
    types |= set(re.findall(r"\bTWIN_PARAMETERS\((\w+)", sources))
    values = set(re.findall(r"\bconstexpr (?:inline )?\w+ (\w+)", sources))
    row = re.compile(r"\| `(\w+)` .*\(twin-semantics/advanced-(?:math|norm)\.md\)")
    coverage = (ROOT / "docs" / "api-coverage.md").read_text("utf-8")
    listed = {name for name in row.findall(coverage) if not name.endswith("Tiling")}
    functions = listed - types - values
    twin = twin_root() / "lib" / "libcannery_twin.so"
    assert len(functions) > 60
    assert not functions - {call.name for call in library_calls.load(twin)}


def test_steps_are_named(shared_cache: Path) -> None:
    """The instructions of a library call have the name of the call and the kernel's line."""
    call, _ = run("tanh", shared_cache)
    mine = [each for each in call.operations if each["call"] == "Tanh"]
    assert {each["opcode"] for each in mine} >= {"Cast", "Div", "PipeBarrier"}
    (line,) = {each["line"] for each in mine}
    assert "Tanh(dst" in source("tanh").splitlines()[line - 1]
    assert [each for each in call.lines if each.line == line and "Div" in each.opcodes]


def test_formulas_are_named(shared_cache: Path) -> None:
    """A call whose instructions are not listed is named in `formulas`."""
    text = HEAD + FUNCTION % ("f", 512, "float", 65536, "float", 512, "Digamma(dst, src, tmp, n);")
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(text + entry(["f"]), "work")
    with cannery.profile() as p:
        kernel(1, np.ones(512, np.float32), np.ones(512, np.float32), 0)
    assert p.launches[0].formulas == ("Digamma",)
    assert "Digamma" in [each.opcode for each in p.launches[0].instructions]
