# SPDX-License-Identifier: Apache-2.0
"""Makes a folder that looks like an installed CANN toolkit and has the twin's libraries. Tests of
the backend npu use it where there is no card.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cannery import _runtime
from cannery.errors import CanneryError
from cannery.package import pack

__all__ = ["Toolkit", "make_toolkit"]


@dataclass(frozen=True)
class Toolkit:
    """The folder of the toolkit, and the environment variables that its set_env.sh sets."""

    home: Path

    @property
    def lib(self) -> Path:
        return self.home / "lib64"

    @property
    def opp(self) -> Path:
        return self.home / "opp"

    @property
    def environment(self) -> dict[str, str]:
        return {
            "ASCEND_HOME_PATH": str(self.home),
            "ASCEND_TOOLKIT_HOME": str(self.home),
            "ASCEND_OPP_PATH": str(self.opp),
        }

    def install(self, package: Path) -> None:
        """Runs a package file (custom_opp_*.run) as a user of the toolkit would run it."""
        done = subprocess.run(
            ["sh", str(package), "--quiet"],
            env={**os.environ, "ASCEND_CUSTOM_OPP_PATH": "", **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise CanneryError(f"{package} cannot be installed: {done.stdout}{done.stderr}")

    def set_up(self) -> None:
        """Makes this process and its child processes use the toolkit from now on."""
        os.environ.update(self.environment)
        os.environ.pop("ASCEND_CUSTOM_OPP_PATH", None)


def make_toolkit(folder: Path, trees: Sequence[Path] | None = None) -> Toolkit:
    """Makes the toolkit in `folder`, which is new or empty.

    trees: results of builds (vendors/<vendor>). They are packed and installed one after another, so
    the last one is searched first. The default is cannery's own operators.
    """
    toolkit = Toolkit(Path(folder).resolve())
    twin = _runtime.twin_root()
    toolkit.opp.mkdir(parents=True)
    # The libraries are copied: with links, they would find files in the twin's folders.
    shutil.copytree(twin / "lib", toolkit.lib)
    for part in ("acl", "aclnn"):
        shutil.copytree(twin / "include" / part, toolkit.home / "include" / part)
    _add_compiler(toolkit.home / "compiler", twin / "include")
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in toolkit.environment.items()]
    (toolkit.home / "set_env.sh").write_text("".join(lines), "utf-8")
    with tempfile.TemporaryDirectory(prefix="cannery-") as packages:
        for tree in trees if trees is not None else [_runtime.package_root()]:
            toolkit.install(pack(tree, Path(packages)))
    return toolkit


def _add_compiler(kit: Path, include: Path) -> None:
    """Adds a replacement for bisheng, and a link to the headers of the device API."""
    (kit / "tikcpp").mkdir(parents=True)
    (kit / "tikcpp" / "tikcfw").symlink_to(include)
    bisheng = kit / "ccec_compiler" / "bin" / "bisheng"
    bisheng.parent.mkdir(parents=True)
    python = shlex.quote(sys.executable)
    bisheng.write_text(f'#!/bin/sh\nexec {python} -m cannery.testing.bisheng "$@"\n')
    bisheng.chmod(0o755)
