# SPDX-License-Identifier: Apache-2.0
"""`cannery doctor`: prints what this machine has, what is missing, and how to get it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from rich.text import Text

from cannery import _runtime, _toolkit, settings
from cannery.cli import output
from cannery.compile.toolchain import build_tool, clang_command, compiler_command
from cannery.errors import CanneryError, CompileError

__all__ = ["Finding", "examine", "show"]

_LIBRARIES = ("libcannery_twin.so", "libascendcl.so", "libnnopbase.so", "libcust_opapi.so")
_PACKAGES = ("numpy", "ml_dtypes", "typer", "rich", "jinja2", "jsonschema", "pytest")
_BUILD_PACKAGES = ("cmake", "ninja")
_OPTIONAL_PACKAGES = {
    "hypothesis": "for tests in a checkout",
    "torch": "for a benchmark in a checkout",
}
_FEATURES = {
    "x86_64": ("avx2", "fma", "f16c", "avx512f", "avx512_vnni"),
    "aarch64": ("asimdhp", "asimddp", "i8mm", "bf16"),
}
_STATE_WIDTH = len("missing")
_TWIN_KERNELS = "op_impl/ai_core/tbe/kernel/twin"
_CACHE_NAME = "compiled kernels"


@dataclass(frozen=True)
class Finding:
    """One line of the report. `state` is "found", "missing" (then something does not work) or
    "absent" (the thing is optional).
    """

    area: str
    name: str
    state: str
    detail: str
    advice: str = ""


def show(as_json: bool) -> bool:
    """Prints all findings; returns False if something that is needed is missing."""
    findings = list(examine())
    ok = all(finding.state != "missing" for finding in findings)
    if as_json:
        output.print_json({"ok": ok, "findings": [asdict(finding) for finding in findings]})
        return ok
    _print(findings)
    return ok


def _print(findings: Sequence[Finding]) -> None:
    styles = {"found": "green", "missing": "red", "absent": "yellow"}
    console = output.console()
    for area, group in groupby(findings, key=lambda finding: finding.area):
        console.print(f"[bold]{area}[/bold]")
        rows = list(group)
        # Advice that several findings share is printed once, below them.
        for advice, those in groupby(rows, key=lambda finding: finding.advice):
            table = output.plain_table(headings=False)
            table.add_column(min_width=_STATE_WIDTH)
            table.add_column(no_wrap=True, min_width=max(len(each.name) for each in rows))
            # A path that is too long for the line continues in the next one; it is not cut.
            table.add_column(overflow="fold")
            for each in those:
                table.add_row(
                    Text(each.state, style=styles[each.state]), each.name, Text(each.detail)
                )
            console.print(table)
            if advice:
                output.print_paragraph(advice, indent=_STATE_WIDTH + 2)


def examine() -> Iterator[Finding]:
    yield from _machine()
    yield _compiler()
    yield _clang()
    yield from _python_packages()
    yield from _twin()
    yield from _operator_packages()
    yield _cache()
    yield from _card()


def _machine() -> Iterator[Finding]:
    machine = platform.machine()
    supported = machine in _FEATURES and platform.system() == "Linux"
    advice = "" if supported else "Linux on x86-64 or aarch64"
    system = f"{platform.system()} {machine}, {os.cpu_count()} processors"
    detail = f"{system}, Python {platform.python_version()}"
    yield Finding("machine", "platform", "found" if supported else "missing", detail, advice)
    features = _cpu_features()
    for feature in _FEATURES.get(machine, ()):
        present = feature in features
        yield Finding(
            "machine",
            feature,
            "found" if present else "absent",
            "",
            "" if present else "slower without",
        )


def _cpu_features() -> set[str]:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return set()
    line = next((each for each in lines if each.startswith(("flags", "Features"))), ":")
    return set(line.partition(":")[2].split())


def _compiler() -> Finding:
    try:
        command = compiler_command()
    except CompileError as error:
        return Finding("compiler", "C++20 compiler", "missing", str(error), "set CXX")
    if command is None:
        advice = "apt install g++, dnf install gcc-c++, or set CXX"
        return Finding(
            "compiler", "C++20 compiler", "missing", "compiles kernels and projects", advice
        )
    try:
        result = subprocess.run(
            [*command, "--version"], capture_output=True, text=True, check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("compiler", "C++20 compiler", "missing", f"{command[0]}: {error}", "set CXX")
    version = (result.stdout.splitlines() or ["no version"])[0]
    return Finding("compiler", "C++20 compiler", "found", f"{command[0]}: {version}")


def _clang() -> Finding:
    command = clang_command()
    use = "for sources that g++ refuses, such as CATLASS"
    if command is not None:
        return Finding("compiler", "clang", "found", " ".join(command[:2]))
    advice = "apt install clang, dnf install clang, or pip install 'cannery[clang]'"
    return Finding("compiler", "clang", "absent", use, advice)


def _python_packages() -> Iterator[Finding]:
    for name in (*_PACKAGES, *_OPTIONAL_PACKAGES):
        try:
            yield Finding("Python", name, "found", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            use = _OPTIONAL_PACKAGES.get(name, "")
            state = "absent" if use else "missing"
            yield Finding("Python", name, state, use, f"pip install {name}")
    for name in _BUILD_PACKAGES:
        try:
            yield Finding("Python", name, "found", build_tool(name))
        except CanneryError as error:
            yield Finding("Python", name, "missing", "for `cannery build`", str(error))


def _twin() -> Iterator[Finding]:
    advice = "./build.sh build in the checkout, or install the wheel again"
    try:
        root = _runtime.twin_root()
    except ImportError as error:
        yield Finding("twin", "native module", "missing", str(error), advice)
        return
    yield Finding("twin", "native module", "found", str(root.parent))
    folders = [Path(folder) for folder in _runtime.library_dirs("twin")]
    for name in _LIBRARIES:
        present = any((folder / name).is_file() for folder in folders)
        yield Finding(
            "twin", name, "found" if present else "missing", "", "" if present else advice
        )
    kernels = len(list(_runtime.package_root().glob("op_impl/ai_core/tbe/kernel/**/*.so")))
    yield Finding(
        "twin",
        "kernels",
        "found" if kernels else "missing",
        str(kernels),
        "" if kernels else advice,
    )


def _operator_packages() -> Iterator[Finding]:
    """Yields the packages that are searched before cannery's own. An operator comes from the first
    package that contains it.
    """
    for package in _toolkit.installed_packages():
        operators = set[str]()
        problem = "" if package.is_dir() else "is not there"
        for path in package.glob("op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"):
            try:
                operators |= json.loads(path.read_text("utf-8")).keys()
            except (OSError, ValueError, AttributeError, RecursionError) as error:
                problem = f"{path} cannot be used: {error}"
        if not operators:
            problem = problem or "is no package: it lists no operators"
        yield Finding(
            "operator packages",
            package.name,
            "absent" if problem else "found",
            f"{package}: {problem or _contents(package, operators)}",
            "install it, or take it out of the search (docs/packages.md)" if problem else "",
        )


def _contents(package: Path, operators: set[str]) -> str:
    chip = "the twin" if (package / _TWIN_KERNELS).is_dir() else "a card"
    return f"for {chip}: {', '.join(sorted(operators))}"


def _cache() -> Finding:
    folder = settings.cache_dir()
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if not os.access(existing, os.W_OK):
        return Finding(
            "cache", _CACHE_NAME, "missing", f"{folder} is not writable", "set CANNERY_CACHE_DIR"
        )
    files = list((folder / "kernels").glob("*.so"))
    megabytes = sum(file.stat().st_size for file in files) / 1e6
    return Finding(
        "cache", _CACHE_NAME, "found", f"{folder}: {len(files)} kernels, {megabytes:.1f} MB"
    )


def _card() -> Iterator[Finding]:
    """Yields what the backend npu needs. What is not found is "missing" only if npu is chosen."""
    area = "card (backend npu)"
    lacking = "missing" if settings.current_backend() == "npu" else "absent"
    for need in _toolkit.needs():
        state = "found" if need.found else lacking
        yield Finding(area, need.name, state, need.found, "" if need.found else need.advice)
    cards = len(list(Path("/dev").glob("davinci[0-9]*")))
    advice = "" if cards else "npu-smi info; in a container, pass /dev/davinci0 and its like"
    yield Finding(area, "Ascend cards", "found" if cards else "absent", str(cards), advice)
