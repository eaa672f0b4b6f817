# SPDX-License-Identifier: Apache-2.0
"""`cannery selftest`: compares operators with their golden, checks the twin's predictions, and
prints a report that users can send back.
"""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import asdict
from typing import Any

import numpy as np

import cannery
from cannery import _runtime, _toolkit, cases, project_settings, selftest, settings
from cannery.cli import output
from cannery.cli.error_fields import error_fields
from cannery.cli.options import use_options
from cannery.cli.run import run_case
from cannery.cli.selection import Selection
from cannery.errors import CanneryError
from cannery.selftest import Finding

__all__ = ["show"]

_STYLES = {"agrees": "green", "differs": "yellow", "failed": "red", "not run": "dim"}


def show(backend: str | None, size: str, as_json: bool) -> bool:
    """Prints the report; returns False if an operator is wrong or fails. A wrong prediction is
    reported but is no failure.
    """
    chosen = Selection(size=size).chosen()
    with use_options(backend=backend):
        with project_settings.applied(None):
            machine = _machine()
            results = [_operator(case) for case in chosen]
        findings = list(selftest.run(selftest.all_probes()))
    ok = all(result["ok"] for result in results)
    if as_json:
        probes = [asdict(finding) for finding in findings]
        document = {"ok": ok, **machine, "operators": results, "predictions": probes}
        output.print_json(document)
    else:
        _print(machine, results, findings)
    return ok


def _machine() -> dict[str, Any]:
    """Returns what runs the operators: the chip, the backend, and its libraries."""
    native = _runtime.native()
    soc = native.soc_name()
    backend = settings.current_backend()
    return {
        "cannery": cannery.__version__,
        "backend": backend,
        "soc": soc,
        "device": native.device_id(),
        **settings.checks(),
        "runtime": native.runtime_path(),
        "needs": {need.name: need.found for need in _toolkit.needs()} if backend == "npu" else {},
        "packages": [str(package) for package in _toolkit.installed_packages()],
        "host": platform.platform(),
        "python": f"{platform.python_version()}, NumPy {np.__version__}",
    }


def _operator(case: cases.Case) -> dict[str, Any]:
    """Runs one case; returns an error as a result, so that the other cases still run."""
    try:
        return run_case(case).fields()
    except (CanneryError, RuntimeError, MemoryError) as error:
        return {
            "op": case.op,
            "dtype": case.dtype.name,
            "shape": list(case.shape),
            "size": case.size,
            "ok": False,
            "error": error_fields(error),
        }


def _print(machine: dict[str, Any], results: list[dict[str, Any]], findings: list[Finding]) -> None:
    console = output.console()
    for name, value in machine.items():
        console.print(f"{name}: {value}", markup=False, highlight=False, soft_wrap=True)
    console.print("\n[bold]operators[/bold]")
    for result in results:
        verdict = "[green]ok[/green]     " if result["ok"] else "[red]WRONG[/red]  "
        console.print(f"{verdict}  {result['op']} {result['dtype']} {result['size']}")
        for text in result.get("unwritten", ()):
            console.print(text, style="red", markup=False, soft_wrap=True)
        if "error" in result:
            error = result["error"]
            console.print(
                f"{error['type']}: {error['message']}", style="red", markup=False, soft_wrap=True
            )
    console.print("\n[bold]predictions[/bold]")
    for each in findings:
        console.print(f"[{_STYLES[each.state]}]{each.state:8}[/]  {each.name}: ", end="")
        console.print(each.prediction, markup=False, highlight=False, soft_wrap=True)
        if each.state != "agrees":
            console.print(
                f"          {each.observed}", markup=False, highlight=False, soft_wrap=True
            )
    counts = Counter(each.state for each in findings)
    console.print("\n" + ", ".join(f"{count} {state}" for state, count in counts.items()))
