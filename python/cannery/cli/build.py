# SPDX-License-Identifier: Apache-2.0
"""`cannery build`: compiles what changed in a project of operators, for the twin."""

from __future__ import annotations

import contextlib
import fcntl
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from cannery import _runtime, build_stamp
from cannery.cli import output
from cannery.cli.adopt import adopt, is_adoptable
from cannery.cli.compile_commands import add_kernels
from cannery.compile.api_levels import missing_names, read_texts
from cannery.compile.diagnostics import build_errors
from cannery.compile.entry import declaration_faults
from cannery.compile.toolchain import build_tool, compiler_command
from cannery.errors import CanneryError, CompileError
from cannery.opgen.loader import PrototypeError, load_prototypes

__all__ = ["alone", "build", "check_is_project"]

#: Characters that a project's path must not contain: CMake, ninja or the toolkit misread them.
_UNFIT = ';|"\\:[]*\n'
_KERNEL_FILES = (".cpp", ".h", ".hpp", ".asc")
_FAILED = "FAILED: "
_STEP = re.compile(r"\[(\d+)/(\d+)\] (.*)")


def build(project: Path, jobs: int | None, debug: bool, as_json: bool) -> None:
    """Builds the package in build/opp/vendors/<vendor>; raises CanneryError if this fails."""
    start = time.perf_counter()
    project = project.resolve()
    _check(project)
    folder = project / "build"
    with alone(folder), build_stamp.noted(folder):
        source = adopt(project, folder) if is_adoptable(project) else project
        _configure(source, folder, "Debug" if debug else "Release")
        try:
            steps = _compile(folder, jobs, as_json)
            _remove_dead(folder)
            _warn_of_missing_names(project)
        finally:
            add_kernels(project, folder)
    vendors = sorted(path.parent for path in folder.glob("opp/vendors/*/version.info"))
    seconds = time.perf_counter() - start
    if as_json:
        packages = [str(path) for path in vendors]
        output.print_json({"ok": True, "packages": packages, "steps": steps, "seconds": seconds})
        return
    for path in vendors:
        output.console().print(
            f"{path}: {steps} steps, {seconds:.1f} s", highlight=False, soft_wrap=True
        )


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Locks the build folder: a second build of the same project waits until the first ends."""
    try:
        folder.mkdir(exist_ok=True)
        lock = (folder / ".lock").open("w")
    except OSError as error:
        raise CanneryError(f"{folder}: cannot be written: {error.strerror}") from None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _check(project: Path) -> None:
    unfit = sorted({symbol for symbol in str(project) if symbol in _UNFIT})
    if unfit:
        raise CanneryError(
            f"{project}: its path has {' '.join(map(repr, unfit))}, which CMake, ninja or "
            "ASCEND_CUSTOM_OPP_PATH cannot take; move it to another folder"
        )
    check_is_project(project)
    if is_adoptable(project):
        kernels = [(path.stem, path.stem) for path in project.glob("op_host/*.cpp")]
    else:
        try:
            prototypes = load_prototypes(project / "op_proto")
        except PrototypeError as error:
            raise CanneryError(str(error)) from None
        kernels = [_kernel(Path(source).stem, proto) for source, proto in prototypes]
    _check_kernels(project, kernels)
    if compiler_command() is None:
        raise CompileError(
            "no C++ compiler on PATH (g++, c++, clang++); install one (Debian, Ubuntu: apt install "
            "g++; RHEL, openEuler: dnf install gcc-c++) or name yours in CXX"
        )


def _kernel(snake: str, proto: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the name of the file with an operator's kernel, without .cpp, and of its function."""
    kernel = proto.get("kernel", {})
    return kernel.get("file", snake), kernel.get("function", snake)


def _check_kernels(project: Path, kernels: Iterable[tuple[str, str]]) -> None:
    """Raises CompileError if an operator's kernel is not marked __global__.

    kernels: for each operator, the name of its file in op_kernel, without .cpp, and of its kernel.
    """
    faults = []
    for file, name in sorted(set(kernels)):
        path = project / "op_kernel" / f"{file}.cpp"
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            faults.append(declaration_faults(text, name, str(path))[0])
    if any(faults):
        raise CompileError("\n".join(filter(None, faults)))


def _warn_of_missing_names(project: Path) -> None:
    files = (project / "op_kernel").rglob("*")
    sources = (str(path) for path in files if path.suffix in _KERNEL_FILES)
    for message in missing_names(read_texts(sources)):
        sys.stderr.write(f"{message}\n")


def check_is_project(folder: Path) -> None:
    """Raises CanneryError if the folder is not a project that `cannery build` can build."""
    made = (folder / "CMakeLists.txt").is_file() and any(folder.glob("op_proto/*.toml"))
    if not made and not is_adoptable(folder):
        raise CanneryError(
            f"{folder.absolute()}: is not a project of operators: expected CMakeLists.txt and "
            "op_proto/*.toml, or op_host/*.cpp as msopgen writes them, or a CMakeLists.txt that "
            "calls npu_op_package; `cannery new` makes one"
        )


def _configure(source: Path, folder: Path, build_type: str) -> None:
    """Runs CMake for a new build folder, and again if the tools, the compiler, cannery or the path
    of the folder have changed since CMake last ran.
    """
    definitions = {
        "CMAKE_BUILD_TYPE": build_type,
        "CMAKE_EXPORT_COMPILE_COMMANDS": "ON",
        "CMAKE_MAKE_PROGRAM": build_tool("ninja"),
        "Python_EXECUTABLE": sys.executable,
        "cannery_DIR": str(_runtime.twin_root() / "cmake"),
    }
    wanted = {
        **definitions,
        "cmake": build_tool("cmake"),
        "cannery": importlib.metadata.version("cannery"),
        "compiler": os.environ.get("CXX", ""),
        # If the project was moved or copied, this entry differs from the saved one, and CMake runs
        # again. Otherwise ninja would build in the old folder.
        "folder": str(folder),
    }
    stamp = folder / "cannery-build.json"
    if (folder / "build.ninja").is_file() and _read(stamp) == wanted:
        return
    # If the compiler or cannery has changed, the results in CMake's cache may be wrong. In a copied
    # folder, ninja's log has the paths of the original, whose files `_remove_dead` would remove.
    stale = ["CMakeCache.txt", "CMakeFiles"]
    before = _read(stamp)
    if not isinstance(before, dict) or before.get("folder") != wanted["folder"]:
        stale += [".ninja_log", ".ninja_deps"]
    for name in stale:
        _remove(folder / name)
    command = [wanted["cmake"], "-G", "Ninja", "-S", str(source), "-B", str(folder)]
    command += [f"-D{name}={value}" for name, value in definitions.items()]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise CanneryError(f"the project cannot be configured:\n{done.stderr.strip()}")
    stamp.write_text(json.dumps(wanted), "utf-8")


def _read(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _compile(folder: Path, jobs: int | None, quiet: bool) -> int:
    """Runs ninja and returns its number of steps; raises CompileError if the build fails."""
    command = [build_tool("ninja"), "-C", str(folder), *([f"-j{jobs}"] if jobs else [])]
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    environment.pop("CLICOLOR_FORCE", None)
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    )
    try:
        lines, steps = _follow(process, quiet)
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait()
    if process.returncode != 0:
        log = folder / "build.log"
        log.write_text("\n".join(lines) + "\n", "utf-8")
        why = build_errors("\n".join(_without_ninja(lines)), str(folder.parent))
        why = why or "\n".join(lines[_first_failure(lines) :])[:20000]
        raise CompileError(f"the build failed; {log} has the whole output:\n{why}")
    return steps


def _remove_dead(folder: Path) -> None:
    """Removes what former builds made of operators that the project no longer has."""
    command = [build_tool("ninja"), "-C", str(folder), "-t", "cleandead"]
    subprocess.run(command, capture_output=True, check=False)
    for pattern in ("opp", "generated", "CMakeFiles/kernel_*.dir"):
        for top in folder.glob(pattern):
            for path, _, _ in os.walk(top, topdown=False):
                with contextlib.suppress(OSError):  # the folder is not empty
                    Path(path).rmdir()


def _first_failure(lines: list[str]) -> int:
    return next((at for at, line in enumerate(lines) if line.startswith(_FAILED)), 0)


def _without_ninja(lines: list[str]) -> list[str]:
    """Returns the compilers' output: `lines` without ninja's own lines, and without the command
    that ninja prints below each FAILED line.
    """
    return [
        line
        for before, line in zip(["", *lines], lines, strict=False)
        if not (before.startswith(_FAILED) or line.startswith((_FAILED, "ninja: ")))
        and not _STEP.match(line)
    ]


def _follow(process: subprocess.Popen[str], quiet: bool) -> tuple[list[str], int]:
    """Reads ninja's output to its end and shows a progress bar; returns the lines of the output and
    the number of steps.
    """
    lines: list[str] = []
    steps = 0
    console = output.progress_console()
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    hidden = quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task("building", total=None)
        for line in process.stdout or ():
            lines.append(line.rstrip("\n"))
            step = _STEP.match(line)
            if step:
                steps, total = int(step[1]), int(step[2])
                progress.update(task, completed=steps, total=total, description=step[3][:50])
    process.wait()
    return lines, steps
