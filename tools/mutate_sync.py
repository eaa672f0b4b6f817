# SPDX-License-Identifier: Apache-2.0
"""Leaves out one synchronising call of an operator's kernel at a time and prints which check
detects that.

    python tools/mutate_sync.py swi_glu_grad [--level explicit] [--json]

The tool compiles a copy of the sources for each dtype combination; at run time a switch decides
which call is left out. For each removal, the tool runs the kernel with those inputs of
tools/mutation_calls.py that reach the removed call, the fastest run first. It stops when a check of
the twin reports an error, or when an output has other bits than without the removal. If nothing
detects a removal, the call is superfluous: remove it from the kernel, or give a reason in the
operator's table of tools/mutate_sync.toml. The tool fails (exit status 1) if an undetected removal
has no reason, if a text in the table is no reason (such as "todo"), or if a reason is not needed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mutation_calls import CALLS, Call
from sync_calls import MOST_CALLS, SyncCall, make_copies

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
LEVELS = ("auto-sync", "explicit")
#: Words that a reason must not contain: they say that the reason is not known.
NO_REASON = re.compile(r"\b(todo|tbd|fixme|yet|unknown|may leave|nobody notices)\b", re.IGNORECASE)
LEAST_WORDS = 5


@dataclass(frozen=True)
class Removal:
    """Calls that are left out together: a single one, or all sets and waits of one flag (edge)."""

    key: str
    calls: tuple[SyncCall, ...]


@dataclass(frozen=True)
class Outcome:
    """A removal and what detected it: an error code of the twin, or "result" for wrong output bits.
    "nobody": nothing detected it. "not reached": no run reached its calls.
    """

    removal: Removal
    noticed: str

    @property
    def passed(self) -> bool:
        return self.noticed in ("nobody", "not reached")


class Board:
    """Memory that the compiled copies share with this tool. The tool writes which calls to leave
    out; the copies write which calls they reach.
    """

    def __init__(self) -> None:
        self._memory = (ctypes.c_ubyte * (2 * MOST_CALLS))()
        os.environ["MUTATE_SYNC_BOARD"] = str(ctypes.addressof(self._memory))

    def leave_out(self, calls: Sequence[SyncCall]) -> None:
        ctypes.memset(self._memory, 0, MOST_CALLS)
        for call in calls:
            self._memory[call.number] = 1

    def reached(self) -> set[int]:
        """Returns the numbers of the calls that were reached since `reached` was called last."""
        found = {number for number in range(MOST_CALLS) if self._memory[MOST_CALLS + number]}
        ctypes.memset(ctypes.addressof(self._memory) + MOST_CALLS, 0, MOST_CALLS)
        return found


def removals_of(calls: Sequence[SyncCall]) -> list[Removal]:
    """Returns a removal for each call, then for each whole edge (all its sets and waits): the twin
    reports a set without a wait even if the kernel does not need the order of the edge.
    """
    found = [Removal(call.key, (call,)) for call in calls]
    edges: dict[str, list[SyncCall]] = {}
    for call in calls:
        if call.edge:
            edges.setdefault(call.edge, []).append(call)
    found += [Removal(f"edge {name}", tuple(each)) for name, each in edges.items() if len(each) > 1]
    return found


class Operator:
    """The compiled copies of one operator's kernel."""

    def __init__(self, name: str, source: Path) -> None:
        self._name = name
        self._source = source
        self._type = _prototype(name)["type"]
        self._kernels: dict[int, Any] = {}

    def compile(self, call: Call) -> None:
        self._kernel(self._plan(call).row)

    def run(self, call: Call) -> list[bytes]:
        """Runs the kernel; returns the bytes of every output."""
        plan = self._plan(call)
        outputs = [
            None if planned is None else _output(planned[0], planned[1], call.spread)
            for planned in plan.outputs
        ]
        # As bytes, because some kernels take arrays for elements of another type.
        null = np.zeros(0, np.uint8)
        arrays = [
            null if each is None else each.reshape(-1).view(np.uint8)
            for each in (*call.inputs, *outputs)
        ]
        workspace = plan.user_workspace
        self._kernel(plan.row)(
            plan.block_dim,
            *arrays,
            *([] if workspace else [null]),
            workspace=workspace,
            tiling=plan.data or bytes(8),
            tiling_key=plan.key,
        )
        return [output.tobytes() for output in outputs if output is not None]

    def _plan(self, call: Call) -> Any:
        import cannery

        plan = cannery.tiling(self._type, call.inputs, call.attrs)
        if not plan.ok:
            raise SystemExit(f"{self._name}: {plan.message}")
        return plan

    def _kernel(self, row: int) -> Any:
        import cannery

        if row not in self._kernels:
            text = (
                f'#include "kernel_operator.h"\n#include "left_out.h"\n{self._source.read_text()}'
            )
            folders = [str(self._source.parent)]
            defines = _defines(self._name, row)
            # portable=False: the copies call std::getenv, which a card's compiler refuses.
            self._kernels[row] = cannery.compile_kernel(
                text, self._name, defines, folders, portable=False
            )
        return self._kernels[row]


def _prototype(name: str) -> Any:
    return tomllib.loads((ROOT / "op_proto" / f"{name}.toml").read_text())


def _defines(name: str, row: int) -> list[str]:
    """Returns the macros that give a kernel its dtypes in the toolkit's build."""
    from cannery.opgen.dtypes import c_dtype, ge_dtype
    from cannery.opgen.names import macro_name

    prototype = _prototype(name)
    found = []
    for tensor in (*prototype["input"], *prototype["output"]):
        macro, dtype = macro_name(tensor["name"]), tensor["dtypes"][row]
        found += [f"DTYPE_{macro}={c_dtype(dtype)}", f"ORIG_DTYPE_{macro}={ge_dtype(dtype)}"]
    return found


def _output(shape: tuple[int, ...], dtype: str, spread: int) -> Any:
    """Returns memory for an output, `spread` times as large as its elements need."""
    import ml_dtypes

    kind = np.dtype(ml_dtypes.bfloat16) if dtype == "bfloat16" else np.dtype(dtype)
    filled = np.full(int(np.prod(shape)) * spread * kind.itemsize, 0xA5, np.uint8)
    return filled.view(kind)


@dataclass(frozen=True)
class Run:
    """One call of the kernel without removals."""

    call: Call
    outputs: list[bytes]
    reached: set[int]
    seconds: float


def mutate(name: str, level: str, progress: bool = False) -> list[Outcome]:
    """Tries every removal in the kernel of the operator `name`."""
    import cannery

    board = Board()
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        source, sites = make_copies(ROOT, name, Path(folder))
        operator = Operator(name, source)
        with cannery.use(hazards=level, timeout_s=5.0):
            runs = [_run(operator, board, call) for call in CALLS[name]()]
            # The first run that detects a removal is enough, so the fastest call runs first.
            runs.sort(key=lambda run: run.seconds)
            outcomes = []
            for removal in removals_of(sites):
                outcome = _leave_out(operator, board, removal, runs)
                outcomes.append(outcome)
                if progress:
                    print(f"{outcome.noticed:11} {_place(removal)}: {removal.key}", flush=True)
    return outcomes


def _place(removal: Removal) -> str:
    first = removal.calls[0]
    return f"{first.path}:{first.line}"


def _run(operator: Operator, board: Board, call: Call) -> Run:
    operator.compile(call)
    board.reached()
    begin = time.perf_counter()
    outputs = operator.run(call)
    return Run(call, outputs, board.reached(), time.perf_counter() - begin)


def _leave_out(operator: Operator, board: Board, removal: Removal, runs: Sequence[Run]) -> Outcome:
    import cannery

    numbers = {call.number for call in removal.calls}
    if not numbers <= set().union(*(run.reached for run in runs)):
        return Outcome(removal, "not reached")
    board.leave_out(removal.calls)
    try:
        for run in runs:
            if numbers & run.reached and operator.run(run.call) != run.outputs:
                return Outcome(removal, "result")
    except cannery.KernelError as error:
        return Outcome(removal, str(error.code))
    finally:
        board.leave_out(())
    return Outcome(removal, "nobody")


def explained(name: str) -> dict[str, str]:
    """Returns the removals in the operator `name` that nothing can detect, with the reasons."""
    tables = tomllib.loads((ROOT / "tools" / "mutate_sync.toml").read_text())
    reasons: dict[str, str] = tables.get(name, {})
    return reasons


def faults(name: str, outcomes: Sequence[Outcome]) -> list[str]:
    """Returns messages about removals that are undetected without a reason, about texts that are
    not reasons, and about reasons that are no longer needed.
    """
    reasons = explained(name)
    found = []
    for outcome in outcomes:
        if outcome.passed and outcome.removal.key not in reasons:
            place = f"{_place(outcome.removal)}: {outcome.noticed}"
            found.append(f"{place}, without a reason: {outcome.removal.key!r}")
    noticed = {each.removal.key: each.noticed for each in outcomes}
    passed = {each.removal.key for each in outcomes if each.passed}
    for key, reason in reasons.items():
        where = f"tools/mutate_sync.toml: [{name}] {key!r}"
        if key not in noticed:
            found.append(f"{where}: the kernel has no such call or edge")
        elif key not in passed:
            found.append(f"{where} is noticed ({noticed[key]}): not needed")
        elif NO_REASON.search(reason) or len(reason.split()) < LEAST_WORDS:
            found.append(f"{where}: {reason!r} does not say why nobody can notice")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("kernel", choices=sorted(CALLS), help="operator")
    parser.add_argument("--level", choices=LEVELS, default="explicit")
    parser.add_argument("--json", action="store_true", help="one object per removal")
    options = parser.parse_args(arguments)
    outcomes = mutate(options.kernel, options.level, progress=not options.json)
    if options.json:
        print(json.dumps([asdict(each) for each in outcomes], indent=1))
    found = faults(options.kernel, outcomes) if options.level == "explicit" else []
    print("\n".join(found), file=sys.stderr)
    noticed = sum(not each.passed for each in outcomes)
    print(f"{options.kernel}: {noticed} of {len(outcomes)} removals noticed", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
