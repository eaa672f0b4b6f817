# SPDX-License-Identifier: Apache-2.0
"""The same bits, NaN patterns included, whatever instruction set the host has."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import DEVICE_KERNELS
from .vector_machine import VectorMachine

ISAS = ("baseline", "x86-64-v3", "x86-64-v4")


def start(isa: str) -> subprocess.Popen[str]:
    tests = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join([tests, *(p for p in sys.path if p)])
    command = [sys.executable, "-m", "device.isa_digest", str(DEVICE_KERNELS / "vector.cpp")]
    environment = {**os.environ, "CANNERY_ISA": isa, "PYTHONPATH": path}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="one version only")
def test_all_instruction_sets_agree(machine: VectorMachine) -> None:
    running = [start(isa) for isa in ISAS]
    results: list[dict[str, Any]] = []
    for process in running:
        text, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        results.append(json.loads(text))
    assert len(results[0]) > 100
    for isa, result in zip(ISAS[1:], results[1:], strict=True):
        differing = [name for name, words in result.items() if words != results[0][name]]
        assert not differing, f"{isa} differs from {ISAS[0]} in {differing}"
