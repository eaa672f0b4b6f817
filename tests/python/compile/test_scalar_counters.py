# SPDX-License-Identifier: Apache-2.0
"""The counts of the scalar unit's operations. Each function below has the counts that a count by
hand gives; they are the same with both compilers and at every level of optimisation."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from cannery.compile.scalar_counters import with_scalar_counters
from cannery.compile.toolchain import find_toolchain

from ..selection import COMPILERS

pytestmark = pytest.mark.twin_only("a card is measured, not counted")


@dataclass(frozen=True)
class Case:
    """A function of an int64_t, an argument, and the counts of a call."""

    body: str
    n: int
    simple: int
    memory: int = 0
    multiply: int = 0
    branch: int = 0
    divide32: int = 0
    divide64: int = 0
    divide_float: int = 0
    before: str = ""  #: declarations before the function


SWITCH = """switch (n) {
    case 1: n = n + 1;
    case 2: { n = n + 2; break; }
    default: n = n * n; }
    return n;"""
ARMS = "if (n > 3) { n = n + 1; } else if (n == 3) n -= 2; else n = n * n; return n;"
JUMPS = """int64_t s = 0;
    for (int i = 0; i < n; ++i) {
        if (i == 1) continue;
        s += i * i;
        if (s > 4) break;
    }
    return s - 1;"""
TEMPLATE = """template <typename T, uint32_t kN>
CORE T Scaled(T v) {
    if constexpr (sizeof(T) == 8) { v = v + 1; } else { v = v - v * 3; }
    return v * kN + kN * 2;
}"""
MEMBERS = """class Sum {
public:
    CORE int64_t Of(int64_t n);
private:
    int64_t total_ = 0, step_ = 2;
    uint32_t table_[4] = {};
};
inline int64_t Sum::Of(int64_t n) {
    for (int i = 0; i < n; ++i) total_ += n + step_;
    table_[1] = 3;
    return total_;
}"""

NUMBER = """struct Number {
    int64_t n;
    CORE Number operator/(const Number& o) const { return {n - o.n}; }
};"""

# Every call of a function is one simple operation.
CASES = {
    "line": Case("return (n < 3 && n > 1) + (n << 2) - -n;", 2, simple=8),
    "constants": Case("return n + 2 * 8 + (n - -1) * 16;", 2, simple=5),
    "own_type": Case("return (Number{n} / Number{2}).n;", 9, simple=4, memory=3, before=NUMBER),
    "ternary": Case("return n > 2 ? n + 1 : n - 1;", 3, simple=5),
    "loop": Case(
        "int64_t s = 0; for (int i = 0; i < n; ++i) s += i; return s;", 5, simple=16, branch=5
    ),
    "nested": Case(
        "int64_t s = 0; for (int i = 0; i < n; ++i) if (i & 1) s += i; else s -= i; return s;",
        *(4, 17),
        branch=8,
    ),
    "no_turn": Case("for (int i = 0; i < n; ++i) n = n * n; return n;", 0, simple=1),
    "over": Case(ARMS, 5, simple=3, branch=1),
    "equal": Case(ARMS, 3, simple=4, branch=2),
    "under": Case(ARMS, 2, simple=3, multiply=1, branch=2),
    "jumps": Case(JUMPS, 5, simple=20, multiply=3, branch=11),
    "early": Case("if (n > 1) return 0; n = n * n; return n * n;", 2, simple=2, branch=1),
    "while_do": Case(
        "int64_t c = 0; while (n > 0) { n >>= 1; ++c; } do { --c; } while (c > 2); return c;",
        *(8, 17),
        branch=6,
    ),
    "do_without_braces": Case("do ++n; while (n < 5); return n;", 3, simple=5, branch=2),
    "switch_through": Case(SWITCH, 1, simple=3, branch=1),
    "switch_case": Case(SWITCH, 2, simple=2, branch=1),
    "switch_default": Case(SWITCH, 9, simple=1, multiply=1, branch=1),
    "goto_label": Case("again: n = n - 1; if (n > 2) goto again; return n;", 5, simple=7, branch=3),
    "divide32": Case("int a = int(n), b = a + 1; return a / b;", 7, simple=3, divide32=1),
    "divide64": Case("return n % (n + 1);", 7, simple=3, divide64=1),
    "wider_dividend": Case("int b = int(n) + 3; return n * b / b;", 7, 3, 0, 1, divide64=1),
    "cast_dividend": Case("int b = int(n); return (int64_t)b / b;", 7, simple=2, divide64=1),
    "divide_float": Case("float f = n; return f / (f + 1.0f);", 7, simple=3, divide_float=1),
    "divide_update": Case("int a = int(n); a /= a + 1; a %= 7; return a;", 7, simple=4, divide32=1),
    "divide_chain": Case("return n / (n / 2 + 1) / n;", 7, simple=5, divide64=2),
    "by_constants": Case(
        "constexpr int k = 6; const int c = 5; return n / k + n % c + n / sizeof(int) + n / 8;",
        *(7, 8),
    ),
    "template_call": Case("return Scaled<int64_t, 4>(n) + 1;", 3, simple=6, before=TEMPLATE),
    "template_other": Case(
        "return Other<int32_t, 4>(n) + 1;",
        *(3, 7),
        before=TEMPLATE.replace("Scaled", "Other"),
    ),
    "a_lambda": Case(
        "auto f = [&](int64_t v) { return v * n; }; return f(2) + f(3);",
        *(3, 4),
        multiply=2,
    ),
    "at_compile_time": Case(
        "constexpr int64_t k = Up(9); static int64_t table[Up(3)]; return k + Up(n) + table[0];",
        *(9, 7, 1),
        before="constexpr int64_t Up(int64_t a) { return (a + 7) / 8 * 8; }",
    ),
    "macros": Case(
        "TWICE(n, 3); return SQUARE(n);",
        *(2, 3),
        multiply=1,
        before="#define SQUARE(x) ((x) * (x))\n"
        "#define TWICE(a, b) do { a += b; a += b; } while (0)",
    ),
    "values": Case(
        "int64_t values[3] = {1, 2, 3}; for (int64_t v : values) { n += v; } return n;",
        *(2, 7, 3),
        branch=3,
    ),
    "pointers": Case(
        "Pair p = {n, {1, 2, 3, 4}}; Pair* q = &p; "
        "return q->lead + q->rest[1] + p.lead + *(&q->lead);",
        *(2, 4, 4),
        before="struct Pair { int64_t lead; int64_t rest[4]; };",
    ),
    "a_class": Case("Sum sum; return sum.Of(n);", 3, 14, 8, branch=3, before=MEMBERS),
    "local_class": Case(
        "struct Local { CORE int64_t Twice(int64_t v) { return v + v; } }; "
        "return Local().Twice(n);",
        *(3, 3),
    ),
    "not_of_a_core": Case(
        "return Host(n);", 3, simple=1, before="inline int64_t Host(int64_t n) { return n * n; }"
    ),
}

HEAD = "#include <cstdint>\n#include <cstdio>\n#define CORE __attribute__(()) inline\n"
MAIN = """static twin::ScalarWork counted;
namespace twin { ScalarWork& ScalarCounters() { return counted; } }
static void Show(const char* name, int64_t (*call)(int64_t), int64_t n) {
    counted = {};
    call(n);
    std::printf("%s %u %u %u %u %u %u %u\\n", name, counted.Simple(), counted.Memory(),
                counted.Multiply(), counted.Branch(), counted.divide32, counted.divide64,
                counted.divideFloat);
}
"""


def program(folder: Path, compiler: str, level: str) -> str:
    """Returns the output of a program that calls the functions."""
    include = find_toolchain().include
    source = folder / "functions.cpp"
    declared = dict.fromkeys(case.before for case in CASES.values())
    functions = [
        f"CORE int64_t {name}(int64_t n) {{ {case.body} }}" for name, case in CASES.items()
    ]
    source.write_text("\n".join([HEAD, *declared, *functions, ""]))
    counters = ["-include", "core/scalar_counters.h", f"-I{include}"]
    command = [compiler, "-std=c++17", "-Wall", "-Wno-unused", level]
    text = subprocess.run(
        [*command, *counters, "-E", str(source)], check=True, capture_output=True, text=True
    ).stdout
    shows = [f'    Show("{name}", {name}, {case.n});\n' for name, case in CASES.items()]
    counted = with_scalar_counters(text, str(include))
    assert "TwinNotCounted()" not in counted.partition("functions.cpp")[2]
    changed = folder / "counted.cpp"
    changed.write_text(f"{counted}\n{MAIN}int main() {{\n{''.join(shows)}}}\n")
    done = subprocess.run(
        [
            *command,
            "-fno-strict-aliasing",
            "-x",
            "c++",
            str(changed),
            "-o",
            str(folder / "counted"),
        ],
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return subprocess.run(
        [str(folder / "counted")], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_counts_are_those_by_hand(tmp_path: Path, compiler: str, level: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    found = {}
    for line in program(tmp_path, compiler, level).splitlines():
        name, *counts = line.split()
        found[name] = tuple(map(int, counts))
    expected = {
        name: (
            *(case.simple, case.memory, case.multiply, case.branch),
            *(case.divide32, case.divide64, case.divide_float),
        )
        for name, case in CASES.items()
    }
    assert found == expected


COUNTERS = "::twin::ScalarCounters()"


def counted(function: str) -> str:
    return with_scalar_counters(f"__attribute__(()) {function}", "/none")


def test_lines_and_directives_stay() -> None:
    """A directive stays directly before its loop; no line moves."""
    function = (
        "void f(int n) {\n  int s = n;\n#pragma GCC unroll 4\n  for (s = n + 1; n < 3; ++n)\n"
    )
    function += "    s += n;\n}\n"
    text = counted(function)
    assert text.count("\n") == function.count("\n")
    assert "#pragma GCC unroll 4\n  for (" in text
    counts = f"{COUNTERS}.simpleMemory += 3U; {COUNTERS}.branchMultiply += 1U; "
    assert f"++n)\n     {{ {counts}s += n;}}\n" in text


def test_marks_do_not_reach_the_compiler() -> None:
    """__aicore__ may be where a compiler takes no attribute, as in a lambda."""
    text = counted("int f(int n) { return [] __attribute__(()) (int m) { return m; }(n); }")
    assert "__attribute__" not in text
    assert text.count("TwinCount(1, 0, 0, 0)") == 1


@pytest.mark.parametrize(
    "body",
    [
        "try { n = n + 1; } catch (...) { }",
        "if (n) label: n = n + 1;",
        "do if (n) ++n; while (n < 3);",
        "if (n) [[likely]] { n = n + 1; }",
        "for (int i = 0; i < n; ++i) [[unlikely]] { n = n - 1; }",
        "if (n) { n = 2; } else [[likely]] { n = n + 1; }",
    ],
)
def test_what_is_not_understood_is_not_counted(body: str) -> None:
    text = counted(
        f"int f(int n) {{ {body} return n * n; }} __attribute__(()) int g() {{ return 1; }}"
    )
    assert f"f(int n) {{ ::twin::TwinNotCounted();  {body} return n * n; }}" in text
    assert f"g() {{ {COUNTERS}.simpleMemory += 1U;  return 1; }}" in text


#: Divisions that could be read in two ways, and their values for n = 20.
RESULTS = {
    "int64_t len_t = 3; return n / (len_t) - 1;": 5,
    "int64_t len_t = 3; return n / (len_t) * 4;": 24,
    "int64_t len_t = 3; return n % (len_t) - 1;": 1,
    "int64_t a = 2, b = 4; return (n / a < b > (0)) + n / a;": 10,
    "return n / int64_t{3} + n / uint32_t{4};": 11,
    "return n / sizeof n + n / sizeof(n);": 4,
    "int m = 4; return Kind{} / m + Kind{} / (m + 1) * 10;": 21,
    "Fields f = {9, 3}; return f.a / f.b;": 3,
    "switch (n) { case 1 ? 20 : 2: return n / 4; default: return 0; }": 5,
    "const int z[2] = {1, 5}; return n / z[1] / (int64_t)2;": 2,
}
WORK = (
    "namespace twin {",
    "ScalarWork& ScalarCounters() { static ScalarWork work; return work; }",
    "}",
)
TYPES = """struct Kind {};
CORE int64_t operator/(Kind, int&) { return 1; }
CORE int64_t operator/(Kind, int&&) { return 2; }
struct Fields { uint32_t a : 5, b : 5; };
"""


@pytest.mark.parametrize("compiler", COMPILERS)
def test_results_do_not_change(tmp_path: Path, compiler: str) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} on this machine")
    functions = [f"CORE int64_t f{i}(int64_t n) {{ {body} }}" for i, body in enumerate(RESULTS)]
    calls = [f'std::printf("%d\\n", int(f{i}(20)));' for i in range(len(RESULTS))]
    main = [*WORK, "int main() {", *calls, "}", ""]
    include = find_toolchain().include
    source, changed = tmp_path / "results.cpp", tmp_path / "changed.cpp"
    source.write_text("\n".join([HEAD, "#include <cstdio>", TYPES, *functions, *main]))
    command = [compiler, "-std=c++17", "-w"]
    counters = ["-include", "core/scalar_counters.h", f"-I{include}"]
    text = subprocess.run(
        [*command, *counters, "-E", str(source)], check=True, capture_output=True, text=True
    ).stdout
    counted = with_scalar_counters(text, str(include))
    assert "TwinNotCounted()" not in counted.partition("results.cpp")[2]
    changed.write_text(counted)
    binary = str(tmp_path / "results")
    subprocess.run([*command, "-x", "c++", str(changed), "-o", binary], check=True)
    found = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    assert list(map(int, found.split())) == list(RESULTS.values())
