# SPDX-License-Identifier: Apache-2.0
"""Builds operators for a card: exports the project, has the CANN toolkit build it, and can install
the package where the backend npu finds it.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cannery import _runtime, _toolkit
from cannery.cli import export, output
from cannery.cli.build import alone
from cannery.compile.toolchain import compiler_command
from cannery.errors import CanneryError, CompileError
from cannery.opgen.build import build as build_model
from cannery.opgen.loader import load_prototypes
from cannery.opgen.render import Renderer, write_if_different

__all__ = ["build", "package"]

_SAID_LINES = 60


def package(project: Path, socs: tuple[str, ...], out: Path, as_json: bool) -> None:
    """Builds custom_opp_<os>_<machine>.run in the folder `out` and prints its path."""
    project = project.resolve()
    made = out.resolve()
    with alone(project / "build"):
        file = _run_file(project, socs)
        try:
            made.mkdir(parents=True, exist_ok=True)
            partial = made / (file.name + ".partial")
            shutil.copy2(file, partial)
            partial.replace(made / file.name)
        except OSError as error:
            raise CanneryError(f"{made}: cannot be written: {error.strerror}") from None
    if as_json:
        output.print_json({"package": str(made / file.name)})
    else:
        sys.stdout.write(f"wrote {made / file.name}\n")


def build(project: Path, socs: tuple[str, ...], as_json: bool) -> None:
    """Builds the package and installs it in build/npu. The backend npu searches this folder."""
    project = project.resolve()
    with alone(project / "build"):
        file = _run_file(project, socs)
        opp = project / "build" / "npu"
        with _replaced(opp):
            command = ["bash", str(file), "--quiet", f"--install-path={opp}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            tree = opp / "vendors" / export.vendor_of(project)
            if done.returncode != 0 or not (tree / "op_api/lib/libcust_opapi.so").is_file():
                said = (done.stdout + done.stderr).strip()
                raise CanneryError(f"{file} cannot be installed in {opp}:\n{said}")
            _add_calls(project, tree)
            toolkit = _toolkit.home()
            _toolkit.made_with(tree).write_text(str(toolkit and toolkit.resolve()), "utf-8")
    if as_json:
        output.print_json({"ok": True, "packages": [str(tree)]})
    else:
        output.console().print(str(tree), highlight=False, soft_wrap=True)


def _run_file(project: Path, socs: tuple[str, ...]) -> Path:
    """Exports the project to build/card, and lets the toolkit build the exported project. Returns
    the .run file. Raises CanneryError with the toolkit's messages if the build fails.
    """
    folder = project / "build" / "card"
    if folder.exists():
        shutil.rmtree(folder)
    export.write(project, folder, socs, None)
    log = project / "build" / "card.log"
    sys.stderr.write(f"building for a card; {log} has what the toolkit says\n")
    with log.open("wb") as stream:
        done = subprocess.run(
            ["bash", str(folder / "build.sh")],
            stdout=stream,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    found = sorted(folder.glob("build_out/custom_opp_*.run"))
    if done.returncode != 0 or len(found) != 1:
        lines = log.read_text("utf-8", "replace").splitlines()
        said = "\n".join(lines[-_SAID_LINES:])
        more = f"\n(all of it: {log})" if len(lines) > _SAID_LINES else ""
        raise CanneryError(f"no package for a card:\n{said}{more}")
    return found[0]


@contextlib.contextmanager
def _replaced(folder: Path) -> Iterator[None]:
    """Moves `folder` away; the `with` block makes a new one. Undoes the move if the block fails."""
    # The toolkit's scripts write the path of the folder into files, so the folder must have its
    # final path from the start.
    before = folder.with_name(folder.name + ".before")
    if before.exists():  # left by a process that was killed
        shutil.rmtree(folder, ignore_errors=True)
        before.rename(folder)
    if folder.exists():
        folder.rename(before)
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        if before.exists():
            before.rename(folder)
        raise
    shutil.rmtree(before, ignore_errors=True)


def _add_calls(project: Path, tree: Path) -> None:
    """Adds the models and the library of C functions through which Python calls the operators. A
    toolkit makes neither. The library depends on no other library.
    """
    loaded = load_prototypes(project / "op_proto")
    ops = [build_model(source, proto) for source, proto in loaded]
    with tempfile.TemporaryDirectory(prefix="cannery-") as folder:
        generated = Path(folder)
        for path, text in Renderer(ops, whole_project=True).render():
            write_if_different(generated / path, text)
        shutil.copytree(generated / "proto", tree / "cannery" / "proto")
        library = tree / "cannery" / "lib" / "libcannery_calls.so"
        library.parent.mkdir()
        command = [*(compiler_command() or ["c++"]), "-std=c++17", "-O2", "-fPIC", "-shared"]
        command += [f"-I{generated / 'include'}", f"-I{_runtime.twin_root() / 'include'}"]
        command += ["-fvisibility=hidden", *map(str, sorted(generated.glob("calls/*.cpp")))]
        done = subprocess.run(
            [*command, "-o", str(library)], capture_output=True, text=True, check=False
        )
    if done.returncode != 0:
        raise CompileError(f"the calls from Python cannot be compiled:\n{done.stderr[:20000]}")
