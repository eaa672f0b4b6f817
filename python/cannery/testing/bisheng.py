# SPDX-License-Identifier: Apache-2.0
"""Replaces bisheng, the toolkit's compiler, on machines without it. It accepts only the command
lines with which CANN 8.1.RC1 makes a library of launched kernels; the twin compiles the kernel.

The command lines were recorded from public projects that call bisheng 8.1.RC1 directly, and from
the toolkit's ascendc_library. The library runs on the twin. A test with this replacement shows that
the right file was compiled for the right cores with the right macros, and started with the right
arguments. It does not show that bisheng accepts the source.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from cannery.compile.build import dependencies_of, libraries_of
from cannery.compile.cores import Core, cores_of, read_marks
from cannery.compile.launch_form import ARCHITECTURES
from cannery.compile.request import COPY, Request
from cannery.compile.source import SourceText
from cannery.compile.toolchain import compiler_command, find_toolchain
from cannery.errors import CompileError
from cannery.opgen import literals
from cannery.settings import use

_ARCHITECTURE = "--cce-aicore-arch="
#: Required flags: of a compilation (-c or -E), and of a link.
_COMPILE = ("-O3", "-std=c++17", "-xcce", "-fPIC")
_LINK = ("--cce-fatobj-link", "--shared", "-lruntime", "-lstdc++", "-lascendcl")
#: Optional flags of a compilation.
_MAY_COMPILE = (
    "-c",
    "-E",
    "--cce-aicore-only",
    "--cce-auto-sync",
    "-MD",
    "-Wno-macro-redefined",
    "-Wno-ignored-attributes",
)
_MAY_LINK = ("-lm", "-lc_sec", "-ldl")
_WITH_VALUE = ("-o", "-MF", "-MT", "-iquote")
_LLVM = (
    "-cce-aicore-stack-size=0x8000",
    "-cce-aicore-function-stack-size=0x8000",
    "-cce-aicore-record-overflow=true",
    "-cce-aicore-addr-transform",
    "-cce-aicore-dcci-insert-for-scalar=false",
)
#: Maps the letter of an escape such as \n to its character; for the first line of a copied source.
_ESCAPED = {"n": "\n", "t": "\t"}
_KEY = re.compile(r"TILING_KEY_VAR=(\d+)UL")
_ENTRY = re.compile(
    r'extern "C" __global__ __aicore__ void cannery_entry_(\w+)'
    r"\(uint64_t sync, GM_ADDR system((?:, GM_ADDR \w+)*)\)"
)
_NAMES = re.compile(r'extern "C" const char cannery_names\[\] = "(.*)";')
_LAUNCH = "cannery_entry_{name}<<<blocks, nullptr, stream>>>(sync, "

# Source of the launch function. In the toolkit, bisheng generates code that does the same.
_LIBRARY = """\
#include <cstdint>
#include <string>
#include "acl/acl.h"
extern "C" const uint32_t cannery_parameters = {count};
extern "C" const char cannery_names[] = "{names}";
extern "C" int32_t cannery_launch(uint32_t blocks, void* stream, void* system, void* const* args)
{{
    static aclrtBinHandle binary = nullptr;
    static aclrtFuncHandle function = nullptr;
    aclError status = system == nullptr ? 107000 : 0;
    if (status == 0 && binary == nullptr) {{
        status = aclrtBinaryLoadFromFile({library}, nullptr, &binary);
    }}
    if (status == 0 && function == nullptr) {{
        status = aclrtBinaryGetFunction(binary, "{name}_{key}", &function);
    }}
    return status != 0 ? status
                       : aclrtLaunchKernel(function, blocks, args, {count} * sizeof(void*), stream);
}}
"""


def _stop(why: str) -> NoReturn:
    sys.exit(f"stand-in for bisheng: {why}")


class _Arguments:
    """Parses a command line of bisheng; any word that is not known ends the process."""

    def __init__(self, words: list[str]) -> None:
        self.flags: set[str] = set()
        self.defines: list[str] = []
        self.folders: list[str] = []
        self.values: dict[str, str] = {}
        self.step = ""  #: what the command line asks for: "-c", "-E" or "link"
        self.inputs: list[str] = []
        rest = iter(words)
        for word in rest:
            self._take(word, lambda: next(rest, ""))
        link = "--cce-fatobj-link" in self.flags
        known = {*_LINK, *_MAY_LINK} if link else {*_COMPILE, *_MAY_COMPILE}
        missing = set(_LINK if link else _COMPILE) - self.flags
        if self.flags - known or missing or len(self.inputs) != 1 or "-o" not in self.values:
            _stop(f"unknown {self.flags - known}, missing {missing}, inputs {self.inputs}")
        steps = ["link"] if link else [step for step in ("-c", "-E") if step in self.flags]
        if len(steps) != 1 or ("-E" in steps) != ("--cce-aicore-only" in self.flags):
            _stop("expected -c, -E with --cce-aicore-only, or --cce-fatobj-link")
        (self.step,) = steps

    def _take(self, word: str, value: object) -> None:
        following = value() if word in (*_WITH_VALUE, "-mllvm") and callable(value) else None
        if word == "-mllvm":
            if following not in _LLVM:
                _stop(f"-mllvm {following}")
        elif following is not None:
            self.values[word] = str(following)
        elif word.startswith(_ARCHITECTURE):
            self.values[_ARCHITECTURE] = word.removeprefix(_ARCHITECTURE)
        elif word.startswith("-D"):
            self.defines.append(word[2:])
        elif word[:2] in ("-I", "-L"):
            if not Path(word[2:]).is_absolute():
                _stop(f"no folder {word}")
            self.folders.append(word[2:])
        elif word.startswith("-"):
            self.flags.add(word)
        else:
            self.inputs.append(word)


def _compile(given: _Arguments) -> None:
    unit = Path(given.inputs[0])
    text = unit.read_text("utf-8", "surrogateescape")
    found = _ENTRY.search(text)
    if found is None or _LAUNCH.format(name=found[1]).rstrip(", ") not in text:
        _stop(f"{unit} is no kernel in the launch form")
    keys = [match[1] for define in given.defines if (match := _KEY.fullmatch(define))]
    kinds = [k for k, name in ARCHITECTURES.items() if name == given.values.get(_ARCHITECTURE)]
    if len(keys) != 1 or len(kinds) != 1:
        _stop(f"{_ARCHITECTURE}{given.values.get(_ARCHITECTURE)} {given.defines}")
    if not any((Path(folder) / "kernel_operator.h").is_file() for folder in given.folders):
        _stop(f"kernel_operator.h is in none of {given.folders}")
    request, made = _twin_libraries(unit, found[1], given, kinds[0])
    described = {
        "name": found[1],
        "key": keys[0],
        "count": len(found[2].split(",")) - 1,
        "names": _NAMES.findall(text)[0],
        "library": str(made[0]),
    }
    Path(given.values["-o"]).write_text(json.dumps(described))
    read = [str(unit), *(_escaped(path) for path in dependencies_of(request))]
    Path(given.values["-MF"]).write_bytes(os.fsencode(f"{given.values['-MT']}: {' '.join(read)}\n"))


def _preprocess(given: _Arguments) -> None:
    toolchain = find_toolchain()
    core = Core.CUBE if given.values.get(_ARCHITECTURE, "").endswith("-cube") else Core.VECTOR
    flags = [*toolchain.flags, *toolchain.core_flags[core]]
    flags += [f"-D{each}" for each in given.defines]
    flags += [f"-I{each}" for each in given.folders if not _is_the_toolkits(each)]
    if "-iquote" in given.values:
        flags += ["-iquote", given.values["-iquote"]]
    command = [*toolchain.command, *flags, "-E", given.inputs[0], "-o", given.values["-o"]]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(1)


def _escaped(path: str) -> str:
    """Returns a file name with the characters escaped that are special to make."""
    return re.sub(r"([\s#:\\])", r"\\\1", path).replace("$", "$$")


def _twin_libraries(
    unit: Path, name: str, given: _Arguments, kind: int
) -> tuple[Request, tuple[Path, ...]]:
    content = unit.with_name(COPY).read_bytes().decode("utf-8", "surrogateescape")
    first, _, text = content.partition("\n")
    label = re.sub(r"\\(\d{3}|.)", _unescaped, first.removeprefix('#line 1 "').removesuffix('"'))
    quoted = given.values.get("-iquote")
    source = SourceText(text.removesuffix("\n\n"), label, Path(quoted) if quoted else None)
    defines = tuple(each for each in given.defines if not _KEY.fullmatch(each))
    folders = tuple(each for each in given.folders if not _is_the_toolkits(each))
    request = Request(name, source, defines, folders, None)
    wanted = cores_of([kind])
    try:
        made = libraries_of(request)
        types = {each for library in made for each in read_marks(library).types}
        if len(made) == len(wanted) and (not types or kind in types):
            return request, made
    except CompileError:
        # Some sources compile only with `kind`. The compilation below sets it.
        pass
    request = replace(request, kernel_type=kind)
    return request, libraries_of(request)


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 8)) if found[1].isdigit() else _ESCAPED.get(found[1], found[1])


def _is_the_toolkits(folder: str) -> bool:
    return Path(folder).is_relative_to(os.environ.get("ASCEND_HOME_PATH", "/nowhere"))


def _link(given: _Arguments) -> None:
    described = json.loads(Path(given.inputs[0]).read_text())
    output = Path(given.values["-o"])
    unit = output.with_suffix(".launch.cpp")
    unit.write_text(_LIBRARY.format(**{**described, "library": literals.cpp(described["library"])}))
    home = os.environ["ASCEND_HOME_PATH"]
    command = [*(compiler_command() or ()), "-shared", "-fPIC", "-w", f"-I{home}/include"]
    done = subprocess.run([*command, str(unit), "-o", str(output)], check=False)
    if done.returncode != 0:
        _stop("the launch function does not compile")


def main() -> None:
    given = _Arguments(sys.argv[1:])
    with use(backend="twin"), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            {"link": _link, "-E": _preprocess, "-c": _compile}[given.step](given)
        except CompileError as error:
            sys.exit(str(error))
        finally:
            for each in said:
                sys.stderr.write(f"{each.message}\n")


if __name__ == "__main__":
    main()
