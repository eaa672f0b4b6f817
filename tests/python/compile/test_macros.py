# SPDX-License-Identifier: Apache-2.0
"""Macros of a kernel may have names that the twin's headers use, too."""

from __future__ import annotations

import string
import sys
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.compile.diagnostics import build_errors
from cannery.compile.explanations import early_macros, explain_macro
from cannery.compile.process import run
from cannery.compile.toolchain import find_toolchain

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))
import user_macros  # noqa: E402

WORDS = ["MAX", "UB", "Fix", "Off", "index", "args", "value", "count", "tiling"]
NAMES = [*string.ascii_uppercase, *WORDS]
#: The names in NAMES that the toolkit's headers use. A kernel may define them only after the
#: #include of these headers.
REFUSED = ["S", "T", "U", "V", "MAX", "UB", "index", "args", "value", "count", "tiling"]
FREE = [name for name in NAMES if name not in REFUSED]
MORE = ["ROWS", "TileNum", "BlockNum", "Bytes", "rowBytes", "first", "rank"]

HEADER = '#include "kernel_operator.h"\n'
KERNEL = """using namespace AscendC;

extern "C" __global__ __aicore__ void macros(GM_ADDR out) {
    TPipe pipe;
    TQue<QuePosition::VECOUT, 1> queue;
    pipe.InitBuffer(queue, 1, 256);
    GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer((__gm__ int32_t*)out, 64);
    LocalTensor<int32_t> local = queue.AllocTensor<int32_t>();
    Duplicate(local, SUM_OF_ALL, 64);
    queue.EnQue(local);
    local = queue.DeQue<int32_t>();
    DataCopy(gm, local, 64);
    queue.FreeTensor(local);
}
"""


def using(names: list[str]) -> str:
    return KERNEL.replace("SUM_OF_ALL", f"(int32_t)({' + '.join(names)})")


def check(kernel: cannery.Kernel, names: list[str]) -> None:
    out = np.zeros(64, np.int32)
    kernel(1, out)
    assert (out == sum(range(1, len(names) + 1))).all()


def defined(names: list[str]) -> str:
    return "".join(f"#define {name} {number}\n" for number, name in enumerate(names, 1))


def test_macros_as_options(cache: Path) -> None:
    names = [*FREE, *MORE]
    defines = {name: number for number, name in enumerate(names, 1)}
    check(cannery.compile_kernel(HEADER + using(names), "macros", defines), names)


def test_macros_before_the_header(cache: Path) -> None:
    names = [*FREE, *MORE]
    check(cannery.compile_kernel(defined(names) + HEADER + using(names), "macros"), names)


def test_macros_after_the_header(cache: Path) -> None:
    source = HEADER + defined(NAMES) + using(NAMES)
    check(cannery.compile_kernel(source, "macros"), NAMES)


def test_macros_before_the_header_of_matmul(cache: Path) -> None:
    names = [*FREE, *MORE]
    source = HEADER + defined(names) + '#include "lib/matmul_intf.h"\n' + using(names)
    check(cannery.compile_kernel(source, "macros"), names)


@pytest.mark.slow
def test_macros_of_a_kernel_for_the_debugger(cache: Path) -> None:
    source = HEADER + defined(NAMES) + using(NAMES)
    check(cannery.compile_kernel(source, "macros", debug=True), NAMES)


@pytest.mark.parametrize("name", ["T", "value"])
def test_macros_that_a_card_does_not_survive_are_refused(cache: Path, name: str) -> None:
    source = f"// A kernel.\n#define {name} 16\n{HEADER}{using([name])}"
    with pytest.raises(cannery.CompileError) as caught:
        cannery.compile_kernel(source, "macros")
    _, error, remedy = str(caught.value).splitlines()
    assert error.startswith(f"macros.cpp:2: error: the macro {name} is defined before an Ascend C")
    assert remedy == "try: another name, or the #define below the #include"


def test_refused_macros_as_options_are_one_sentence_each(cache: Path) -> None:
    with pytest.raises(cannery.CompileError) as caught:
        cannery.compile_kernel(HEADER + using(["S", "MAX"]), "macros", {"S": 1, "MAX": 2})
    errors = [line for line in str(caught.value).splitlines() if "error: " in line]
    assert [line.partition(":")[0] for line in errors] == ["-D S", "-D MAX"]


def test_a_refused_macro_behind_the_header_but_before_that_of_matmul(cache: Path) -> None:
    source = f'{HEADER}#define T 16\n#include "lib/matmul_intf.h"\n{using(["T"])}'
    with pytest.raises(cannery.CompileError, match=r"macros.cpp:2: error: the macro T is defined"):
        cannery.compile_kernel(source, "macros")


def test_the_words_of_clang() -> None:
    output = """\
/twin/core/user_macros_checked.h:8:9: warning: 'T' macro redefined [-Wmacro-redefined]
    8 | #define T twin_needs_this_name
      |         ^
k.cpp:3:9: note: previous definition is here
    3 | #define T float
/twin/core/user_macros_checked.h:9:2: error: macro T is defined before an Ascend C header that
"""
    places = early_macros(output)
    assert places == {"T": "k.cpp:3"}
    lines = explain_macro(output.splitlines()[-1], places)
    assert lines is not None
    assert lines[0].startswith("k.cpp:3: error: the macro T ")


@pytest.mark.parametrize(
    ("text", "line"), [("#define T 4\n#include OPERATOR\n", 1), ("\n\n#include OPERATOR\n", 3)]
)
def test_a_macro_in_a_build_whose_compiler_prints_no_warning(
    tmp_path: Path, text: str, line: int
) -> None:
    """The headers of such a build are in a system folder. If no file above the #include has the
    definition, the error is at the #include."""
    source = tmp_path / "k.cpp"
    source.write_text(text.replace("OPERATOR", '"kernel_operator.h"'))
    include = find_toolchain().include
    output = (
        f"In file included from {include}/kernel_operator.h:9,\n"
        f"                 from {source}:{line + (line == 1)},\n"
        f"                 from {tmp_path}/build/generated.cpp:20:\n"
        f"{include}/core/user_macros_checked.h:9:2: error: #error macro T is defined before an "
        "Ascend C header that uses this name\n"
    )
    error, remedy = build_errors(output, str(tmp_path)).splitlines()
    assert error.startswith(f"{source}:{line}: error: the macro T is defined before an Ascend C")
    assert remedy == "try: another name, or the #define below the #include"


@pytest.mark.parametrize("depth", [1, 2, user_macros.DEPTH, user_macros.DEPTH + 1])
def test_headers_that_include_each_other(tmp_path: Path, depth: int) -> None:
    include = find_toolchain().include
    lines = ["#define Fix 7"]
    lines += [f'#include "{user_macros.SET_ASIDE}"'] * depth
    lines += ["int inside = Fix;"]
    lines += [f'#include "{user_macros.PUT_BACK}"'] * (depth - 1)
    lines += ["int still_inside = Fix;", f'#include "{user_macros.PUT_BACK}"']
    lines += ["int outside = Fix;", "int depth = TWIN_MACROS_ASIDE;"]
    unit = tmp_path / "unit.cpp"
    unit.write_text("\n".join(lines) + "\n")
    done = run([*find_toolchain().command, f"-I{include}", "-E", "-P", str(unit)], tmp_path)
    if depth > user_macros.DEPTH:
        assert done.returncode != 0
        assert f"#error {user_macros.TOO_DEEP}" in done.stderr
        return
    assert [line for line in done.stdout.splitlines() if line.startswith("int ")] == [
        "int inside = Fix;",
        "int still_inside = Fix;",
        "int outside = 7;",
        "int depth = TWIN_MACROS_ASIDE;",
    ]


def test_names_of_headers() -> None:
    text = """
    // comment M
    #ifdef CONFIG
    #define OWN(a) Other(a, "text")
    #endif
    template <typename K> struct Row { int rows_; int count = 0x1F; };
    int twinName, _reserved;
    """
    assert user_macros.names([text]) == ["K", "Other", "Row", "a", "count"]


def test_no_macro_of_the_standard_library_is_set_aside(cache: Path) -> None:
    """If the twin removed a macro of the standard library, no header could define the macro again,
    because the compiler reads a standard header only once.
    """
    headers = ["cassert", "cerrno", "climits", "cmath", "cstdarg", "cstddef", "cstdint", "cstdio"]
    headers += ["cinttypes", "cfloat", "csignal", "cstdlib", "cstring", "ctime", "unistd.h"]
    unit = cache / "standard.cpp"
    unit.parent.mkdir(parents=True, exist_ok=True)
    unit.write_text("".join(f"#include <{header}>\n" for header in headers))
    told = run([*find_toolchain().command, "-E", "-dM", str(unit)], cache).stdout
    macros = {line.split()[1].partition("(")[0] for line in told.splitlines()}
    assert {"errno", "NULL", "INT32_MAX"} <= macros
    include = find_toolchain().include
    aside = (include / user_macros.SET_ASIDE).read_text()
    names = {line.split()[1] for line in aside.splitlines() if line.startswith("#undef ")}
    assert {"M", "Fix"} <= names
    assert not names & macros
