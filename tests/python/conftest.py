# SPDX-License-Identifier: Apache-2.0
"""Gives every test default settings, outputs filled with a poison pattern, and one shared cache."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis.configuration import set_hypothesis_home_dir

import cannery
from cannery.testing import poisoned_outputs
from cannery.testing.plugin import hazards_of
from cannery.testing.toolkit import make_toolkit

from .precompiled import FOLDER, use_precompiled_header

# Hypothesis uses the same examples in every run on every machine. There is no deadline, because the
# first launch of a process opens the device and takes far longer than the others.
hypothesis.settings.register_profile(
    "cannery", deadline=None, derandomize=True, database=None, print_blob=True
)
# `pytest --hypothesis-profile=explore [--hypothesis-seed=N]` searches with other examples.
hypothesis.settings.register_profile("explore", deadline=None, database=None, print_blob=True)
hypothesis.settings.load_profile("cannery")

# Hypothesis writes files even without a database. This folder is deleted when the process ends.
_hypothesis_home = tempfile.TemporaryDirectory(prefix="hypothesis-")
set_hypothesis_home_dir(_hypothesis_home.name)

#: Variable with folders of operator packages. A project's tests set it for the whole process.
PACKAGES = "ASCEND_CUSTOM_OPP_PATH"
OWN_VARIABLES = ("CANNERY_", PACKAGES)
#: Variable with the folder for compiled kernels that several test runs share.
KERNELS = "KERNELS_FOR_TESTS"
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ

REPOSITORY = Path(__file__).resolve().parents[2]
#: What a run compiles stays here. `./build.sh clean` deletes the folder.
FOR_TESTS = REPOSITORY / "build" / "for-tests"


def on_card(config: pytest.Config) -> bool:
    return config.getoption("--backend") == "npu"


def pytest_configure(config: pytest.Config) -> None:
    """For the twin, names the folders for kernels and precompiled headers, which later runs use
    again. For --backend npu without a toolkit, makes a folder that has the toolkit's layout and the
    twin's libraries."""
    if not on_card(config):
        # Sets the variables for the workers and the programs that they start, too.
        os.environ.setdefault(KERNELS, str(FOR_TESTS / "kernels"))
        os.environ.setdefault(FOLDER, str(FOR_TESTS / "precompiled"))
        return
    if not os.environ.get("ASCEND_HOME_PATH"):
        folder = tempfile.TemporaryDirectory(prefix="toolkit-")
        config.add_cleanup(folder.cleanup)
        make_toolkit(Path(folder.name)).set_up()
    os.environ["CANNERY_BACKEND"] = "npu"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With --dist loadgroup, runs all tests of a file on one worker, so that the file's kernels and
    projects are built once. The tests of a group still run one after another."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group: str = super()._split_scope(nodeid)
            return group.partition("::")[0]

    config.option.loadscopereorder = False  # do not sort files by their number of tests
    return ByFile(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Makes a precompiled header for pytest -n; a single test is faster without it."""
    if IS_WORKER and not on_card(session.config):
        use_precompiled_header()


def pytest_report_header(config: pytest.Config) -> list[str]:
    return [f"toolkit: {os.environ['ASCEND_HOME_PATH']}"] if on_card(config) else []


@pytest.fixture(scope="session")
def repository() -> Path:
    """Returns the root of the checkout."""
    return REPOSITORY


@pytest.fixture(scope="session")
def kernels() -> Path:
    """Returns the folder with kernel sources as users write them."""
    return REPOSITORY / "tests" / "fixtures" / "kernels"


@pytest.fixture(scope="session")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the checkout's wheel. Tests that use it are one group: they share a build folder."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
    options = ["-C", "build-dir=build/wheel-release", "-w", str(folder), str(repository)]
    subprocess.run([*pip, *options], check=True, cwd=repository)
    (made,) = folder.glob("cannery-*.whl")
    return made


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the cache that all tests of a run share, so that each kernel is compiled once. Other
    runs and the stages of CI share it, too; on a card, each run has its own."""
    given = os.environ.get(KERNELS)
    if given:
        return Path(given)
    root = tmp_path_factory.getbasetemp()
    # With pytest -n, the folder of each worker is inside the folder of the run.
    return (root.parent if IS_WORKER else root) / "cache"


@pytest.fixture(autouse=True)
def own_settings(request: pytest.FixtureRequest, shared_cache: Path) -> Iterator[None]:
    """Sets the defaults, or the values of --backend and --soc, before a test. Restores the old
    settings after it."""
    before = {name: value for name, value in os.environ.items() if name.startswith(OWN_VARIABLES)}
    for name in before:
        if name != PACKAGES:
            del os.environ[name]
    option = request.config.option
    cannery.use(backend=option.backend, soc=option.soc, cache_dir=shared_cache)
    if not on_card(request.config):
        # Turns on hazard checks, also for cannery's operators. Their default is no check.
        cannery.use(hazards=hazards_of(request.node) or "auto-sync", mode=option.mode)
    yield
    for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(autouse=True)
def poison() -> Iterator[None]:
    """Fills outputs with a poison pattern, so that unwritten bytes are not zero by chance."""
    with poisoned_outputs():
        yield
