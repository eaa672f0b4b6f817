# SPDX-License-Identifier: Apache-2.0
"""Results must have the same bits, also in NaNs, for every instruction set of the host."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path

import pytest

from ..processes import run_code
from .digests import FAMILIES

#: Instruction sets; the empty one is the default of this host.
ISAS = ("baseline", "x86-64-v3", "x86-64-v4", "")


@pytest.mark.release
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="one version only")
@pytest.mark.parametrize(
    "family",
    [pytest.param(each, marks=[] if each == "cube" else [pytest.mark.slow]) for each in FAMILIES],
)
def test_all_instruction_sets_agree(family: str) -> None:
    FAMILIES[family].compile()  # faster here: this process has a precompiled header
    tests = str(Path(__file__).resolve().parents[1])
    code = (
        f"import sys; sys.path[:0] = {[tests, *sys.path]!r}\n"
        f"from device.digests import show_digests; show_digests({family!r})"
    )
    results = []
    for isa in ISAS:
        done = run_code(code, env={**os.environ, "CANNERY_ISA": isa})
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout))
    assert len(results[0]) > FAMILIES[family].least
    for isa, result in zip(ISAS[1:], results[1:], strict=True):
        differing = [name for name, digest in result.items() if digest != results[0][name]]
        assert not differing, f"{isa} differs from {ISAS[0]} in {differing}"
