# SPDX-License-Identifier: Apache-2.0
"""Compiles the device tests' kernels once per run, and offers a vector unit for single cases."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from . import schedules
from .reduce_machine import ReduceMachine
from .reduce_model import OPS as REDUCTIONS
from .vector_machine import VectorMachine
from .vector_model import OPS

DEVICE_KERNELS = Path(__file__).resolve().parents[2] / "fixtures" / "kernels" / "device"

Compile = Callable[..., Any]


@pytest.fixture(scope="session")
def compile_device(shared_cache: Path) -> Compile:
    """compile_device(name, defines=None, **options) compiles a kernel of
    tests/fixtures/kernels/device; the options are those of compile_kernel."""

    def compile_one(name: str, defines: dict[str, Any] | None = None, **options: bool) -> Any:
        before = os.environ.get("CANNERY_CACHE_DIR")
        os.environ["CANNERY_CACHE_DIR"] = str(shared_cache)
        try:
            source = DEVICE_KERNELS / f"{name}.cpp"
            return cannery.compile_kernel(source, name, defines, **options)
        finally:
            if before is None:
                del os.environ["CANNERY_CACHE_DIR"]
            else:
                os.environ["CANNERY_CACHE_DIR"] = before

    return compile_one


@pytest.fixture(scope="session")
def machine(compile_device: Compile) -> VectorMachine:
    """Runs single vector instructions and compares them with the NumPy model."""
    return VectorMachine(compile_device("vector", {f"OP_{op}": i for i, op in enumerate(OPS)}))


@pytest.fixture(scope="session")
def reduce(compile_device: Compile) -> ReduceMachine:
    """Runs single reductions and compares them with the NumPy model."""
    return ReduceMachine(
        compile_device("reduce", {f"OP_{op}": i for i, op in enumerate(REDUCTIONS)})
    )


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Returns random numbers that depend on the test's name only."""
    return np.random.default_rng(list(request.node.name.encode()))


@pytest.fixture(autouse=True)
def replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeats launches on several schedules where test_suite_determinism.py asks for it."""
    if schedules.REPORT:
        monkeypatch.setattr(cannery.compile.Kernel, "__call__", schedules.launch_and_replay)
