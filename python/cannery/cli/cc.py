# SPDX-License-Identifier: Apache-2.0
"""`cannery cc`: accepts a compiler's command line, for sources that launch kernels with <<<>>>."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cannery import settings
from cannery.cli import output
from cannery.compile.program import Program, build_program
from cannery.compile.unit_test import build_unit_test

__all__ = ["Wishes", "parse", "show"]

_SOURCES = (".asc", ".cce", ".cpp", ".cc", ".cxx", ".C")
_LINKED = (".o", ".a", ".so")
#: Options whose value is the next word.
_WITH_VALUE = (
    *("-D", "-U", "-I", "-include", "-isystem", "-iquote", "-idirafter", "-imacros"),
    *("-MF", "-MT", "-MQ", "--param"),
)
_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")
_LINK_WITH_VALUE = ("-L", "-l", "-Xlinker", "-z", "-T", "-u")
_LINK = ("-L", "-l", "-Wl,", "-static", "-rdynamic")
_LINK_ALONE = ("-pie", "-no-pie", "-s")
_CHIPS = ("dav-2201", "dav-c220", "dav-c220-vec", "dav-c220-cube")
_KINDS = {"-c": "object", "-dc": "separate", "-shared": "shared", "-lib": "archive"}
#: Options of the device compiler that are ignored: they change only the generated code, or turn on
#: checks that the twin always makes.
_CODE_GENERATION = ("--cce-auto-sync", "--cce-simd-vf-fusion", "--sanitizer")


class _CommandLine:
    """Sorts the words of the command line: for cannery, for the compiler and for the linker."""

    def __init__(self, words: Sequence[str]) -> None:
        self.sources: list[Path] = []
        self.options: list[str] = []
        self.link: list[str] = []
        self.target: str | None = None
        self.kind = "program"
        self.launchers: Path | None = None
        self._rest = iter(words)
        for word in self._rest:
            if not self._take_driver(word) and not self._take_linker(word):
                self._take_compiler(word)

    def _value(self, word: str) -> str:
        value = next(self._rest, None)
        if value is None:
            raise ValueError(f"{word}: expected a value behind it")
        return value

    def _take_driver(self, word: str) -> bool:
        name, separator, value = word.partition("=")
        if take := _DRIVER.get(name):
            take(value if separator else self._value(word))
        elif word.startswith("-o"):
            self.target = word[2:] or self._value(word)
        elif word == "--launchers":
            self.launchers = Path(self._value(word))
        elif word in _KINDS:
            if word != "-c" or self.kind != "separate":  # -c must not replace -dc
                self.kind = _KINDS[word]
        elif word == "-mllvm":
            self._value(word)
        elif name not in _CODE_GENERATION:
            return False
        return True

    def _take_linker(self, word: str) -> bool:
        if word in _LINK_WITH_VALUE:
            self.link += [word, self._value(word)]
        elif word.startswith(_LINK) or word in _LINK_ALONE or word.endswith(_LINKED):
            self.link.append(word)
        else:
            return False
        return True

    def _take_compiler(self, word: str) -> None:
        if word in _WITH_VALUE:
            self.options += [word, self._value(word)]
        elif word.startswith("-"):
            self.options.append(word)
        elif word.endswith(_SOURCES):
            self.sources.append(Path(word))
        else:
            raise ValueError(
                f"{word}: expected a source ({', '.join(_SOURCES)}), an object or a library "
                f"({', '.join(_LINKED)}), or an option that begins with -"
            )


def parse(words: Sequence[str]) -> Program:
    """Returns the program that the command line describes; raises ValueError if it is wrong."""
    line = _CommandLine(words)
    if not line.sources and (
        line.kind not in ("program", "shared") or not any(w.endswith(_LINKED) for w in line.link)
    ):
        raise ValueError(f"expected at least one source ({', '.join(_SOURCES)})")
    default = f"{line.sources[0].stem}.o" if line.kind in ("object", "separate") else "a.out"
    target = default if line.target is None else line.target
    return Program(
        tuple(line.sources),
        Path(target),
        tuple(line.options),
        tuple(line.link),
        line.kind,
        line.launchers,
    )


def _check_chip(chip: str) -> None:
    if chip not in _CHIPS:
        raise ValueError(
            f"--npu-arch={chip}: the twin is an Atlas A2 or A3, dav-2201; sources for other chips "
            "do not run on it"
        )


def _check_language(language: str) -> None:
    if language not in ("asc", "cce", "c++"):
        raise ValueError(f"-x {language}: expected asc or c++")


def _choose_level(level: str) -> None:
    settings.use(api=level)


#: Options with a value that cannery handles alone.
_DRIVER = {
    "--npu-arch": _check_chip,
    "--cce-aicore-arch": _check_chip,
    "--api": _choose_level,
    "-x": _check_language,
}


@dataclass(frozen=True)
class Wishes:
    """Options of `cannery cc` that a compiler does not have."""

    run: bool = False
    unit_test: bool = False
    oracle: bool = False
    as_json: bool = False


def show(words: Sequence[str], wishes: Wishes) -> int:
    """Builds the program and, with --run, runs it; returns the exit status for the command."""
    program = parse(words)
    _check(program, wishes)
    # The warnings come before the compilation, which may fail because of the missing folders.
    missing = _missing_folders(program.options)
    if missing and not wishes.as_json:
        sys.stderr.write("\n".join(missing) + "\n")
    warnings = build_unit_test(program) if wishes.unit_test else build_program(program)
    status = None
    if wishes.run:
        environment = {**os.environ, **({"CANNERY_ORACLE": "1"} if wishes.oracle else {})}
        command = [str(program.output.absolute())]
        # With --json, only the document goes to stdout.
        stdout = sys.stderr if wishes.as_json else None
        status = subprocess.run(command, env=environment, stdout=stdout, check=False).returncode
    if wishes.as_json:
        made = {"output": str(program.output), "warnings": [*missing, *warnings], "status": status}
        output.print_json({"ok": not status, **made})
    elif warnings:
        sys.stderr.write("\n".join(warnings) + "\n")
    # Python reports a signal as a negative number, a shell as a number above 128.
    return 0 if status is None else status if status >= 0 else 128 - status


def _missing_folders(options: Sequence[str]) -> list[str]:
    """Returns a warning for each include folder that does not exist; compilers give none."""
    words = [*options, ""]
    said = []
    for word, value in itertools.pairwise(words):
        name = next((name for name in _FOLDERS if word.startswith(name)), None)
        folder = None if name is None else word[len(name) :] or value
        if folder and not Path(folder).is_dir():
            said.append(f"warning: {name} {folder}: there is no such folder")
    return said


def _check(program: Program, wishes: Wishes) -> None:
    if wishes.unit_test and program.kind != "program":
        raise ValueError("--unit-test: expected a program, not -c, -dc, -lib or -shared")
    if wishes.run and program.kind != "program":
        raise ValueError("--run: there is nothing to run with -c, -dc, -lib or -shared")
    if program.launchers is not None and wishes.unit_test:
        raise ValueError("--launchers: for programs with launches, not for --unit-test")
    if wishes.oracle and not (wishes.run and wishes.unit_test):
        raise ValueError(
            "--oracle: expected --unit-test and --run as well; later runs of the program take "
            "CANNERY_ORACLE=1"
        )
