# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for projects of operators: the options --backend and --soc, and the fixtures
runner, operator_row and assert_close. pytest loads it wherever cannery is installed.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import cannery
from cannery import settings
from cannery.errors import NotBuiltError, TwinOnlyError

if TYPE_CHECKING:
    import numpy.typing as npt

    from cannery.opgen.model import Operator
    from cannery.testing.rows import OperatorRow


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cannery", "Ascend C operators")
    group.addoption("--backend", choices=("twin", "npu"), help="Who runs the operators.")
    group.addoption(
        "--soc", help="Chip of every test; default: one of each family that the prototype names."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "operator(name): the operator whose combinations operator_row goes through"
    )
    config.addinivalue_line(
        "markers",
        "twin_only(reason): needs what no card has, or not yet; skipped with --backend npu",
    )
    soc = config.getoption("--soc")
    if soc is not None and soc not in settings.SOCS:
        raise pytest.UsageError(f"--soc: expected one of {', '.join(settings.SOCS)}, got {soc!r}")
    try:
        # Without this check, every test would be skipped, and the run would pass.
        settings.refuse_hazards(
            config.getoption("--backend") or "twin", os.environ.get("CANNERY_HAZARDS")
        )
    except TwinOnlyError as error:
        raise pytest.UsageError(f"CANNERY_HAZARDS, --backend: {error}") from None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items if config.getoption("--backend") == "npu" else []:
        marker = item.get_closest_marker("twin_only")
        if marker is not None:
            item.add_marker(pytest.mark.skip(reason=f"twin only: {marker.args[0]}"))


def _judged(config: pytest.Config) -> Generator[None, object, object]:
    """Runs a phase of a test. Skips the test if it needs something that a card does not have. Ends
    the whole run if the operators are not built, because every test would fail.
    """
    try:
        return (yield)
    except NotBuiltError as error:
        pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
    except TwinOnlyError as error:
        if config.getoption("--backend") == "npu":
            pytest.skip(str(error))
        raise


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _judged(item.config))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    return (yield from _judged(item.config))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs tests with operator_row for each combination of dtypes and each family of chips that
    the operator's prototype declares.
    """
    if "operator_row" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("operator")
    if marker is None or len(marker.args) != 1:
        raise pytest.UsageError(
            f"{metafunc.definition.nodeid}: operator_row needs @pytest.mark.operator('my_operator')"
        )
    from cannery.testing.rows import CHIPS, OperatorRow

    root = metafunc.config.rootpath
    # In a project of msopgen, `cannery build` has read the prototypes from the definitions.
    own, read = root / "op_proto", root / "build" / "op_proto"
    op = _prototype(read if read.is_dir() and not own.is_dir() else own, marker.args[0])
    soc = metafunc.config.getoption("--soc")
    socs = [soc] if soc else [CHIPS[family] for family in op.socs]
    rows = [OperatorRow(op, row, each) for row in range(op.rows) for each in socs]
    metafunc.parametrize("operator_row", rows, ids=str, indirect=True)


@functools.cache
def _prototype(folder: Path, name: str) -> Operator:
    from cannery.opgen.build import build
    from cannery.opgen.loader import PrototypeError, load_prototypes

    try:
        ((source, proto),) = load_prototypes(folder, name)
    except PrototypeError as error:
        raise pytest.UsageError(str(error)) from None
    return build(source, proto)


@pytest.fixture
def runner(request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    """Gives cannery with the settings of --backend and --soc; fills outputs with a pattern."""
    from cannery.testing.poison import poisoned_outputs

    option = request.config.option
    with cannery.use(backend=option.backend or ..., soc=option.soc or ...), poisoned_outputs():
        yield cannery


@pytest.fixture
def operator_row(request: pytest.FixtureRequest, runner: ModuleType) -> Iterator[OperatorRow]:
    """Gives one combination of dtypes, on one chip, of the operator in @pytest.mark.operator."""
    row: OperatorRow = request.param
    with runner.use(soc=row.soc):
        yield row


@pytest.fixture(scope="session")
def assert_close() -> Callable[..., None]:
    """Gives `assert_close(got, want, scale=None)`, which calls `cannery.testing.assert_close` with
    the dtype of the result. Several results are passed as tuples.
    """
    from cannery import testing

    def compare(got: Any, want: Any, scale: npt.NDArray[Any] | None = None) -> None:
        pairs = zip(got, want, strict=True) if isinstance(got, tuple) else [(got, want)]
        for one, other in pairs:
            testing.assert_close(one, other, one.dtype, scale)

    return compare
