# SPDX-License-Identifier: Apache-2.0
"""Fixtures that compile the kernels of the device tests once per run."""

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
    """Returns compile_device(name, defines=None, **options). It compiles a kernel of
    tests/fixtures/kernels/device with the options of compile_kernel."""

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
    """Returns a machine that runs single vector instructions and compares them with NumPy."""
    return VectorMachine(compile_device("vector", {f"OP_{op}": i for i, op in enumerate(OPS)}))


@pytest.fixture(scope="session")
def reduce(compile_device: Compile) -> ReduceMachine:
    """Returns a machine that runs single reductions and compares them with NumPy."""
    return ReduceMachine(
        compile_device("reduce", {f"OP_{op}": i for i, op in enumerate(REDUCTIONS)})
    )


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Returns a generator of random numbers, whose seed depends only on the test's name."""
    return np.random.default_rng(list(request.node.name.encode()))


@pytest.fixture(autouse=True)
def replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeats every launch on several schedules if test_suite_determinism.py started this run."""
    if schedules.REPORT:
        monkeypatch.setattr(cannery.compile.Kernel, "__call__", schedules.launch_and_replay)
