# SPDX-License-Identifier: Apache-2.0
"""compile_kernel with the backend npu: bisheng compiles the kernel, and the host function that
launches it, into one library.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cannery import _runtime
from cannery._toolkit import home
from cannery.compile.cache import Entry, KernelCache, digest
from cannery.compile.call import Call
from cannery.compile.cores import KERNEL_TYPES
from cannery.compile.diagnostics import own_warnings, summarize
from cannery.compile.kernel import Kernel, only_one
from cannery.compile.launch_form import (
    ARCHITECTURES,
    launch_unit,
    reading_unit,
    refuse_launches,
    start_type,
)
from cannery.compile.parameters import Parameter
from cannery.compile.process import dependencies, run
from cannery.compile.request import UNIT, Request
from cannery.compile.toolchain import stamp
from cannery.errors import CompileError, KernelWarning, TwinOnlyError
from cannery.settings import cache_dir, current_backend

__all__ = ["CardKernel", "Toolkit", "card_kernel", "find_toolkit"]

#: A compilation that takes longer is killed.
TIMEOUT_S = 600.0
#: Folders that may contain bisheng and the device API; the folder depends on the toolkit's version.
_DEVKITS = ("compiler", "tools", "ascendc_devkit")
_INCLUDES = ("", "tikcfw", "tikcfw/impl", "tikcfw/interface")
_FLAGS = ("-O3", "-std=c++17", "-xcce", "-fPIC", "--cce-auto-sync")
_LLVM = (
    "-cce-aicore-stack-size=0x8000",
    "-cce-aicore-function-stack-size=0x8000",
    "-cce-aicore-record-overflow=true",
    "-cce-aicore-addr-transform",
    "-cce-aicore-dcci-insert-for-scalar=false",
)
_QUIET = ("-Wno-macro-redefined", "-Wno-ignored-attributes")
_LIBRARIES = ("-lruntime", "-lstdc++", "-lascendcl", "-lm", "-lc_sec", "-ldl")
#: Part of each cache key: with a new number, every kernel is compiled again.
_VERSION = ("card", "2")


@dataclass(frozen=True)
class Toolkit:
    """Paths of the parts of a toolkit that are needed to compile kernels."""

    bisheng: Path
    device_api: Path  #: the folder tikcpp, which contains the device API
    home: Path


def find_toolkit() -> Toolkit:
    """Returns the toolkit on this machine; raises CompileError if a part is missing."""
    found = home()
    if found is None:
        raise CompileError(
            "compile_kernel for a card needs the CANN toolkit, and ASCEND_HOME_PATH is not set; "
            "`source <toolkit>/set_env.sh` in this shell, or choose backend='twin'"
        )
    kits = [found / name for name in _DEVKITS]
    places = [kit / "ccec_compiler" / "bin" / "bisheng" for kit in kits]
    on_path = shutil.which("bisheng")
    places += [Path(on_path)] if on_path else []
    bisheng = next((path for path in places if os.access(path, os.X_OK) and path.is_file()), None)
    headers = [kit / "tikcpp" for kit in kits]
    api = next((p for p in headers if (p / "tikcfw" / "kernel_operator.h").is_file()), None)
    if bisheng is None or api is None:
        missing = "bisheng" if bisheng is None else "tikcpp/tikcfw/kernel_operator.h"
        tried = ", ".join(map(str, places if bisheng is None else headers))
        raise CompileError(
            f"the toolkit {found} has no {missing} (looked at: {tried}); install the whole "
            "toolkit package (Ascend-cann-toolkit_*.run), its runtime part alone compiles nothing"
        )
    return Toolkit(bisheng, api, found)


class CardKernel(Kernel):
    """A kernel for a card. It is compiled separately for each tiling key, as in the toolkit."""

    def __init__(self, request: Request, library: Path) -> None:
        super().__init__((library,), request.name, request.arguments)
        self._request = request
        self._libraries = {0: library}
        self._by_key: dict[int, Any] = {}

    def __reduce__(self) -> tuple[object, ...]:
        return (card_kernel, (self._request,))

    def _takes(self) -> tuple[Parameter, ...]:
        return ()

    def _settings(self, files: dict[str, Path], how: dict[str, str]) -> dict[str, str | bytes]:
        return {}

    def _native_for(self, call: Call, files: dict[str, Path]) -> Any:
        key = call.key
        if files:
            raise TwinOnlyError(
                "dump, record, outputs, ub_map: the record of a launch is the twin's; a card shows "
                "none"
            )
        native = _runtime.native()
        if current_backend() != "npu":
            raise TwinOnlyError(f"kernel {self.name!r} was compiled for a card")
        if key not in self._by_key:
            if not self._libraries.get(key, Path()).is_file():
                self._libraries[key] = _library(self._request, key)
            self._by_key[key] = native.Kernel(os.fsencode(self._libraries[key]), self.name, True)
        return self._by_key[key]


def card_kernel(request: Request) -> Kernel:
    """Compiles the kernel for tiling key 0. The first launch with another key compiles it again."""
    refuse_launches(request)
    return only_one(CardKernel(request, _library(request, 0)), request)


def _library(request: Request, key: int) -> Path:
    toolkit = find_toolkit()
    cache = KernelCache(cache_dir())
    choices = [str(request.kernel_type), str(key), *_options(toolkit, request, key)]
    identity = [*_VERSION, stamp(toolkit.bisheng), str(toolkit)]
    name = digest([*identity, *request.files().values(), *choices])
    found = cache.find(name)
    if found is None:
        with cache.lock(name):
            found = cache.find(name)
            if found is None:
                with cache.workspace() as folder:
                    found = _Build(request, toolkit, key, folder).into(cache, name)
    return found.libraries[0]


def _options(toolkit: Toolkit, request: Request, key: int) -> list[str]:
    """Returns all options of a compilation except the option that chooses the kind of core."""
    folders = [toolkit.device_api / part for part in _INCLUDES]
    folders += [toolkit.home / "include"]
    return [
        *_FLAGS,
        *(word for option in _LLVM for word in ("-mllvm", option)),
        *_QUIET,
        f"-DTILING_KEY_VAR={key}UL",
        *request.source_options(),
        *(f"-I{folder}" for folder in folders),
    ]


@dataclass
class _Build:
    """Compiles one kernel for one tiling key, in a folder of its own."""

    request: Request
    toolkit: Toolkit
    key: int
    folder: Path

    def into(self, cache: KernelCache, name: str) -> Entry:
        started_ns = time.time_ns()
        text = self._text()
        kind = start_type(self.request, text, self.key)
        self._write(launch_unit(self.request, text, kind))
        compiled, library, depfile = (self.folder / f"kernel.{end}" for end in ("o", "so", "d"))
        written = ["-MD", "-MF", str(depfile), "-MT", "kernel", "-c"]
        said = self._bisheng([*self._flags(kind), *written, str(self.folder / UNIT)], compiled)
        link = ["--cce-fatobj-link", f"-L{self.toolkit.home / 'lib64'}", *_LIBRARIES, "--shared"]
        self._bisheng([*link, str(compiled)], library)
        for message in own_warnings(said, self.request.source.label, str(self.folder)):
            # Makes the warning name the user's line: the fifth stack frame, which called
            # `compile_kernel`.
            warnings.warn(message, KernelWarning, stacklevel=5)
        # Without a list of the kernel's headers, the kernel gets no entry in the cache.
        read = dependencies(os.fsdecode(depfile.read_bytes())) if depfile.is_file() else None
        own = {str(self.folder / copy) for copy in self.request.files()}
        known = None if read is None else sorted(read - own)
        return cache.store(name, [library], known, started_ns)

    def _text(self) -> str:
        """Returns the preprocessed source, once for each kind of core. It includes the text of the
        user's headers, but no text of the toolkit's headers.
        """
        self._write(reading_unit())
        output = self.folder / "kernel.i"
        texts = []
        for kind in ("AIV_ONLY", "AIC_ONLY"):
            flags = self._flags(KERNEL_TYPES[kind])
            self._bisheng([*flags, "--cce-aicore-only", "-E", str(self.folder / UNIT)], output)
            text = output.read_text("utf-8", "surrogateescape")
            texts.append(_without_headers_of(self.toolkit, text))
        return "\n".join(texts)

    def _write(self, unit: str) -> None:
        for name, text in {**self.request.files(), UNIT: unit}.items():
            (self.folder / name).write_bytes(os.fsencode(text))

    def _flags(self, kind: int) -> list[str]:
        arch = f"--cce-aicore-arch={ARCHITECTURES[kind]}"
        return [arch, *_options(self.toolkit, self.request, self.key)]

    def _bisheng(self, arguments: list[str], output: Path) -> str:
        """Runs bisheng and returns its messages; raises CompileError if it fails."""
        command = [str(self.toolkit.bisheng), *arguments, "-o", str(output)]
        done = run(command, self.folder, TIMEOUT_S)
        said = done.stderr + done.stdout
        name = self.request.name
        if done.returncode != 0:
            text = summarize(said, self.request.source.label, name, str(self.folder))
            raise CompileError(f"kernel {name!r} does not compile with bisheng:\n{text}")
        if not output.is_file():
            raise CompileError(f"{command[0]} ends well, but writes nothing; is it a compiler?")
        return said


def _without_headers_of(toolkit: Toolkit, preprocessed: str) -> str:
    """Returns the text without the lines of the toolkit's headers. The preprocessor's line markers
    show the file of each line.
    """
    kept: list[str] = []
    theirs = False
    api = toolkit.device_api
    roots = toolkit.home, *(folder.resolve() for folder in (toolkit.home, api, api / "tikcfw"))
    for line in preprocessed.splitlines():
        marker = re.match(r'#(?:line)? \d+ "(.*)"', line)
        if marker is not None:
            file = Path(marker[1])
            theirs = any(map(file.is_relative_to, roots))
        elif not theirs:
            kept.append(line)
    return "\n".join(kept)
