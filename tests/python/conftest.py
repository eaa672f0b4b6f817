# SPDX-License-Identifier: Apache-2.0
"""Every test gets poisoned outputs, default settings and a kernel cache that is not the user's."""

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
from cannery.testing.toolkit import make_toolkit

from .precompiled import FOLDER, use_precompiled_header

# Every run uses the same examples on every machine; nothing of an earlier run decides. There is no
# deadline, because the first launch of a process opens the device, so one example takes far longer
# than the others.
hypothesis.settings.register_profile(
    "cannery", deadline=None, derandomize=True, database=None, print_blob=True
)
# `pytest --hypothesis-profile=explore [--hypothesis-seed=N]` takes other examples, for a search by
# hand.
hypothesis.settings.register_profile("explore", deadline=None, database=None, print_blob=True)
hypothesis.settings.load_profile("cannery")

# Hypothesis keeps notes on the sources even without a database; this folder is deleted with the
# process.
_hypothesis_home = tempfile.TemporaryDirectory(prefix="hypothesis-")
set_hypothesis_home_dir(_hypothesis_home.name)

#: A test that calls a project's operators adds their package here, for the whole process.
PACKAGES = "ASCEND_CUSTOM_OPP_PATH"
OWN_VARIABLES = ("CANNERY_", PACKAGES)
#: The variable that names a folder for compiled kernels, for a run that shares it with others.
KERNELS = "KERNELS_FOR_TESTS"
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ

REPOSITORY = Path(__file__).resolve().parents[2]


def on_card(config: pytest.Config) -> bool:
    return config.getoption("--backend") == "npu"


def pytest_configure(config: pytest.Config) -> None:
    """Without a toolkit, --backend npu gets a folder that looks like one and holds the twin's
    libraries."""
    config.addinivalue_line(
        "markers", "hazards_off(reason): its kernels race, or show what nobody wrote, on purpose"
    )
    if not on_card(config):
        if not IS_WORKER and FOLDER not in os.environ:
            header = tempfile.TemporaryDirectory(prefix="precompiled-")
            config.add_cleanup(header.cleanup)
            os.environ[FOLDER] = header.name  # for the workers and the programs that they start
        return
    if not os.environ.get("ASCEND_HOME_PATH"):
        folder = tempfile.TemporaryDirectory(prefix="toolkit-")
        config.add_cleanup(folder.cleanup)
        make_toolkit(Path(folder.name)).set_up()
    os.environ["CANNERY_BACKEND"] = "npu"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With --dist loadgroup the tests of a file run on one worker, which compiles the kernels and
    builds the projects of that file once; the tests of a group still run one after the other."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group: str = super()._split_scope(nodeid)
            return group.partition("::")[0]

    config.option.loadscopereorder = False  # a file of few tests may be the longest
    return ByFile(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    """A single test is faster without a precompiled header, so this is for pytest -n."""
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
    """Returns the checkout's wheel. It is made in the build folder, so its tests are one group."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
    options = ["-C", "build-dir=build/wheel-release", "-w", str(folder), str(repository)]
    subprocess.run([*pip, *options], check=True, cwd=repository)
    (made,) = folder.glob("cannery-*.whl")
    return made


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All tests of a run share one cache, so a kernel that several tests use is compiled once. CI's
    stages share one, too.
    """
    given = os.environ.get(KERNELS)
    if given:
        return Path(given)
    root = tmp_path_factory.getbasetemp()
    # The workers of pytest -n have their own folders below the one of the run.
    return (root.parent if IS_WORKER else root) / "cache"


@pytest.fixture(autouse=True)
def own_settings(request: pytest.FixtureRequest, shared_cache: Path) -> Iterator[None]:
    """Sets the defaults, or the values of --backend and --soc, before a test and restores them
    after it."""
    before = {name: value for name, value in os.environ.items() if name.startswith(OWN_VARIABLES)}
    for name in before:
        if name != PACKAGES:
            del os.environ[name]
    option = request.config.option
    cannery.use(backend=option.backend, soc=option.soc, cache_dir=shared_cache)
    if not on_card(request.config):
        # Checks our operators' calls too, which a user's program makes unchecked.
        unordered = request.node.get_closest_marker("hazards_off")
        cannery.use(hazards="auto-sync" if unordered is None else "off")
    yield
    for name in [name for name in os.environ if name.startswith(OWN_VARIABLES)]:
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(autouse=True)
def poison() -> Iterator[None]:
    """Poisons outputs, so that bytes that an operator forgets to write are not zero by luck."""
    with poisoned_outputs():
        yield
