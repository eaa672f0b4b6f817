# SPDX-License-Identifier: Apache-2.0
"""Builds programs from kernel unit tests in the toolkit's style: `cannery cc --unit-test`.

The host's compiler compiles test and kernel once; the kernel asks at run time which kind of core it
runs on (twin/core/unit_test.h). GoogleTest is linked if the objects need it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cannery.compile.api_levels import missing_names, read_texts
from cannery.compile.diagnostics import own_warnings, summarize
from cannery.compile.elf import undefined_symbols
from cannery.compile.launch_syntax import has_launches
from cannery.compile.process import run
from cannery.compile.program import Program, build_folder
from cannery.compile.tokens import user_files
from cannery.compile.toolchain import Toolchain, clang_instead, find_toolchain
from cannery.errors import CompileError
from cannery.settings import api_level

__all__ = ["build_unit_test", "unit_test_flags"]

#: The macros that the toolkit's CPU debug build of A2 and A3 defines.
_DEFINITIONS = (
    *("-D__CCE_KT_TEST__=1", "-DASCENDC_CPU_DEBUG=1", "-D__CCE_AICORE__=220"),
    *("-D__NPU_ARCH__=2201", "-D__DAV_C220__"),
)
#: Prefixes of kernel flags that cannery does not set for a unit test: the user chooses them. Flags
#: with a prefix in _KEPT are set, because they change what a kernel does.
_NOT_FOR_TESTS = ("-O", "-g", "-f", "-W")
_KEPT = (
    *("-fno-strict-aliasing", "-fstack-clash-protection", "-ffunction-sections"),
    *("-ffp-contract", "-fsanitize", "-Wno-deprecated"),
)
_LAUNCHES = (
    "try: ICPU_RUN_KF instead of <<<...>>>, or the command without --unit-test: a unit test has no "
    "launches"
)
_GTEST = "_ZN7testing"
_NO_GTEST = (
    "GoogleTest is not there: install it (Debian, Ubuntu: apt install libgtest-dev; RHEL, "
    "openEuler: dnf install gtest-devel) or name yours with -I and -L"
)


def unit_test_flags(toolchain: Toolchain) -> list[str]:
    """Returns the flags for every source of a test program; `cannery flags --kernels` prints
    them.
    """
    include = toolchain.include
    flags = [
        flag
        for flag in toolchain.flags
        if flag.startswith(_KEPT) or not flag.startswith((*_NOT_FOR_TESTS, "-I"))
    ]
    return [*flags, "-Wno-unknown-pragmas", *_DEFINITIONS, f"-I{include}",
            "-idirafter", str(include / "unit_test")]  # fmt: skip


def build_unit_test(program: Program) -> list[str]:
    """Builds the program; returns the compiler's warnings about the user's lines. Raises
    CompileError if the build fails.
    """
    toolchain = find_toolchain()
    try:
        return _build(program, toolchain)
    except CompileError as error:
        return _build(program, clang_instead(toolchain, error))


def _build(program: Program, toolchain: Toolchain) -> list[str]:
    with build_folder(program) as folder:
        return _build_in(program, toolchain, folder)


def _build_in(program: Program, toolchain: Toolchain, folder: Path) -> list[str]:
    objects = [folder / f"{number}.o" for number in range(len(program.sources))]

    def compile_one(source: Path, target: Path) -> list[str]:
        words = [*unit_test_flags(toolchain), "-O2", "-g1", *program.options]
        words += ["-fdiagnostics-color=never", "-c", "-x", "c++", str(source), "-o", str(target)]
        try:
            told = _run(toolchain, words, str(source), "compile", folder)
        except CompileError as error:
            # The toolkit's samples compile no launches if ASCENDC_CPU_DEBUG is defined; the user's
            # source may lack this condition.
            if has_launches(source.read_bytes().decode("utf-8", "replace")):
                raise CompileError(f"{error}\n{_LAUNCHES}") from None
            raise
        newer: list[str] = []
        if api_level() is not None:
            preprocess = [word for word in words[:-2] if word != "-c"] + ["-E"]
            text = _run(toolchain, preprocess, str(source), "preprocess", folder, stdout=True)
            files = read_texts(user_files(text, str(toolchain.include)))
            newer = missing_names(files, lambda: text)
        return newer + own_warnings(told, str(source), str(folder))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        warnings = list(pool.map(compile_one, program.sources, objects))
    library = toolchain.include.parent / "lib"
    made = folder / "program"
    words = [*map(str, objects), *program.link, *toolchain.process_flags]
    if any(_asks_for_gtest(path) for path in objects):
        words += ["-lgtest_main", "-lgtest"]
    words += [f"-L{library}", "-Wl,--gc-sections", "-lnnopbase", "-lascendcl", "-lcannery_twin"]
    words += ["-Xlinker", "-rpath", "-Xlinker", str(library), "-lpthread", "-ldl"]
    _run(toolchain, [*words, "-o", str(made)], str(program.output), "link", folder)
    shutil.move(str(made), program.output)
    return [message for messages in warnings for message in messages]


def _asks_for_gtest(path: Path) -> bool:
    return any(name.startswith(_GTEST) for name in undefined_symbols(path.read_bytes()))


def _run(
    toolchain: Toolchain,
    words: Sequence[str],
    label: str,
    verb: str,
    folder: Path,
    stdout: bool = False,
) -> str:
    """Runs the compiler; returns its messages, or raises CompileError if it fails. With `stdout`,
    returns its output instead.
    """
    result = run([*toolchain.command, *words], folder)
    if result.returncode == 0:
        return result.stdout if stdout else result.stderr
    if "gtest/gtest.h: No such file" in result.stderr or "'gtest/gtest.h' file not found" in (
        result.stderr
    ):
        raise CompileError(f"{label}: {_NO_GTEST}")
    if "-lgtest" in result.stderr:
        raise CompileError(f"{label} does not link: {_NO_GTEST}")
    told = summarize(result.stderr, label, label, str(folder))
    raise CompileError(f"{label} does not {verb}:\n{told}")
