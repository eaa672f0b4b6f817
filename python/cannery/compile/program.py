# SPDX-License-Identifier: Apache-2.0
"""Builds programs from C++ sources that launch kernels with <<<>>>: `cannery cc`.

Each source is compiled for the host. If it launches something, it is also compiled for the kinds of
core that its kernels run on. Every launch gets a library of its own for each kind, with everything
that its kernel uses; the program contains these libraries (twin/core/launch_site.h).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cannery.compile.api_levels import missing_names, read_texts
from cannery.compile.checked import UNCHECKED, edited_texts
from cannery.compile.cores import (
    Core,
    Marks,
    cores_of,
    file_tells_apart,
    likely_jobs,
    ordered,
    read_marks,
)
from cannery.compile.diagnostics import explain_variables, own_warnings, summarize
from cannery.compile.elf import section_names, symbols
from cannery.compile.kernel_source import comments_of_files
from cannery.compile.launch_syntax import rewrite
from cannery.compile.launchers import carrier_source, first_site, write_headers
from cannery.compile.process import start
from cannery.compile.separate import Carried, attach, read_carried
from cannery.compile.tokens import user_files, with_ub_arrays, without_attributes
from cannery.compile.toolchain import (
    Toolchain,
    clang_instead,
    find_toolchain,
    without_dependencies,
    without_preprocessing,
)
from cannery.errors import CompileError

__all__ = ["Program", "build_folder", "build_program"]

_EXPORT = "twin_kernel_binary"
_SITE = re.compile(r"_ZZN4twin6launch4EmitILm(\d+)E.*twin_launch_site_binary(?:_\d+)?")
_VERSION_SCRIPT = "{ global: twin_kernel_binary; local: *; };\n"
#: Sections with code that runs before main. They are removed from the code for cores, because the
#: global objects of a core have constant values.
_HOST_SECTIONS = (
    ".init_array",
    ".init_array.*",
    ".fini_array",
    ".fini_array.*",
    ".ctors",
    ".dtors",
)
_KERNEL_HEADER = "/device/types/dtype.h"
_HOST_FLAGS = ("-O2", "-fPIC", "-fno-strict-aliasing", "-Wno-unknown-pragmas")
#: The build finds a launch by its symbol, so the compiler must not hide symbols. Each launch has
#: its own section, so that the linker can keep one launch and remove the others.
_SITE_FLAGS = ("-fvisibility=default", "-fno-semantic-interposition", "-fdata-sections")
#: Macros that the device compiler defines in all its passes.
_PREDEFINED = ("-D__CCE__", "-D__NPU_ARCH__=2201", "-D__CCE_AICORE__=220")


@dataclass(frozen=True)
class Program:
    """What to build. Words of the user's command line are in their original order."""

    sources: tuple[Path, ...]
    output: Path
    options: tuple[str, ...] = ()  #: options for the compiler
    link: tuple[str, ...] = ()  #: words for the linker: objects, libraries, options
    kind: str = "program"  #: program, shared, archive (static library), object, separate (-dc)
    launchers: Path | None = None  #: the folder for the headers aclrtlaunch_<kernel>.h


@dataclass
class _Unit:
    """One source of the program."""

    path: Path
    first_site: int
    launches: int = 0
    #: object file for each kind of core; the key None stands for the host
    objects: dict[Core | None, Path] = field(default_factory=dict)
    #: number of each launch, by the symbol of the launch
    sites: dict[str, int] = field(default_factory=dict)
    apart: bool = False  #: whether the source may give different code for the two kinds of core
    carried: bool = False  #: whether the source comes from an object that -dc made


@contextmanager
def build_folder(program: Program) -> Iterator[Path]:
    """Makes a folder for the temporary files of a build. Raises CompileError if a source, or the
    folder of the output, does not exist.
    """
    for path in program.sources:
        if not path.is_file():
            raise CompileError(f"{path}: no such file")
    if not program.output.parent.is_dir():
        raise CompileError(f"-o {program.output}: there is no folder {program.output.parent}")
    with tempfile.TemporaryDirectory(prefix="cannery-cc-") as folder:
        yield Path(folder)


def build_program(program: Program) -> list[str]:
    """Builds the program; returns the compiler's warnings about the user's lines. Raises
    CompileError if the build fails.
    """
    toolchain = find_toolchain()
    try:
        return _build(program, toolchain)
    except CompileError as error:
        clang = clang_instead(toolchain, error)
    source = program.sources[0] if program.sources else program.output
    note = f"{source}: compiled with {clang.command[0]}, because g++ does not accept its C++"
    return [note, *_build(program, clang)]


def _build(program: Program, toolchain: Toolchain) -> list[str]:
    with build_folder(program) as folder:
        return _Build(program, toolchain, folder).run()


class _Build:
    def __init__(self, program: Program, toolchain: Toolchain, folder: Path) -> None:
        self.program = program
        self.toolchain = toolchain
        self.folder = folder
        self.units = [_Unit(path, first_site(path)) for path in program.sources]
        self.warnings: list[str] = []

    def run(self) -> list[str]:
        texts = [unit.path.read_bytes().decode("utf-8", "replace") for unit in self.units]
        if self.program.kind == "separate":
            likely: set[Core | None] = {None, *Core}
        else:
            likely = likely_jobs(texts, self.program.launchers is not None)
            self.units += self._carried_units()
        # Compiles for the host and, at the same time, for the kinds of core that are probably
        # needed.
        self._compile((unit, core) for unit in self.units for core in ordered(likely))
        objects = [unit.objects[None] for unit in self.units if None in unit.objects]
        if self.program.kind == "separate":
            self._finish(objects)
            self._attach()
        else:
            if any(unit.launches for unit in self.units):
                objects.append(self._carrier(self._libraries()))
            self._finish(objects)
        return list(dict.fromkeys(self.warnings))

    def _carried_units(self) -> list[_Unit]:
        """Returns a unit for each object of the command line that contains code for cores (-dc)."""
        units: list[_Unit] = []
        for word in self.program.link:
            carried = read_carried(Path(word)) if word.endswith(".o") else None
            if carried is not None:
                unit = _Unit(Path(word), 0, launches=1, apart=carried.apart, carried=True)
                for core, code in carried.code.items():
                    unit.objects[core] = self.folder / f"carried.{len(units)}.{core.value}.o"
                    unit.objects[core].write_bytes(code)
                units.append(unit)
        return units

    def _attach(self) -> None:
        """Adds the code for cores to the object that -dc has made."""
        code: dict[Core, bytes] = {}
        for core in Core:
            objects = [unit.objects[core] for unit in self.units if core in unit.objects]
            if objects:
                self._globalize(core)
                whole = self.folder / f"whole.{core.value}.o"
                self._run(["-r", "-nostdlib", *map(str, objects), "-o", str(whole)], None, "link")
                code[core] = whole.read_bytes()
        carried = Carried(code, any(unit.apart for unit in self.units))
        self._tool(["objcopy", *attach(carried, self.folder), str(self.program.output)])

    def _compile(self, jobs: Iterable[tuple[_Unit, Core | None]]) -> None:
        missing = [
            (unit, core) for unit, core in jobs if core not in unit.objects and not unit.carried
        ]
        with ThreadPoolExecutor(max(1, min(len(missing), os.cpu_count() or 1))) as pool:
            list(pool.map(lambda job: self._compile_one(*job), missing))

    def _compile_one(self, unit: _Unit, core: Core | None) -> None:
        flags = self._flags(core)
        try:
            self._compile_with(flags, unit, core)
        except CompileError:
            if core is not None or not unit.apart:
                raise
            # A card's compiler does not read the bodies of kernels for the host. They may declare
            # their names for one kind of core or the other, so reads them as a vector core does.
            macros = [flag for flag in self._flags(Core.VECTOR) if flag.startswith("-D__DAV_")]
            self._compile_with((*flags, *macros, "-DTWIN_HOST_CODE"), unit, core)

    def _compile_with(self, flags: tuple[str, ...], unit: _Unit, core: Core | None) -> None:
        name = f"{self.units.index(unit)}.{core.value if core else 'host'}"
        source, target = self.folder / f"{name}.ii", self.folder / f"{name}.o"
        include = ("-include", str(self.toolchain.include / "core" / "protected_launch_site.h"))
        # Only the compilation for the host lists the files that a source includes (-MD).
        options = self.program.options
        if core is not None:
            options = without_dependencies(options)
        marks = "-DTWIN_UB_MARKS"
        preprocess = [*flags, *options, *include, marks, "-E", "-x", "c++", str(unit.path)]
        text = self._run(preprocess, unit, "preprocess").stdout
        text = with_ub_arrays(without_attributes(text))
        if core is not None and _KERNEL_HEADER not in text:
            return  # without the kernel headers, there is no code for a core
        launchers = self.program.launchers
        own = str(self.toolchain.include)
        unit.apart = unit.apart or any(map(file_tells_apart, user_files(text, own)))
        texts = [text] if core is None else [*edited_texts(text, own), text]
        comments = "" if core is None else comments_of_files(text, self.toolchain.include)
        rest = without_preprocessing(self.program.options)
        command = [*flags, *rest, "-fdiagnostics-color=never", "-c", "-x", "c++-cpp-output"]
        unchecked: list[str] = []
        for number, each in enumerate(texts, 1):
            rewritten = rewrite(each, unit.first_site, core is None, launchers is not None)
            source.write_bytes(os.fsencode(rewritten.text + comments))
            words = [*command, str(source), "-o", str(target)]
            try:
                result = self._run(words, unit, "compile", core, rewritten.places)
                break
            except CompileError as error:
                if number == len(texts) or "(T402)" in str(error):
                    raise
                told = number + 1 == len(texts)  # the text before has no counters, but all checks
                unchecked = [UNCHECKED.format(unit.path, error)] if told else []
        if core is None:
            unit.launches = rewritten.launches
            if launchers is not None:
                write_headers(launchers, rewritten.kernels)
        self.warnings += missing_names(read_texts(user_files(text, own)), lambda: text)
        self.warnings += unchecked + own_warnings(result.stderr, str(unit.path), str(self.folder))
        unit.objects[core] = target

    def _flags(self, core: Core | None) -> tuple[str, ...]:
        include = (
            f"-I{self.toolchain.include}",
            "-DTWIN_LAUNCH_SITES",
            "-DTWIN_MIXED_UNIT",
            *_PREDEFINED,
        )
        if core is None:
            return (*self.toolchain.standard, *_HOST_FLAGS, *include)
        flags = (*self.toolchain.flags, *_SITE_FLAGS)
        return (*flags, *self.toolchain.core_flags[core], *include)

    def _libraries(self) -> list[tuple[int, Path]]:
        """Returns the libraries of all launches, each with the number of its launch."""
        self._compile((unit, Core.VECTOR) for unit in self.units)
        self._globalize(Core.VECTOR)
        vector = self._link_sites(Core.VECTOR)
        needed = {symbol: self._cores(library) for symbol, (_, library) in vector.items()}
        cube: dict[str, tuple[int, Path]] = {}
        if any(Core.CUBE in cores for cores in needed.values()):
            self._compile((unit, Core.CUBE) for unit in self.units)
            self._globalize(Core.CUBE)
            cube = self._link_sites(Core.CUBE)
        found = []
        for symbol, cores in needed.items():
            if Core.VECTOR in cores:
                found.append(vector[symbol])
            if Core.CUBE in cores and symbol in cube:
                found.append(cube[symbol])
        return found

    def _cores(self, library: Path) -> frozenset[Core]:
        marks: Marks = read_marks(library)
        if marks.types:
            return cores_of(marks.types)
        apart = any(unit.apart for unit in self.units)
        return frozenset(Core) if marks.cube or apart else frozenset({Core.VECTOR})

    def _globalize(self, core: Core) -> None:
        """Makes the symbols of launches global. The symbol of a launch in a local function is
        local, and the linker cannot export a local symbol.
        """
        self._refuse_types_of_files(core)
        for unit in self.units:
            if core not in unit.objects:
                continue
            path = unit.objects[core]
            unit.sites = {
                symbol: int(match[1])
                for symbol in symbols(path.read_bytes())
                if (match := _SITE.fullmatch(symbol))
            }
            options = [f"--remove-section={name}" for name in _HOST_SECTIONS]
            options += [f"--globalize-symbol={symbol}" for symbol in unit.sites]
            arguments = self.folder / "objcopy.txt"
            arguments.write_text(shlex.join([*options, str(path)]))
            self._tool(["objcopy", f"@{arguments}"])

    def _refuse_types_of_files(self, core: Core) -> None:
        """Raises CompileError if one of several files sets the type of all its kernels, because
        linked code does not show which file it comes from.
        """
        units = [unit for unit in self.units if core in unit.objects]
        for unit in units if len(units) > 1 else []:
            names = section_names(unit.objects[core].read_bytes())
            if any(name.startswith("twin_kernel.file.") for name in names):
                raise CompileError(
                    f"{unit.path}: KERNEL_TASK_TYPE_DEFAULT outside of a function counts for the "
                    "kernels of one file, and this program has several with code for cores; write "
                    "it into the kernels"
                )

    def _link_sites(self, core: Core) -> dict[str, tuple[int, Path]]:
        objects = [str(unit.objects[core]) for unit in self.units if core in unit.objects]
        script = self.folder / "export.map"
        script.write_text(_VERSION_SCRIPT)
        jobs = [(unit, symbol, site) for unit in self.units for symbol, site in unit.sites.items()]
        results: dict[str, tuple[int, Path]] = {}

        def link(number: int, unit: _Unit, symbol: str, site: int) -> None:
            library = self.folder / f"{number}.{core.value}.so"
            command = [
                *("-shared", "-o", str(library), *objects),
                *("-Wl,-u," + symbol, f"-Wl,--defsym={_EXPORT}={symbol}"),
                *("-Xlinker", f"--version-script={script}"),  # -Wl splits paths at commas
                *self.toolchain.libraries,
            ]
            self._run(command, unit, "link", core)
            results[symbol] = (site, library)

        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            list(pool.map(lambda job: link(job[0], *job[1]), enumerate(jobs)))
        return results

    def _carrier(self, libraries: Sequence[tuple[int, Path]]) -> Path:
        """Returns an object that contains the libraries and registers them before main starts."""
        source, target = self.folder / "carrier.cpp", self.folder / "carrier.o"
        source.write_text(carrier_source(libraries))
        flags = [*self.toolchain.standard, *_HOST_FLAGS, f"-I{self.toolchain.include}", "-w"]
        self._run([*flags, "-c", str(source), "-o", str(target)], None, "compile")
        return target

    def _finish(self, objects: Sequence[Path]) -> None:
        files = [str(path) for path in objects]
        made = self.folder / f"out{self.program.output.suffix}"
        library = self.toolchain.include.parent / "lib"
        if self.program.kind in ("object", "separate", "archive"):
            command = ["-r", "-nostdlib", *files]
        else:
            shared = ["-shared"] if self.program.kind == "shared" else []
            options = without_preprocessing(self.program.options)
            command = [
                *(*shared, *options, *files, *self.program.link),
                *(f"-L{library}", "-Wl,--as-needed", "-lnnopbase", "-lascendcl", "-lcannery_twin"),
                *("-Xlinker", "-rpath", "-Xlinker", str(library), "-lpthread", "-ldl"),
            ]
        self._run([*command, "-o", str(made)], None, "link")
        if self.program.kind == "archive":
            # The archive has one member with all objects. The linker would leave out a member that
            # has only the kernels, because no other object refers to such a member.
            member = made.rename(self.folder / f"{made.stem}.o")
            self._tool(["ar", "rcs", str(made), str(member)])
        shutil.move(str(made), self.program.output)

    def _run(
        self,
        arguments: Sequence[str],
        unit: _Unit | None,
        verb: str,
        core: Core | None = None,
        places: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        command = [*self.toolchain.command, *arguments]
        result = start(command)
        if result.returncode != 0:
            label = str(unit.path) if unit is not None else str(self.program.output)
            output = explain_variables(result.stderr, places or {})
            told = summarize(output, label, label, str(self.folder))
            kind = f" for {core.value} cores" if core is not None else ""
            raise CompileError(f"{label} does not {verb}{kind}:\n{told}")
        return result

    def _tool(self, command: list[str]) -> None:
        """Runs a program that comes with the linker."""
        name = start([*self.toolchain.command, f"-print-prog-name={command[0]}"]).stdout.strip()
        result = start([name or command[0], *command[1:]])
        if result.returncode != 0:
            raise CompileError(f"{command[0]} fails:\n{result.stderr.strip()}")
