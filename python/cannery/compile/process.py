# SPDX-License-Identifier: Apache-2.0
"""Runs a compiler, and parses its list of the files that it has read."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cannery.errors import CompileError

__all__ = ["dependencies", "run", "start"]


def run(
    command: list[str], folder: Path, timeout_s: float | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs a compiler; raises CompileError if it cannot be started or does not end in time."""
    # If a compiler is killed, its temporary files stay in the build's own folder.
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
    # These variables would make the compiler write another file.
    for name in ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"):
        environment.pop(name, None)
    try:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env=environment,
            # In its own session, the compiler can be killed together with the programs that it
            # started. But then Ctrl-C in a terminal does not reach these programs.
            start_new_session=timeout_s is not None,
        )
    except OSError as error:
        raise CompileError(f"the compiler {command[0]} cannot be started ({error})") from error
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except BaseException as error:
        with contextlib.suppress(ProcessLookupError):
            if timeout_s is None:
                process.kill()
            else:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise CompileError(
                f"the compiler {command[0]} did not end within {timeout_s:g} s, so it was ended; "
                f"run it by hand to see where it hangs: {shlex.join(command)}"
            ) from None
        raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def start(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Runs a command in the user's environment; raises CompileError if it cannot be started."""
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except OSError as error:
        raise CompileError(f"{command[0]} cannot be started ({error})") from error


def dependencies(rule: str) -> set[str]:
    """Returns the absolute paths in a make rule, where a backslash escapes spaces and line ends,
    and a dollar sign escapes itself.
    """
    prerequisites = rule.replace("\\\n", " ").split(":", 1)[1].replace("$$", "$")
    names = re.findall(r"(?:\\.|[^\s\\])+", prerequisites)
    return {str(Path(re.sub(r"\\([\s#:\\])", r"\1", name)).absolute()) for name in names}
