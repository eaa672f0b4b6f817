# SPDX-License-Identifier: Apache-2.0
"""cannery.load_op_host: compiles a user's sources of op_host with the host's compiler."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cannery import _runtime
from cannery.compile.cache import Entry, KernelCache, digest
from cannery.compile.diagnostics import summarize
from cannery.compile.process import dependencies, run
from cannery.compile.request import Defines, define_list
from cannery.compile.toolchain import Toolchain, find_toolchain
from cannery.errors import CanneryError, CompileError
from cannery.optiling import calls
from cannery.optiling.operators import HostSide
from cannery.optiling.result import Tiling
from cannery.optiling.run import OpHostSources, run_operator
from cannery.settings import cache_dir

__all__ = ["HostOperator", "OpHost", "load_op_host"]

# The flags of the toolkit's project, but with C++17, because newer sources need more than C++11,
# and with -g, because the fields of structs are read from the debug information.
_FLAGS = ("-std=c++17", "-O2", "-g", "-fPIC", "-fvisibility=hidden")
_SOURCES = (".cpp", ".cc", ".cxx", ".C")


class HostOperator:
    """An operator in sources that `load_op_host` has compiled."""

    def __init__(self, host: HostSide, sources: OpHostSources) -> None:
        self._host = host
        self._sources = sources

    @property
    def name(self) -> str:
        """The type of the operator."""
        return self._host.op

    @property
    def definition(self) -> dict[str, Any] | None:
        """The operator's OpDef as a table: inputs, outputs, attrs, socs; None if it has no
        OpDef.
        """
        return self._host.definition

    def __repr__(self) -> str:
        return f"<cannery host side of {self.name} from {', '.join(map(str, self._sources.files))}>"

    def tiling(
        self,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any] | None = None,
        *,
        soc: str | None = None,
        outputs: Sequence[Any] | None = None,
        deterministic: bool = False,
    ) -> Tiling:
        """Does the same as `cannery.tiling`. If the sources have no definition (OP_ADD), the
        attributes have the given order, and there is one output unless `outputs` says otherwise.
        """
        return self._host.tiling(inputs, attrs, soc, outputs, deterministic)

    def __call__(
        self,
        kernel: Any,
        arrays: Sequence[Any],
        attrs: Mapping[str, Any] | None = None,
        *,
        soc: str | None = None,
        outputs: Sequence[Any] | None = None,
    ) -> Any:
        """Runs tiling, then launches `kernel` with the result; returns the output, or a tuple of
        several.

        kernel: the result of `compile_kernel` or `load`, or the file of the kernel's source. A
        source is compiled for the dtypes of the arrays (DTYPE_X, ORIG_DTYPE_X, FORMAT_X), with the
        tiling headers of op_host before it. The kernel's parameters are inputs, outputs, workspace,
        tiling.
        arrays: in the prototype's order, C-contiguous; None for an absent optional one.
        attrs, soc: the same as for `tiling`.
        outputs: arrays that are written, or (shape, dtype); the default is inferred.

        Raises AclnnError with status and sentence if the operator refuses the call, KernelError if
        the kernel fails, CompileError if its source cannot be compiled.
        """
        return run_operator(self._host, self._sources, kernel, arrays, attrs or {}, soc, outputs)


class OpHost:
    """The operators in compiled sources: `host["AddCustom"]`, `host.AddCustom`. If there is only
    one operator, `host.tiling(...)` and `host(kernel, arrays)` call it.
    """

    def __init__(self, operators: Mapping[str, HostOperator]) -> None:
        self._operators = dict(operators)

    @property
    def operators(self) -> tuple[str, ...]:
        """The types of the operators."""
        return tuple(self._operators)

    def __getitem__(self, name: str) -> HostOperator:
        if name not in self._operators:
            raise KeyError(f"no operator {name!r}; there are {', '.join(self._operators)}")
        return self._operators[name]

    def __getattr__(self, name: str) -> HostOperator:
        if name.startswith("_") or name not in self._operators:
            raise AttributeError(
                f"no operator {name!r}; there are {', '.join(self.operators)}", name=name, obj=self
            )
        return self._operators[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._operators})

    def __repr__(self) -> str:
        return f"<cannery op_host with {', '.join(self._operators)}>"

    def tiling(self, /, *arguments: Any, **named: Any) -> Tiling:
        """Calls `HostOperator.tiling` of the only operator; TypeError if there are several."""
        return self._only().tiling(*arguments, **named)

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """Calls the only operator; TypeError if there are several."""
        return self._only()(*arguments, **named)

    def _only(self) -> HostOperator:
        if len(self._operators) != 1:
            raise TypeError(
                f"these sources have several operators, {', '.join(self._operators)}: name one, "
                f"as in op.{next(iter(self._operators))}.tiling(...)"
            )
        return next(iter(self._operators.values()))


def load_op_host(
    files: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    include_dirs: Iterable[str | os.PathLike[str]] = (),
    defines: Defines | None = None,
) -> OpHost:
    """Compiles sources of op_host in the layout of msopgen, and loads the operators that they
    register.

    files: a source, several sources, or a folder, which stands for its *.cpp.
    include_dirs: further folders to search; the folders op_host and op_kernel around and beside the
    files are always searched.
    defines: macros, as {"NAME": 1} or ["NAME=1"].

    The result is cached as compiled kernels are. Raises CompileError with the compiler's messages,
    CanneryError if the sources register no operator, or one operator twice, ValueError if a file
    does not exist. The sources' own code runs in this process: at the load, and at each request.
    """
    sources = _sources(files)
    if isinstance(include_dirs, str | os.PathLike):
        include_dirs = (include_dirs,)
    folders = (*(str(Path(path).absolute()) for path in include_dirs), *_folders_beside(sources))
    macros = define_list(defines)
    library, read = _library(sources, folders, macros)
    headers = tuple(path for path in map(Path, sorted(read)) if _has_tiling_classes(path))
    described = calls.describe(os.fsencode(library))
    with_tiling = [entry for entry in described if entry["tiling"] or entry["definition"]]
    named = ", ".join(map(str, sources))
    if not with_tiling:
        raise CanneryError(
            f"{named}: no operator; expected OP_ADD(...), or IMPL_OP_OPTILING(...) with a tiling "
            "function"
        )
    for entry in described:
        if entry["repeated"]:
            raise CanneryError(
                f"{named}: {entry['type']} has two registrations ({entry['repeated']}), of which "
                "the last would count; give the files of one operator once"
            )
    found = OpHostSources(sources, folders, macros, headers)
    return OpHost(
        {
            entry["type"]: HostOperator(HostSide(library, library, entry["type"]), found)
            for entry in with_tiling
        }
    )


def _sources(files: Any) -> tuple[Path, ...]:
    if isinstance(files, str | os.PathLike):
        files = (files,)
    if not isinstance(files, Iterable):
        raise TypeError(f"files: expected paths, got {files!r}")
    found: list[Path] = []
    for file in files:
        if not isinstance(file, str | os.PathLike):
            raise TypeError(f"files: expected paths, got {file!r}")
        path = Path(file).absolute()
        inside = sorted(path.glob("*.cpp")) if path.is_dir() else [path]
        if not inside or not all(one.is_file() for one in inside):
            missing = "no *.cpp in this folder" if path.is_dir() else "no such file"
            raise ValueError(f"files: {path}: {missing}; expected sources of op_host")
        if path.suffix not in _SOURCES and not path.is_dir():
            expected = ", ".join(_SOURCES)
            raise ValueError(f"files: {path}: expected a C++ source of op_host ({expected})")
        found += inside
    if not found:
        raise ValueError("files: expected at least one source of op_host")
    return tuple(dict.fromkeys(found))


def _folders_beside(sources: Sequence[Path]) -> tuple[str, ...]:
    """Returns the folders op_host that contain the files, and the folders op_kernel beside them."""
    found: dict[str, None] = {}
    for source in sources:
        for folder in source.parents:
            if folder.name == "op_host":
                found[str(folder)] = None
                if (folder.parent / "op_kernel").is_dir():
                    found[str(folder.parent / "op_kernel")] = None
    return tuple(found)


def _has_tiling_classes(header: Path) -> bool:
    if header.suffix not in (".h", ".hpp") or header.is_relative_to(_runtime.twin_root()):
        return False
    try:
        return b"REGISTER_TILING_DATA_CLASS" in header.read_bytes()
    except OSError:
        return False


def _library(
    sources: tuple[Path, ...], folders: tuple[str, ...], macros: tuple[str, ...]
) -> tuple[Path, list[str]]:
    """Returns the compiled library, and the files that the compiler read for it."""
    toolchain = find_toolchain()
    cache = KernelCache(cache_dir())
    options = [*_FLAGS, *(f"-D{macro}" for macro in macros), *(f"-I{path}" for path in folders)]
    flags = [*options, *toolchain.host_link_flags]
    key = digest(["op_host", *map(str, sources), "", *flags, *toolchain.identity])
    found = cache.find(key)
    if found is None:
        with cache.lock(key):
            found = cache.find(key) or _compile(sources, options, toolchain, cache, key)
    return found.libraries[0], list(found.dependencies)


def _compile(
    sources: tuple[Path, ...],
    options: list[str],
    toolchain: Toolchain,
    cache: KernelCache,
    key: str,
) -> Entry:
    include = f"-I{toolchain.include}"
    lib = str(_runtime.twin_root() / "lib")
    with cache.workspace() as folder:
        started_ns = time.time_ns()

        def compile_one(number: int) -> tuple[Path, set[str]]:
            output, depfile = folder / f"{number}.o", folder / f"{number}.d"
            command = [*toolchain.command, *options, include, "-MD", "-MF", str(depfile)]
            command += ["-MT", "op_host", "-fdiagnostics-color=never"]
            _run([*command, "-c", str(sources[number]), "-o", str(output)], folder, sources[number])
            return output, dependencies(os.fsdecode(depfile.read_bytes()))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            compiled = list(pool.map(compile_one, range(len(sources))))
        library = folder / "op_host.so"
        command = [*toolchain.command, "-shared", "-o", str(library)]
        command += [*(str(output) for output, _ in compiled), f"-L{lib}"]
        command += ["-lnnopbase", "-lascendcl", "-lcannery_twin", "-Xlinker", "--no-undefined"]
        command += toolchain.host_link_flags
        command += ["-Xlinker", "-rpath", "-Xlinker", lib]
        _run(command, folder, *sources)
        read = {path for _, paths in compiled for path in paths}
        return cache.store(key, [library], sorted(read), started_ns)


def _run(command: list[str], folder: Path, *sources: Path) -> None:
    result = run(command, folder)
    if result.returncode != 0:
        named = ", ".join(map(str, sources))
        told = summarize(result.stderr, str(sources[0]), named, str(folder))
        raise CompileError(f"{named} cannot be compiled:\n{told}")
