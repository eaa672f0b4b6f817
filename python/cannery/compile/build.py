# SPDX-License-Identifier: Apache-2.0
"""compile_kernel: look in the cache, else compile once, whoever else wants the same."""

from __future__ import annotations

import os
import re
import subprocess
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

from cannery.compile.cache import KernelCache, digest
from cannery.compile.diagnostics import own_warnings, summarize
from cannery.compile.kernel import Kernel, kernel_of
from cannery.compile.request import UNIT, Defines, KernelType, Request, make_request
from cannery.compile.source import Source
from cannery.compile.toolchain import Toolchain, find_toolchain
from cannery.errors import CompileError, KernelWarning
from cannery.settings import cache_dir, current_backend

__all__ = ["compile_kernel"]

_CACHE_VERSION = "2"


def compile_kernel(
    source: Source,
    name: str,
    defines: Defines | None = None,
    include_dirs: Iterable[str | os.PathLike[str]] = (),
    kernel_type: KernelType | None = None,
) -> Kernel:
    """Compiles the Ascend C kernel `name` for the twin and returns it as a callable.

    source: the text of the kernel, or the path of a file with it.
    defines: macros, as {"TILE": 64} or ["TILE=64"].   include_dirs: folders for the source's own
    headers.
    kernel_type: overrides what the source says or implies, e.g. "MIX_AIC_1_2".

    The result is cached (cannery.use(cache_dir=...)) by the content of source and headers, flags,
    compiler, its environment and CPU; the same kernel is compiled once, also when several processes
    ask for it at the same time. A header that newly appears in front of another one on the include
    path goes unnoticed. What the compiler warns about in the kernel's own lines is a KernelWarning.

    Raises CompileError with the compiler's messages, or when there is no compiler or no writable
    cache; ValueError or TypeError for malformed arguments.
    """
    request = make_request(source, name, defines, include_dirs, kernel_type)
    if current_backend() != "twin":
        raise CompileError(
            "compile_kernel compiles for the twin; run with backend='twin', "
            "or build an operator for a card"
        )
    toolchain = find_toolchain()
    cache = KernelCache(cache_dir())
    key = _key(request, toolchain)
    library = cache.find(key)
    if library is None:
        with cache.lock(key):
            library = cache.find(key) or _compile(request, toolchain, cache, key)
    return kernel_of(library, name, request.arguments)


def _key(request: Request, toolchain: Toolchain) -> str:
    command = [*toolchain.flags, *toolchain.libraries, *request.options()]
    files = request.files().values()
    return digest([_CACHE_VERSION, *files, *command, "", *toolchain.identity])


def _compile(request: Request, toolchain: Toolchain, cache: KernelCache, key: str) -> Path:
    with cache.workspace() as folder:
        unit, library, depfile = folder / UNIT, folder / "kernel.so", folder / "kernel.d"
        for name, text in request.files().items():
            (folder / name).write_bytes(os.fsencode(text))
        command = [
            *toolchain.command,
            *toolchain.flags,
            *request.options(),
            # -MD, not -MMD: folders of CPLUS_INCLUDE_PATH count as the system's.
            *("-MD", "-MF", str(depfile), "-MT", "kernel"),
            *("-fPIC", "-shared", "-fdiagnostics-color=never", "-o", str(library), str(unit)),
            *toolchain.libraries,
        ]
        started_ns = time.time_ns()
        result = _run(command, folder)
        if result.returncode != 0:
            text = summarize(result.stderr, request.source.label, request.name, str(folder))
            raise CompileError(f"kernel {request.name!r} does not compile:\n{text}")
        _warn(own_warnings(result.stderr, request.source.label, str(folder)))
        own = {str(folder / name) for name in request.files()}
        dependencies = _dependencies(os.fsdecode(depfile.read_bytes())) - own
        return cache.store(key, library, sorted(dependencies), started_ns)


def _warn(messages: list[str]) -> None:
    for message in messages:
        # Seen from here: _compile, compile_kernel, and then who called it.
        warnings.warn(message, KernelWarning, stacklevel=4)


def _run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    # What a killed compiler leaves behind lies in the build's own folder.
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder)}
    # They would have the compiler write a file of their own.
    for name in ("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"):
        environment.pop(name, None)
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise CompileError(f"the compiler {command[0]} cannot be started ({error})") from error


def _dependencies(rule: str) -> set[str]:
    """Absolute paths of a make rule, where a backslash escapes spaces and line ends, and a dollar
    sign itself.
    """
    prerequisites = rule.replace("\\\n", " ").split(":", 1)[1].replace("$$", "$")
    names = re.findall(r"(?:\\.|[^\s\\])+", prerequisites)
    return {str(Path(re.sub(r"\\([\s#:\\])", r"\1", name)).absolute()) for name in names}
