# SPDX-License-Identifier: Apache-2.0
"""Fixtures that run docs/tutorial's kernels on two schedules with different hazard levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import cannery

Compile = Callable[[str, str], cannery.Kernel]


@pytest.fixture(scope="session")
def tutorial(repository: Path) -> Path:
    return repository / "docs" / "tutorial"


@pytest.fixture
def compile_one(tutorial: Path) -> Compile:
    """Returns a function that compiles a kernel, e.g. compile_one("softmax", "softmax_half")."""
    return lambda file, name: cannery.compile_kernel(tutorial / f"{file}.cpp", name)


@pytest.fixture(
    params=[(1, 0, "auto-sync"), (2, 3, "explicit")],
    ids=["one thread", "two threads, shuffled, every flag explicit"],
)
def schedule(request: pytest.FixtureRequest) -> Iterator[None]:
    threads, core_order, hazards = request.param
    with cannery.use(threads=threads, core_order=core_order, hazards=hazards):
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Returns a generator whose random numbers are the same on every schedule."""
    return np.random.default_rng(list(request.node.originalname.encode()))
