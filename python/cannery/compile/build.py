# SPDX-License-Identifier: Apache-2.0
"""compile_kernel: loads a kernel from the cache, or compiles it. If several processes want the same
kernel at the same time, only one compiles it.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from operator import or_
from pathlib import Path

from cannery.compile.api_levels import TABLE, missing_names, read_texts
from cannery.compile.cache import Entry, KernelCache, digest
from cannery.compile.card import card_kernel
from cannery.compile.checked import UNCHECKED, compile_checked
from cannery.compile.cores import (
    Core,
    Marks,
    cores_of,
    file_tells_apart,
    likely_cores,
    read_marks,
    tells_apart,
)
from cannery.compile.diagnostics import own_warnings, summarize, without_quotes
from cannery.compile.entry import declaration_faults
from cannery.compile.kernel import Kernel, kernel_of
from cannery.compile.portability import PROCESS_CALL, Finding, findings, is_system
from cannery.compile.process import dependencies, run
from cannery.compile.request import UNIT, Defines, KernelType, Request, make_request
from cannery.compile.source import Source
from cannery.compile.toolchain import (
    Toolchain,
    clang_instead,
    find_toolchain,
    likely_toolchains,
    stamp,
)
from cannery.errors import CompileError, KernelWarning, TwinOnlyError
from cannery.settings import api_level, cache_dir, current_backend

__all__ = ["compile_kernel", "dependencies_of", "libraries_of"]

_CACHE_VERSION = "3"
_MAX_FINDINGS = 10
_HOST_LIBRARIES = ("-Xlinker", "--as-needed", "-lnnopbase", "-lascendcl")
_UNSURE = "; whether a card's compiler takes that in device code is documented nowhere"
_UNREAD = (
    "kernel {!r} was not checked for what a card's compiler does not take ({}); it runs on the twin"
)
#: Flags for the portability check: recursive calls remain in the machine code, double arithmetic
#: causes warnings, and relocations show what each function refers to.
_PORTABLE = ["-fno-optimize-sibling-calls", "-Wdouble-promotion", "-Xlinker", "--emit-relocs"]


def compile_kernel(
    source: Source,
    name: str,
    defines: Defines | None = None,
    include_dirs: Iterable[str | os.PathLike[str]] = (),
    kernel_type: KernelType | None = None,
    portable: bool = True,
    debug: bool = False,
) -> Kernel:
    """Compiles the Ascend C kernel `name` for the backend and returns it as a callable.

    source: the text of the kernel, or the path of a file with it.
    defines: macros, as {"TILE": 64} or ["TILE=64"].   include_dirs: folders for the source's own
    headers.
    kernel_type: overrides what the source says or implies, e.g. "MIX_AIC_1_2".
    portable: True makes it an error to use what a card's compiler rejects in device code: the STL,
    `new`, virtual functions, recursion, ... (docs/portability.md). False allows it, for the twin.
    debug: compiles without optimisation, for a debugger. An overflow in the kernel's own arithmetic
    is then an error with its line (docs/debugging.md). Only the twin supports it.

    The result is cached (cannery.use(cache_dir=...)) by the content of source and headers, flags,
    compiler, environment of the compiler, and CPU. If several processes ask for the same kernel at
    the same time, it is compiled once. The cache does not notice a new header that hides another
    one on the include path. Compiler warnings in the kernel's own lines become a KernelWarning,
    also if the kernel comes from the cache.

    With the backend npu the toolkit's compiler, bisheng, makes libraries that launch the kernel,
    one for each tiling key that is used (docs/on-a-card.md).

    Raises CompileError with the compiler's messages, or if there is no compiler or no writable
    cache. Raises ValueError or TypeError for wrong arguments.
    """
    request = make_request(source, name, defines, include_dirs, kernel_type, portable, debug)
    if current_backend() == "npu":
        if debug:
            raise TwinOnlyError(
                "debug: such a kernel runs on the twin; a card has its own debugger"
            )
        return card_kernel(request)
    return kernel_of(libraries_of(request), name, request.arguments)


def libraries_of(request: Request) -> tuple[Path, ...]:
    """Returns the libraries of a request, from the cache or compiled now. The first library is the
    one to load.
    """
    if request.debug and request.portable:
        # The portability check needs optimised code, which refers to less of the standard library.
        libraries_of(replace(request, debug=False))
        request = replace(request, portable=False)
    cache = KernelCache(cache_dir())
    keys = (_key(request, each) for each in likely_toolchains())
    found = next(filter(None, map(cache.find, keys)), None)
    if found is None:
        toolchain = find_toolchain()
        try:
            found = _cached(request, toolchain, cache)
        except CompileError as error:
            found = _cached(request, clang_instead(toolchain, error), cache)
    _warn(found.warnings)
    return found.libraries


def _cached(request: Request, toolchain: Toolchain, cache: KernelCache) -> Entry:
    key = _key(request, toolchain)
    with cache.lock(key):
        return cache.find(key) or _compile(request, toolchain, cache, key)


def dependencies_of(request: Request) -> list[str]:
    """Returns the files that the compilation read besides the source; empty if the kernel is not in
    the cache.
    """
    cache = KernelCache(cache_dir())
    keys = (_key(request, each) for each in likely_toolchains())
    return next(filter(None, map(cache.dependencies, keys)), [])


def _key(request: Request, toolchain: Toolchain) -> str:
    command = [*toolchain.flags, *toolchain.libraries, *request.options()]
    for core in Core:
        command += toolchain.core_flags[core]
    files = request.files().values()
    command += _PORTABLE if request.portable else []
    command += toolchain.debug_flags if request.debug else []
    # The cache keeps the warnings, too.
    command += [level, stamp(TABLE)] if (level := api_level()) else []
    return digest([_CACHE_VERSION, *files, *command, "", *toolchain.identity])


@dataclass(frozen=True)
class _Built:
    """The result of compiling the kernel for one kind of core."""

    library: Path
    dependencies: set[str]
    marks: Marks
    messages: str  #: the compiler's messages


@dataclass
class _Build:
    """Compiles one request in its own folder, for each kind of core that the kernel needs."""

    request: Request
    toolchain: Toolchain
    folder: Path
    built: dict[Core, _Built] = field(default_factory=dict)
    failed: dict[Core, str] = field(default_factory=dict)  #: messages for each failed kind
    dependencies: set[str] = field(default_factory=set)
    #: findings of the portability check, each once
    findings: dict[Finding, None] = field(default_factory=dict)
    declared: list[str] = field(default_factory=list)  #: warning about the kernel's declaration
    unread: str = ""  #: error of a failed portability check, otherwise empty
    #: errors of a source that compiles without the checks of fields only, otherwise empty
    unchecked: str = ""

    def run(self) -> None:
        """Compiles the kernel for the kinds of core that its type uses. Only the compiled code
        shows the type, so a search in the source text decides which kinds are compiled first.
        """
        source = self.request.source
        error, warning = declaration_faults(source.text, self.request.own_name, source.label)
        self.declared = [warning] if warning else []
        if error and self.request.portable:
            raise CompileError(f"kernel {self.request.name!r} is no kernel for a card:\n{error}")
        for name, text in self.request.files().items():
            (self.folder / name).write_bytes(os.fsencode(text))
        needed = self._first()
        while missing := [core for core in needed if not self._tried(core)]:
            with ThreadPoolExecutor(len(missing)) as pool:
                list(pool.map(self._compile, missing))
            needed = self._needed()
        if needed & self.failed.keys():
            raise CompileError(self._complaint(needed))
        # The files of every compilation are dependencies: each compilation may have shown the type.
        self.dependencies = {path for one in self.built.values() for path in one.dependencies}
        self.built = {core: self.built[core] for core in Core if core in needed}
        if self.request.portable:
            self._refuse_what_is_not_portable()

    def libraries(self) -> list[Path]:
        """Renames the libraries to the names that the twin expects; returns their paths. The first
        library is the one to load.
        """
        names = [self.folder / name for name in ("kernel.so", "kernel.cube.so")]
        for one, name in zip(self.built.values(), names, strict=False):
            os.replace(one.library, name)
        return names[: len(self.built)]

    def warnings(self) -> list[str]:
        """Returns the warnings of both compilations, each once."""
        label, folder = self.request.source.label, str(self.folder)
        found = [own_warnings(one.messages, label, folder) for one in self.built.values()]
        found += [self._missing_names()]
        found += [self.declared] if self.request.portable else []
        found += [[each.text() + _UNSURE] for each in self.findings]
        found += [[_UNREAD.format(self.request.name, self.unread)]] if self.unread else []
        if self.unchecked:
            reason = summarize(self.unchecked, label, self.request.name, folder)
            found += [[UNCHECKED.format(label, reason)]]
        return list(dict.fromkeys(message for messages in found for message in messages))

    def _missing_names(self) -> list[str]:
        """Returns warnings about names that the chosen level of the toolkit does not have."""
        source = self.request.source
        texts = {source.label: source.text, **read_texts(filter(self._is_users, self.dependencies))}
        return missing_names(texts, lambda: "\n".join(map(self._preprocessed, self.built)))

    def _is_users(self, path: str) -> bool:
        return not (is_system(path) or Path(path).is_relative_to(self.toolchain.include))

    def _tried(self, core: Core) -> bool:
        return core in self.built or core in self.failed

    def _first(self) -> frozenset[Core]:
        if self.request.kernel_type is not None:
            return cores_of([self.request.kernel_type])
        return likely_cores(self.request.source.text, self.request.name)

    def _needed(self) -> frozenset[Core]:
        """Returns the kinds of core that the kernel needs, as far as the compiled code shows."""
        if self.request.kernel_type is not None:
            return cores_of([self.request.kernel_type])
        if not self.built:
            return frozenset(self.failed)
        marks = reduce(or_, (one.marks for one in self.built.values()), Marks())
        if marks.types:
            return cores_of(marks.types)
        if marks.cube or self._tells_apart():
            # Without a kernel type, code that was compiled for one kind of core may lack the parts
            # for the cube.
            hidden = len(self.built) < len(Core)
            return frozenset(Core) if marks.cube or hidden else cores_of([0])
        return cores_of([0])

    def _tells_apart(self) -> bool:
        if tells_apart(self.request.source.text):
            return True
        paths = {path for one in self.built.values() for path in one.dependencies}
        return any(map(file_tells_apart, filter(self._is_users, paths)))

    def _preprocessed(self, core: Core) -> str:
        command = [
            *self.toolchain.command,
            *self.toolchain.flags,
            *self.toolchain.core_flags[core],
            *self.request.options(),
            *("-E", str(self.folder / UNIT)),
        ]
        return run(command, self.folder).stdout

    def _commands(self, core: Core, library: Path, depfile: Path) -> list[list[str]]:
        request, toolchain = self.request, self.toolchain
        portable = _PORTABLE if request.portable else ()
        # -MMD would not do: it leaves out headers in CPLUS_INCLUDE_PATH, because it treats them as
        # system headers.
        depend = ("-MD", "-MF", str(depfile), "-MT", "kernel")
        compile_it = [
            *(*toolchain.command, *toolchain.flags, *toolchain.core_flags[core]),
            *(*request.options(), *portable, *depend),
            *("-fPIC", "-fdiagnostics-color=never"),
        ]
        link = [
            *toolchain.libraries,
            # Host code in the source, such as the registration of tiling data, needs the libraries
            # of the host.
            *(_HOST_LIBRARIES if request.has_host_code else ()),
        ]
        unit = str(self.folder / UNIT)
        if not request.debug:
            return [[*compile_it, "-shared", "-o", str(library), unit, *link]]
        # Compiling and linking are separate steps: one step would also link the runtime library of
        # the compiler's checks, which may not be installed.
        item = str(self.folder / f"{core.value}.o")
        first = [*compile_it, *toolchain.debug_flags, "-c", "-o", item, unit]
        together = [*toolchain.command, *toolchain.flags, *portable, "-shared", "-o", str(library)]
        return [first, [*together, item, *link]]

    def _compile(self, core: Core) -> None:
        library, depfile = self.folder / f"{core.value}.so", self.folder / f"{core.value}.d"
        compile_it, *link = self._commands(core, library, depfile)
        unit, own = str(self.folder / UNIT), str(self.toolchain.include)
        done = compile_checked(compile_it, unit, own, lambda words: run(words, self.folder))
        self.unchecked = done.unchecked or self.unchecked
        messages, code = self._told(done.messages), done.returncode
        for command in link if code == 0 else ():
            result = run(command, self.folder)
            messages, code = messages + self._told(result.stderr), result.returncode
        if code != 0:
            self.failed[core] = messages
            return
        if not (library.exists() and depfile.exists()):
            compiler = self.toolchain.command[0]
            self.failed[core] = f"{compiler} ends well, but writes nothing; is it a compiler?"
            return
        files = {str(self.folder / name) for name in self.request.files()}
        read = dependencies(os.fsdecode(depfile.read_bytes())) - files
        self.built[core] = _Built(library, read, read_marks(library), messages)

    def _told(self, messages: str) -> str:
        source = self.request.source
        return without_quotes(messages, source.label) if source.folder is None else messages

    def _refuse_what_is_not_portable(self) -> None:
        source, include = self.request.source, self.toolchain.include
        for core, one in self.built.items():
            preprocess = partial(self._preprocessed, core)
            try:
                found = findings(one.library, include, source.label, source.text, preprocess)
            # If the check fails for any reason, the kernel is still compiled, and a warning says
            # why.
            except Exception as error:
                self.unread = f"{type(error).__name__}: {error}"
            else:
                self.findings |= dict.fromkeys(found)
        refused = [each.text() for each in self.findings if each.refused]
        if refused:
            more = len(refused) - _MAX_FINDINGS
            lines = [*refused[:_MAX_FINDINGS], *([f"and {more} more"] if more > 0 else [])]
            raise CompileError(
                f"kernel {self.request.name!r} uses what a card's compiler does not accept in a "
                "kernel:\n" + "\n".join(lines) + f"\ntry: {_way_out(self.findings)}"
            )

    def _complaint(self, needed: frozenset[Core]) -> str:
        """Returns the error message. A reason that both kinds of core share is printed once."""
        texts: dict[str, list[str]] = {}
        for core in [core for core in Core if core in needed and core in self.failed]:
            text = summarize(
                self.failed[core], self.request.source.label, self.request.name, str(self.folder)
            )
            texts.setdefault(text, []).append(f"{core.value} cores")
        parts = [
            f"kernel {self.request.name!r} does not compile for {' nor for '.join(cores)}:\n{text}"
            for text, cores in texts.items()
        ]
        if self.built and not any(one.marks.types for one in self.built.values()):
            parts.append(
                "try: KERNEL_TASK_TYPE_DEFAULT(...) in the kernel; it names no type, and what it "
                "uses needs code for both kinds of core"
            )
        return "\n".join(parts)


def _compile(request: Request, toolchain: Toolchain, cache: KernelCache, key: str) -> Entry:
    with cache.workspace() as folder:
        started_ns = time.time_ns()
        build = _Build(request, toolchain, folder)
        build.run()
        read = sorted(build.dependencies)
        return cache.store(key, build.libraries(), read, started_ns, build.warnings())


def _way_out(found: Iterable[Finding]) -> str:
    """Returns what to do about refused findings. The twin refuses calls that end the process, too,
    so for these alone `portable=False` is no way out.
    """
    if all(each.what == PROCESS_CALL for each in found if each.refused):
        return "remove the calls; to end the kernel, return from it"
    return "without them; for the twin alone, in Python, compile_kernel(..., portable=False)"


def _warn(messages: Iterable[str]) -> None:
    for message in messages:
        # The fourth frame is the user's line, after _warn, libraries_of and compile_kernel.
        warnings.warn(message, KernelWarning, stacklevel=4)
