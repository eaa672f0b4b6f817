# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for projects of operators: the options --backend, --soc, --hazards and --mode,
and the fixtures runner, operator_row and assert_close. pytest loads it wherever cannery is
installed. In the folder of a project, the plugin makes the twin check every launch.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

import cannery
from cannery import (
    build_stamp,
    checked_operator,
    outputs,
    packages,
    project_settings,
    settings,
)
from cannery.errors import CanneryError, IncompleteOutputError, NotBuiltError, TwinOnlyError

if TYPE_CHECKING:
    import numpy.typing as npt

    from cannery.opgen.model import Operator
    from cannery.testing.rows import OperatorRow

#: How the launches of this run are checked.
_CHECKED = pytest.StashKey[dict[str, str]]()
#: Markers that turn a check off, and an example of the reason that each marker needs.
_REASONS = {
    "hazards_off": "two cores hand words over by polling",
    "incomplete_outputs": "rows without a token keep their old values",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("cannery", "Ascend C operators")
    group.addoption("--backend", choices=("twin", "npu"), help="Who runs the operators.")
    group.addoption(
        "--soc", help="Chip of every test; default: one of each family that the prototype names."
    )
    group.addoption(
        "--hazards",
        choices=settings.HAZARDS,
        help="How the order of memory accesses is checked; default in a project: auto-sync.",
    )
    group.addoption(
        "--mode", choices=settings.MODES, help="The twin's mode; default in a project: strict."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "operator(name): the operator whose combinations operator_row goes through"
    )
    config.addinivalue_line(
        "markers",
        "twin_only(reason): needs something that cards do not have, or that "
        "the npu backend does not support yet; skipped with the backend npu",
    )
    config.addinivalue_line(
        "markers", "hazards_off(reason): the hazard checker is off, because kernels race on purpose"
    )
    config.addinivalue_line(
        "markers",
        "incomplete_outputs(reason): operators leave elements of outputs unwritten on purpose; a "
        "warning reports them",
    )
    soc = config.getoption("--soc")
    if soc is not None and soc not in settings.SOCS:
        raise pytest.UsageError(f"--soc: expected one of {', '.join(settings.SOCS)}, got {soc!r}")
    _check_launches(config)


def _check_launches(config: pytest.Config) -> None:
    """Sets the backend, the chip, the hazard level, the mode and the filling of outputs, also for
    processes that tests start. An option of pytest overrides the environment variable; the
    variable overrides the project's settings.
    """
    options = {"CANNERY_HAZARDS": "--hazards", "CANNERY_MODE": "--mode"}
    options |= {"CANNERY_BACKEND": "--backend", "CANNERY_SOC": "--soc"}
    given = {name: config.getoption(option) for name, option in options.items()}
    project = packages.root(config.rootpath)
    stack = contextlib.ExitStack()
    config.add_cleanup(stack.close)
    stack.enter_context(settings.Settings({name: value for name, value in given.items() if value}))
    try:
        settings.check_choices()
        # Without this check, every test would be skipped, and the run would pass.
        settings.refuse_hazards(settings.current_backend(), os.environ.get("CANNERY_HAZARDS"))
        if project is not None:
            stack.enter_context(project_settings.applied(project))
    except TwinOnlyError as error:
        raise pytest.UsageError(f"CANNERY_HAZARDS, --hazards, --backend: {error}") from None
    except (CanneryError, ValueError) as error:
        raise pytest.UsageError(str(error)) from None
    if project is not None:
        stack.enter_context(outputs.filled_with(outputs.POISON_BYTE))
        stack.enter_context(checked_operator.reported_to(_fail))
    if project is not None or given["CANNERY_HAZARDS"] or given["CANNERY_MODE"]:
        config.stash[_CHECKED] = settings.checks()


def _fail(text: str, advice: str) -> None:
    raise IncompleteOutputError(text + advice, (text,))


def hazards_of(item: pytest.Item) -> str | None:
    """Returns "off" for a test with the marker hazards_off, otherwise the value of --hazards."""
    if item.get_closest_marker("hazards_off") is not None:
        return "off"
    level: str | None = item.config.getoption("--hazards")
    return level


@pytest.fixture(autouse=True)
def _marked_checks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Turns checks off for tests with the markers hazards_off and incomplete_outputs."""
    with contextlib.ExitStack() as stack:
        if request.node.get_closest_marker("incomplete_outputs") is not None:
            stack.enter_context(checked_operator.reported_to(None))
        hazards = "off" if hazards_of(request.node) == "off" else ...
        stack.enter_context(cannery.use(hazards=hazards))
        yield


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints a line that says how the launches of the tests were checked, and a line if sources of
    the project have changed since the build.
    """
    _tell_changes(terminalreporter)
    checked = terminalreporter.config.stash.get(_CHECKED, {})
    if not checked:
        return
    reports = [each for group in terminalreporter.stats.values() for each in group]
    off = {
        each.nodeid
        for each in reports
        if isinstance(each, pytest.TestReport) and "hazards_off" in each.keywords
    }
    without = f"; {len(off)} test{'s' * (len(off) > 1)} with hazards off" if off else ""
    level = ", ".join(f"{key} {value}" for key, value in checked.items())
    terminalreporter.write_line(f"cannery: {level}{without}")


def _tell_changes(terminalreporter: pytest.TerminalReporter) -> None:
    project = packages.root(terminalreporter.config.rootpath)
    if project is None or settings.current_backend() != "twin":
        return
    changed = build_stamp.changed_sources(project)
    if changed:
        more = f" and {len(changed) - 1} more" if len(changed) > 1 else ""
        terminalreporter.write_line(
            f"cannery: {changed[0]}{more} changed after the latest successful build, so the tests "
            "ran the operators as they were before; run `cannery build`",
            yellow=True,
        )


def _has_reason(marker: pytest.Mark) -> bool:
    return len(marker.args) == 1 and isinstance(marker.args[0], str)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for name, reason in _REASONS.items():
            marker = item.get_closest_marker(name)
            if marker is not None and not _has_reason(marker):
                raise pytest.UsageError(
                    f"{item.nodeid}: {name}: expected the reason, as in "
                    f"@pytest.mark.{name}({reason!r})"
                )
    for item in items if settings.current_backend() == "npu" else []:
        twin_only = item.get_closest_marker("twin_only")
        if twin_only is not None:
            item.add_marker(pytest.mark.skip(reason=f"twin only: {twin_only.args[0]}"))


def _judged(config: pytest.Config) -> Generator[None, object, object]:
    """Runs a phase of a test. Skips the test if it needs something that a card does not have. Ends
    the whole run if the operators are not built, because every test would fail.
    """
    try:
        return (yield)
    except NotBuiltError as error:
        if hasattr(config, "workerinput"):  # pytest-xdist does not survive that a worker exits
            raise
        pytest.exit(str(error), returncode=pytest.ExitCode.USAGE_ERROR)
    except TwinOnlyError as error:
        if settings.current_backend() == "npu":
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
    package = packages.here(root)
    cases = None if package is None else package.cases(op.snake)
    maker = getattr(cases, "inputs", None)
    project = packages.root(root) or root
    built = sorted(project.glob(f"build/opp/vendors/*/cannery/proto/{op.snake}.json"))
    of_project = (maker, built[0].parents[2] if built else None)
    rows = [OperatorRow(op, row, each, *of_project) for row in range(op.rows) for each in socs]
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
    """Gives `assert_close(got, want, scale=None, off_by=0)`, which calls
    `cannery.testing.assert_close` with the dtype of the result. Several results are passed as
    tuples; then `off_by` applies only to results with an integer dtype.
    """
    from cannery import testing

    def compare(
        got: Any, want: Any, scale: npt.NDArray[Any] | None = None, off_by: int = 0
    ) -> None:
        several = isinstance(got, tuple)
        for one, other in zip(got, want, strict=True) if several else [(got, want)]:
            integers = one.dtype.kind in "iu" or not several
            testing.assert_close(one, other, one.dtype, scale, off_by=off_by if integers else 0)

    return compare
