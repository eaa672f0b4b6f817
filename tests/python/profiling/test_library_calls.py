# SPDX-License-Identifier: Apache-2.0
"""Library calls are timed as the instructions that they stand for: beside each call stands what
the library does for it, written by hand as basic instructions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.profiling import Launch

from . import by_hand_masks, by_hand_softmax
from .by_hand import CALLS, HEAD, KERNEL, source

pytestmark = [
    pytest.mark.twin_only("a card is measured, not modelled"),
    pytest.mark.hazards_off("kernels copy whole buffers out, also where the call writes less"),
]


def run(name: str, shared_cache: Path) -> tuple[Launch, Launch]:
    dtype = {"half": np.float16, "float": np.float32}[CALLS[name][0]]
    x = (np.arange(CALLS[name][1]) % 17 / 16).astype(dtype)
    launches = []
    results = []
    for kernel in ("call", "hand"):
        with cannery.use(cache_dir=shared_cache):
            compiled = cannery.compile_kernel(source(name), kernel)
        y = np.zeros_like(x)
        with cannery.profile() as p:
            compiled(1, x, y)
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
    """Opcode and cycles of what the vector unit did."""
    return [(each.opcode, each.cycles) for each in launch.instructions if each.pipe == "V"]


@pytest.mark.parametrize("name", CALLS)
def test_as_by_hand(name: str, shared_cache: Path) -> None:
    call, hand = run(name, shared_cache)
    assert steps(call) == steps(hand)
    assert call.task_us == pytest.approx(hand.task_us, rel=0.01)
    assert call.formulas == hand.formulas == ()
    assert call.estimated == ()


def test_steps_are_named(shared_cache: Path) -> None:
    """As steps of the call, at the kernel's line."""
    call, _ = run("tanh", shared_cache)
    mine = [each for each in call.operations if each["call"] == "Tanh"]
    assert {each["opcode"] for each in mine} >= {"Cast", "Div", "PipeBarrier"}
    (line,) = {each["line"] for each in mine}
    assert "Tanh(dst" in source("tanh").splitlines()[line - 1]
    assert [each for each in call.lines if each.line == line and "Div" in each.opcodes]


def test_formulas_are_named(shared_cache: Path) -> None:
    """Of a call whose steps are not listed."""
    text = HEAD + KERNEL % ("call", 512, "float", 65536, "float", 512, "Digamma(dst, src, tmp, n);")
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(text, "call")
    with cannery.profile() as p:
        kernel(1, np.ones(512, np.float32), np.ones(512, np.float32))
    assert p.launches[0].formulas == ("Digamma",)
    assert "Digamma" in [each.opcode for each in p.launches[0].instructions]
