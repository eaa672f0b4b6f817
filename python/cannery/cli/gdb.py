# SPDX-License-Identifier: Apache-2.0
"""`cannery run FILE:KERNEL ... --gdb`: runs the launch in gdb, which stops in the kernel."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence

import cannery
from cannery.debugger import PRINTERS
from cannery.errors import CanneryError
from cannery.opgen import literals

__all__ = ["same_run", "start"]

#: With one thread, no other core runs while the user steps through one core. With this timeout, a
#: core that a breakpoint stops does not count as hanging.
_ONE_AT_A_TIME = {"CANNERY_THREADS": "1", "CANNERY_TIMEOUT_S": "86400"}


def same_run(arguments: Sequence[str]) -> list[str]:
    """Returns `arguments` of a `cannery` command without the options that ask for gdb."""
    kept = []
    words = iter(arguments)
    for word in words:
        if word == "-ex":
            next(words, None)
        elif word != "--gdb" and not word.startswith("-ex="):
            kept.append(word)
    return kept


def start(kernel: cannery.Kernel, commands: Iterable[str], arguments: Sequence[str]) -> int:
    """Runs the command `cannery` with `arguments` in gdb, which stops at the entry of `kernel` and
    then executes `commands`. Returns gdb's exit status; without a terminal, the command's status.
    """
    gdb = shutil.which("gdb")
    if gdb is None:
        raise CanneryError(
            "--gdb: gdb is not on PATH; install it (Debian, Ubuntu: apt install gdb; RHEL, "
            "openEuler: dnf install gdb)"
        )
    entry = kernel.name.partition("<")[0].strip()
    told = [f"python stop_in({literals.python(entry)})", "run", *commands]
    told += [] if sys.stdin.isatty() else ["python leave()"]
    run = [sys.executable, "-m", "cannery", *same_run(arguments)]
    words = [gdb, "-q", "-iex", "set auto-load python-scripts off", "-x", str(PRINTERS)]
    # If stdout is a file or a pipe, gdb must not break lines.
    words += [] if sys.stdout.isatty() else ["-iex", "set width 0"]
    words += [part for command in told for part in ("-ex", command)]
    sys.stdout.flush()
    environment = {**os.environ, **_ONE_AT_A_TIME}
    return subprocess.run([*words, "--args", *run], env=environment, check=False).returncode
