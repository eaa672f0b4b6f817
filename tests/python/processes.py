# SPDX-License-Identifier: Apache-2.0
"""Runs Python programs in separate processes, but fast. A small program spends half a second on
importing the command line and NumPy. So each process of pytest has a server that imports them once
and forks for each program, which has its own folder, environment, output and exit status.

The server opens no device and starts no thread, so programs share only imported modules."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

LONGEST_S = 600.0
#: Code that computes the peak memory of its own process in MiB. VmHWM counts only this process;
#: getrusage also counts the process that has forked it.
PEAK_MIB = 'int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) >> 10'
#: Modules that the command line imports, some only for a command. Missing modules are skipped.
_IMPORTED = (
    *("numpy.random", "numpy.ma", "ml_dtypes", "pytest", "jsonschema.validators", "tomllib"),
    *("pydantic", "pydantic.plugin._loader", "rich.markdown", "rich._emoji_codes"),
    *("typer._adapters", "typer._click.decorators", "typer.completion", "typer.rich_utils"),
    *("cannery.cases", "cannery.compile", "cannery.golden", "cannery.testing.rows"),
    *(f"cannery.cli.{name}" for name in ("app", "catalog", "cc", "doctor", "explain", "new")),
    *(f"cannery.cli.{name}" for name in ("package", "profile", "run", "run_kernel")),
)


def run_cannery(
    *words: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs `cannery WORDS` as a user types it."""
    return _run(["-m", "cannery", *map(str, words)], cwd, env)


def run_pytest(
    *words: str | Path, cwd: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs `python -m pytest -q WORDS` in a project, without a cache."""
    return _run(["-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, words)], cwd, env)


def run_code(
    code: str,
    *words: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = LONGEST_S,
) -> subprocess.CompletedProcess[str]:
    """Runs `python -c CODE WORDS`."""
    return _run(["-c", code, *map(str, words)], cwd, env, timeout)


def _run(
    arguments: list[str],
    cwd: Path | None,
    env: Mapping[str, str] | None,
    timeout: float = LONGEST_S,
) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        asked = {
            "arguments": arguments,
            "cwd": str(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
        }
        status = _server().run(asked, (output.fileno(), errors.fileno()), timeout)
        texts = [_content(file) for file in (output, errors)]
    return subprocess.CompletedProcess([sys.executable, *arguments], status, *texts)


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")


class _Server:
    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fork-")
        self._address = f"{self._folder.name}/socket"
        # The server ends when its standard input is closed, at the latest at the end of this
        # process.
        self._process = subprocess.Popen(
            [sys.executable, *(["-S"] if sys.flags.no_site else []), __file__, self._address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()  # wait until the server listens

    def run(self, asked: dict[str, Any], outputs: tuple[int, int], timeout: float) -> int:
        """Runs a program and returns its exit status, negative for a signal; kills it after
        `timeout`."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(timeout)
            connection.connect(self._address)
            message = json.dumps(asked).encode()
            socket.send_fds(connection, [len(message).to_bytes(8, "little")], list(outputs))
            connection.sendall(message)
            told = connection.makefile("r")
            program = int(told.readline())
            try:
                return int(told.readline())
            except TimeoutError:
                os.kill(program, signal.SIGKILL)
                raise

    def stop(self) -> None:
        self._process.communicate()
        self._folder.cleanup()


_started: list[_Server] = []
_starting = threading.Lock()


def _server() -> _Server:
    with _starting:
        if not _started:
            _started.append(_Server())
            atexit.register(_started[0].stop)
        return _started[0]


def _serve(address: str) -> dict[str, Any]:
    """Forks for each request; the new process returns the request. The server never returns."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(16)
        print("ready", flush=True)
        while True:
            ready, _, _ = select.select([listener, sys.stdin], [], [])
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0] != 0:
                    pass
            if sys.stdin in ready:
                os._exit(0)
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                return _attend(connection)
            connection.close()


def _attend(connection: socket.socket) -> dict[str, Any]:
    """Forks. The child process returns the request; its parent sends the child's exit status."""
    head, outputs, _, _ = socket.recv_fds(connection, 8, 2)
    size = int.from_bytes(head, "little")
    asked: dict[str, Any] = json.loads(connection.makefile("rb").read(size))
    program = os.fork()
    if program != 0:
        connection.sendall(f"{program}\n".encode())
        _, status = os.waitpid(program, 0)
        connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    connection.close()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((nothing, *outputs)):
        os.dup2(file, number)
        os.close(file)
    return asked


def _become(asked: dict[str, Any]) -> None:
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    before = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:1] = [asked["cwd"], *before]
    kind, what, *words = asked["arguments"]
    sys.argv = [what if kind == "-m" else kind, *words]
    if kind == "-m":
        _end(_status_of(what))
    else:
        # The code must run in __main__, where its classes and functions look up their names.
        own = sys.modules["__main__"].__dict__
        for name in [name for name in own if not name.startswith("__")]:
            del own[name]
        exec(compile(what, "<string>", "exec"), own)  # noqa: S102  the code of a test


def _status_of(module: str) -> int:
    """Runs the module as a program and returns its exit status."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except Exception:
        traceback.print_exc()
        return 1
    return 0


def _end(status: int) -> None:
    """Ends the process without clearing its modules, because clearing takes longer than most
    programs. Only `python -m` needs this; the code of `python -c` ends in the usual way."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).exit(status)


if __name__ == "__main__":
    for name in _IMPORTED:
        with contextlib.suppress(ImportError):
            __import__(name)
    if "PYTEST_XDIST_WORKER" in os.environ:
        from precompiled import use_precompiled_header  # the folder of this file is on the path

        use_precompiled_header()
    gc.collect()
    gc.freeze()  # a garbage collection would copy the memory that programs share
    _become(_serve(sys.argv[1]))
