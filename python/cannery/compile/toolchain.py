# SPDX-License-Identifier: Apache-2.0
"""Finds the host compiler with its flags, and the programs CMake and ninja. Makes the texts that
identify compiler and flags in the keys of the kernel cache.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cannery import _runtime
from cannery.compile.cores import Core
from cannery.errors import CanneryError, CompileError

__all__ = [
    "Toolchain",
    "build_tool",
    "clang_command",
    "clang_instead",
    "compiler_command",
    "find_toolchain",
    "likely_toolchains",
    "stamp",
    "without_dependencies",
    "without_preprocessing",
]

_STANDARD = ("-std=", "--std=")
_CANDIDATES = ("g++", "c++", "clang++")
#: Errors of g++ about C++ that clang and a card's compiler, which is a clang, accept. Some versions
#: of g++ crash after such an error.
_CLANG_ACCEPTS = (
    "explicit specialization in non-namespace scope",
    "internal compiler error: Segmentation fault",
)
#: Some kernels set and wait for a flag whose number they never set. With the first option such a
#: number is 0 in each run; older versions of g++ do not have it, and clang's driver hides it.
#: The second one is for values that a field cuts, which the twin reports (T402).
_CLANG_FLAGS = (
    *("-Xclang", "-ftrivial-auto-var-init=zero"),
    "-Wno-constant-conversion",
)
_GET_CLANG = (
    "try: install clang (Debian, Ubuntu: apt install clang; RHEL, openEuler: dnf install clang; or "
    "pip install 'cannery[clang]'), which a card's compiler is, too; g++ does not accept "
    "explicit specialisations inside a class"
)
#: Environment variables of compilers: _SEARCH_PATHS are lists of folders to search, _VALUES change
#: the result in other ways.
_SEARCH_PATHS = (
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
    *("COMPILER_PATH", "LIBRARY_PATH"),
)
#: Options for lists of included files, and other options of the preprocessor.
_DEPENDENCIES = ("-MD", "-MMD", "-MP", "-MF", "-MT", "-MQ")
_PREPROCESSING = ("-D", "-U", "-I", "-include", "-isystem", "-iquote", "-idirafter", "-imacros")
_WITHOUT_VALUE = ("-MD", "-MMD", "-MP")
_VALUES = ("GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH", "CCC_OVERRIDE_OPTIONS")


@dataclass(frozen=True)
class Toolchain:
    """A compiler command (one or more words) with the flags that every kernel gets."""

    command: tuple[str, ...]
    flags: tuple[str, ...]
    core_flags: dict[Core, tuple[str, ...]]  #: flags added for one kind of core
    debug_flags: tuple[str, ...]  #: flags added for a debugger
    libraries: tuple[str, ...]
    host_link_flags: tuple[str, ...]
    include: Path  #: the folder of the twin's own headers
    #: texts that change whenever the same source could be compiled to different code
    identity: tuple[str, ...]

    @property
    def standard(self) -> tuple[str, ...]:
        """Returns the flags with the C++ standard of kernels, for host code that is in the same
        source.
        """
        return tuple(
            flag for flag in self.flags if flag.startswith((*_STANDARD, "-Wno-deprecated"))
        )

    @property
    def process_flags(self) -> tuple[str, ...]:
        """Returns linker flags for a program that contains kernels. With these flags, a call such
        as exit in a kernel ends the kernel, not the program.
        """
        return tuple(flag for flag in self.libraries if flag.startswith("-Wl,--wrap=exit,"))


def compiler_command() -> tuple[str, ...] | None:
    """Returns the words of CXX, or the first of g++, c++ and clang++ on PATH, or another clang;
    None if there is none.
    """
    given = os.environ.get("CXX", "")
    try:
        chosen = shlex.split(given)
    except ValueError as error:
        raise CompileError(
            f"CXX is {given!r}, which is no command as a shell reads it ({error}); name a compiler"
        ) from None
    for words in [chosen] if chosen else [[name] for name in _CANDIDATES]:
        program = shutil.which(words[0])
        if program:
            return (program, *words[1:])
    return None if chosen else clang_command()


def clang_command() -> tuple[str, ...] | None:
    """Returns clang++ or the newest clang++-N on PATH, or else the clang of the package ziglang."""
    versions: dict[int, str] = {}
    for folder in os.get_exec_path():
        for path in Path(folder).glob("clang++-*"):
            number = path.name.removeprefix("clang++-")
            if number.isdecimal() and os.access(path, os.X_OK):
                versions.setdefault(int(number), str(path))
    program = shutil.which("clang++") or (versions[max(versions)] if versions else None)
    if program is not None:
        return (program,)
    package = importlib.util.find_spec("ziglang")
    if package is None or package.origin is None:
        return None
    # zig's own driver has another C++ library; its clang takes the library of g++.
    home = Path(package.origin).parent
    target = f"--target={platform.machine()}-linux-gnu"
    options = ("--driver-mode=g++", target, "-resource-dir", str(home / "lib"))
    return (str(home / "zig"), "clang", *options)


def find_toolchain() -> Toolchain:
    """Returns the compiler and the twin's flags; raises CompileError if the compiler or a file of
    the twin is missing.
    """
    command = compiler_command()
    if command is None:
        wanted = os.environ.get("CXX") or " or ".join(_CANDIDATES)
        raise CompileError(
            f"no C++ compiler: {wanted} is not on PATH; install one (Debian, Ubuntu: "
            "apt install g++; RHEL, openEuler: dnf install gcc-c++) or name yours in CXX"
        )
    return _toolchain(command)


def likely_toolchains() -> Iterator[Toolchain]:
    """Yields the toolchains with which a kernel may have been compiled before."""
    first = find_toolchain()
    yield first
    clang = None if os.environ.get("CXX") else clang_command()
    if clang is not None and clang != first.command:
        yield _toolchain(clang)


def clang_instead(toolchain: Toolchain, error: CompileError) -> Toolchain:
    """Returns the toolchain of a clang if `error` is one that clang does not have. Otherwise raises
    the error; if there is no clang, or CXX names another compiler, with a way to get one.
    """
    if not any(text in str(error) for text in _CLANG_ACCEPTS):
        raise error
    if os.environ.get("CXX"):
        found = clang_command()
        way = f"CXX={shlex.quote(shlex.join(found))}, or no CXX" if found else "no CXX"
        raise CompileError(f"{error}\ntry: {way}") from None
    clang = clang_command()
    if clang is None or clang == toolchain.command:
        raise CompileError(f"{error}\n{_GET_CLANG}") from None
    return _toolchain(clang)


def _toolchain(command: tuple[str, ...]) -> Toolchain:
    root = _runtime.twin_root()
    found = _for_compiler(command, root, _stamps(command))
    return replace(found, identity=(*found.identity, *_surroundings(command)))


@functools.lru_cache(maxsize=8)
def _for_compiler(command: tuple[str, ...], root: Path, stamps: tuple[str, ...]) -> Toolchain:
    library = root / "lib" / "libcannery_twin.so"
    include = root / "include"
    clang = any("clang" in Path(word).name for word in command[:2])
    flags = (*_kernel_flags(root, "flags"), *(_CLANG_FLAGS if clang else ()), f"-I{include}")
    if any(word.startswith(_STANDARD) for word in command):
        # These flags come behind the words of CXX, so they would replace the user's standard.
        flags = tuple(flag for flag in flags if not flag.startswith(_STANDARD))
    core_flags = {core: tuple(_kernel_flags(root, f"flags_{core.value}")) for core in Core}
    debug_flags = tuple(_kernel_flags(root, "flags_debug"))
    libraries = (
        f"-L{library.parent}",
        "-lcannery_twin",
        # -Wl would cut a path with a comma into two options.
        *("-Xlinker", "-rpath", "-Xlinker", str(library.parent)),
        *_kernel_flags(root, "link_flags"),
    )
    # The stamp of the twin's library is a part of the cache's keys, because a kernel may not work
    # with another build of the twin.
    identity = (*command, *stamps, stamp(library), _cpu())
    host = tuple(_kernel_flags(root, "host_link_flags"))
    return Toolchain(command, flags, core_flags, debug_flags, libraries, host, include, identity)


def _stamps(command: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the stamps of all programs in a command such as `ccache g++`."""
    programs = [word for word in map(shutil.which, command) if word is not None]
    return tuple(stamp(Path(program)) for program in programs)


def _surroundings(command: tuple[str, ...]) -> list[str]:
    """Returns the environment variables that decide which files the compiler reads. If the command
    has options, adds the working directory, because options may have relative paths.
    """
    parts = []
    for name in _SEARCH_PATHS:
        value = os.environ.get(name)
        if value is not None:
            # An empty entry means the working directory.
            parts += [name, *map(os.path.abspath, value.split(os.pathsep))]
    parts += [f"{name}={os.environ[name]}" for name in _VALUES if name in os.environ]
    return parts if len(command) == 1 else [*parts, os.getcwd()]


def _kernel_flags(root: Path, name: str) -> list[str]:
    """Returns the flags that the operators' own kernels were built with, one in each line."""
    path = root / "kernel_flags" / f"{name}.txt"
    try:
        return path.read_text().split("\n")[:-1]
    except OSError as error:
        raise CompileError(f"{path} cannot be read ({error}); reinstall cannery") from error


def without_dependencies(options: Sequence[str]) -> tuple[str, ...]:
    """Returns the options without those for lists of included files."""
    return _without(options, _DEPENDENCIES)


def without_preprocessing(options: Sequence[str]) -> tuple[str, ...]:
    """Returns the options for a source that is already preprocessed."""
    return _without(options, (*_DEPENDENCIES, *_PREPROCESSING))


def _without(options: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Returns the options without the options `names` and their values (same or next word)."""
    kept: list[str] = []
    rest = iter(options)
    for word in rest:
        if word in names and word not in _WITHOUT_VALUE:
            next(rest, None)
        elif not word.startswith(tuple(names)):
            kept.append(word)
    return tuple(kept)


def stamp(path: Path) -> str:
    """Returns path, size and time of a file after all links are resolved. ccache distinguishes
    compilers in the same way.
    """
    try:
        status = path.resolve().stat()
    except OSError as error:
        raise CompileError(f"{path} cannot be read ({error}); reinstall cannery") from error
    return f"{path.resolve()}:{status.st_size}:{status.st_mtime_ns}"


@functools.cache
def _cpu() -> str:
    """Returns a text that identifies the CPU. Kernels are compiled for this CPU, and other machines
    may use the same cache.
    """
    features = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            features = next((line for line in file if line.startswith(("flags", "Features"))), "")
    except OSError:
        pass
    return f"{platform.machine()} {features.strip()}"


def build_tool(name: str) -> str:
    """Returns the path of CMake or ninja: in this Python's environment, or on PATH."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        raise CanneryError(f"no {name}: run `{sys.executable} -m pip install {name}`")
    return found
