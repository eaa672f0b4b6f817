# SPDX-License-Identifier: Apache-2.0
"""Tests that device code that a card's compiler refuses is reported with its line."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.compile.code import read_code
from cannery.errors import CompileError, KernelWarning

from ..selection import rest_slow

pytestmark = pytest.mark.twin_only("a card has its own compiler, which says what it does not take")

HEADER = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
KERNEL = """
extern "C" __global__ __aicore__ void tried(GM_ADDR x, GM_ADDR out) {
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, 16);
    to.SetGlobalBuffer((__gm__ float*)out, 16);
    float value = from.GetValue(0);
    int number = (int)from.GetValue(1);
    %s
    to.SetValue(0, value);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(to);
}
"""

ENDS = "functions that control processes"
#: Each case has the text before the kernel, the kernel's line, and the names in the message. The
#: message must name the line that ends with `// here`.
REFUSED = {
    "vector": (
        "#include <vector>",
        "std::vector<float> v(number); v.push_back(value); // here",
        "the standard library: push_back, vector",
    ),
    "array": (
        "#include <array>",
        "std::array<float, 4> a; a.fill(value); // here",
        "the standard library: ",
    ),
    "tuple": (
        "#include <tuple>",
        "auto t = std::make_tuple(value, number); value = std::get<0>(t); // here",
        "the standard library: ",
    ),
    "algorithm": (
        "#include <algorithm>",
        "float all[4] = {value, 1, 2, 3};\nstd::sort(all, all + number); // here\nvalue = all[0];",
        "the standard library: sort",
    ),
    "string": (
        "#include <string>",
        "std::string text(number, 'a'); value += text.size(); // here",
        "the standard library: basic_string",
    ),
    "function": (
        "#include <functional>",
        "std::function<float()> f = [=]() { return value; }; value = f(); // here",
        "the standard library: function",
    ),
    "exit": ("#include <cstdlib>", "if (number > 3) exit(0); // here", f"{ENDS}: exit\n"),
    "fork": ("#include <unistd.h>", "value = fork(); // here", f"{ENDS}: fork\n"),
    "iostream": ("#include <iostream>", "std::cout << value << std::endl; // here", "iostream"),
    "stringstream": (
        "#include <sstream>",
        "std::ostringstream s; // here\ns << value;\nvalue = s.str().size();",
        "iostream",
    ),
    "new": (
        "",
        "float* p = new float[number]; // here\np[0] = value; value = p[number - 1];",
        "new",
    ),
    "delete": (
        "__aicore__ inline void Free(float* p) {\n    delete[] p;  // here\n}",
        "if (number == 0) { Free((float*)x); }",
        "delete",
    ),
    "malloc": (
        "#include <cstdlib>",
        "float* p = (float*)malloc(number); // here\nto.SetValue(1, *p); free(p);",
        "malloc and free",
    ),
    "file": (
        "#include <cstdio>",
        'FILE* f = fopen("a", "r"); // here\nvalue += f == nullptr;',
        "file I/O",
    ),
    "new by a macro": (
        "#define MAKE(type) new type()",
        "int* p = MAKE(int); *p = number; value = *p; // here",
        "new",
    ),
    "new with brackets": ("", "int* p = new (int); *p = number; value = *p; // here", "new"),
    "new by its function": (
        "#include <new>",
        "auto p = (float*)::operator new(4 * number); p[0] = value; value = p[0]; // here",
        "new",
    ),
    "virtual by another name": (
        "struct One { __aicore__ virtual float Get(float v) { return v; } }; // here\n"
        "using Alias = One;",
        "Alias one; value = one.Get(value);",
        "virtual functions: of One",
    ),
    "virtual": (
        "struct Base { __aicore__ virtual float Get(float v) = 0; }; // here\n"
        "struct Twice : Base { __aicore__ float Get(float v) override { return v * 2; } };",
        "Twice twice; Base* base = &twice; value = base->Get(value);",
        "virtual functions",
    ),
    "virtual that is not called so": (
        "struct One { __aicore__ virtual float Get(float v) { return v; } }; // here",
        "One one; value = one.Get(value);",
        "virtual functions: of One",
    ),
    "virtual base": (
        "struct Root { float v; };\nstruct Left : virtual Root {}; // here\n"
        "struct Right : virtual Root {};\n"
        "struct Both : Left, Right {\n"
        "    __aicore__ float Get() { return v; }\n};",
        "Both both; both.v = value; value = both.Get();",
        "virtual functions",
    ),
    "recursion": (
        "__aicore__ inline int Fact(int n) {\n    return n < 2 ? 1 : n * Fact(n - 1); // here\n}",
        "value = Fact(number);",
        "recursion: Fact",
    ),
    "recursion of the tail": (
        "__aicore__ inline int Gcd(int a, int b) {\n"
        "    return b == 0 ? a : Gcd(b, a % b); // here\n}",
        "value = Gcd(number, 12);",
        "recursion: Gcd",
    ),
    "recursion of a static function": (
        "static __attribute__((noinline)) __aicore__ int Sum(int n) {\n"
        "    return n == 0 ? 0 : n + Sum(n - 1); // here\n}",
        "value = Sum(number);",
        "recursion: Sum",
    ),
    "mutual recursion": (
        "__aicore__ inline bool Odd(int n);\n"
        "__aicore__ inline bool Even(int n) { return n == 0 || Odd(n - 1); } // here\n"
        "__aicore__ inline bool Odd(int n) { return n != 0 && Even(n - 1); }",
        "value = Even(number);",
        "recursion: ",
    ),
    "typeid": ("#include <typeinfo>", "value = typeid(value).name()[0]; // here", "typeid"),
    "typeid compared": (
        "#include <typeinfo>",
        "value = typeid(value) == typeid(number) ? 1.0f : 2.0f; // here",
        "typeid",
    ),
    "host function": (
        "inline float Half(float v) { return v / 2; }",
        "value = Half(value); // here",
        "a function without __aicore__: Half",
    ),
    "host method": (
        "struct Box {\n    float v;\n    float Get() const { return v * v + 1.0f; }\n};",
        "Box box{value};\nvalue += box.Get(); // here",
        "a function without __aicore__: Get",
    ),
    "host function that stays one": (
        "__attribute__((noinline)) float Half(float v) { return v / 2; }",
        "value = Half(value); // here",
        "a function without __aicore__: Half",
    ),
}


def source_of(before: str, body: str) -> str:
    return HEADER + before + KERNEL % body


def line_of_mark(source: str) -> int:
    (line,) = [i for i, text in enumerate(source.splitlines(), 1) if "// here" in text]
    return line


@pytest.mark.parametrize("case", rest_slow(sorted(REFUSED), 3))
def test_refused_by_name_and_line(case: str, tmp_path: Path) -> None:
    before, body, what = REFUSED[case]
    source = source_of(before, body)
    path = tmp_path / "tried.cpp"
    path.write_text(source)
    # Every second case passes text instead of a path. For text, the message names `tried.cpp`.
    as_text = sorted(REFUSED).index(case) % 2 == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelWarning)
        with pytest.raises(CompileError) as caught:
            cannery.compile_kernel(source if as_text else path, "tried")
    said = str(caught.value)
    label = "tried.cpp" if as_text else str(path)
    assert f"{label}:{line_of_mark(source)}: {what}" in said, said
    way_out = "remove the calls; to end" if what.startswith(ENDS) else "without them; for"
    assert f"\ntry: {way_out}" in said


@pytest.mark.release
def test_not_refused_on_demand() -> None:
    source = source_of(*REFUSED["vector"][:2])
    x, out = np.array([3.0, 2.0] + [0.0] * 14, np.float32), np.zeros(16, np.float32)
    cannery.compile_kernel(source, "tried", portable=False)(1, x, out)
    assert out[0] == 3.0
    # Compilations with and without `portable` do not share entries of the cache.
    with pytest.raises(CompileError, match="the standard library"):
        cannery.compile_kernel(source, "tried")
    with pytest.raises(TypeError, match="portable: expected True or False, got 1"):
        cannery.compile_kernel(source, "tried", portable=1)  # type: ignore[arg-type]


#: Forms that public kernels use and that must not be refused.
FINE = {
    "scalar functions": (
        "#include <algorithm>\n#include <cmath>\n#include <cstdlib>\n#include <limits>",
        "value = std::max(std::min(value, 3.0f), std::abs(value)) + sqrt(value) + sqrtf(value)"
        " + abs(number) + std::numeric_limits<float>::lowest() + fabsf(value);",
    ),
    "values of types": (
        "#include <type_traits>\n#include <utility>\n#include <tuple>\n#include <array>\n"
        "template <typename T> __aicore__ inline T Same(T&& v) { return std::forward<T>(v); }\n"
        "constexpr int Sum(int n) { return n == 0 ? 0 : n + Sum(n - 1); }",
        "if constexpr (std::is_same_v<float, float>) { value = Same(2.0f); }\n"
        "constexpr auto pair = std::make_tuple(1, 2); constexpr int ten = Sum(4);\n"
        "static_assert(std::get<1>(pair) == 2); value += ten;",
    ),
    "constexpr functions": (
        "constexpr float Twice(float v) { return v * 2; }",
        "value = Twice(value);",
    ),
    "functions that a macro marks": (
        "#define DEVICE __aicore__ inline\n#define FUNCTION DEVICE\n"
        "FUNCTION float Twice(float v) { return v * 2; }\n"
        "#define UNARY(name, op) __aicore__ inline float name(float v) { return op v; }\n"
        "UNARY(Minus, -)",
        "value = Twice(value) + Minus(value);",
    ),
    "marks apart from the definition": (
        "class Tile {\npublic:\n    __aicore__ inline Tile() {}\n    __aicore__ inline ~Tile() {}\n"
        "    __aicore__ inline float Get(float v);\n    template <int n>\n"
        "    __aicore__ inline float\n    Times(float v)\n    {\n        return v * n;\n    }\n};\n"
        "inline float Tile::Get(float v) { return v; }",
        "Tile tile; value = tile.Get(value) + tile.Times<3>(value);",
    ),
    "templates that come to an end": (
        "template <int n> struct Total {\n"
        "    static __aicore__ inline float Of(float v) { return v + Total<n - 1>::Of(v); }\n};\n"
        "template <> struct Total<0> { static __aicore__ inline float Of(float) { return 0; } };\n"
        "template <int n> __aicore__ inline float Fold(float v) {\n"
        "    if constexpr (n == 0) { return v; } else { return v * Fold<n - 1>(v); }\n}",
        "value = Total<5>::Of(value) + Fold<4>(value);",
    ),
    "constructors, and functions in two parts": (
        "struct Info {\n    int loop;\n    Info() { loop = 3; }\n};\n"
        "class Tile {\npublic:\n    __aicore__ inline float Process(float v, int n)\n    {\n"
        "        if (n == 0) {\n            return v;\n        }\n        return Work(v, n);\n"
        "    }\n    __aicore__ inline float Work(float v, int n)\n    {\n"
        "        for (int i = 0; i < n * n; ++i) { v = v * n + i; v += v > n ? i : n; }\n"
        "        return v;\n    }\n};",
        "Info info; Tile tile; value = tile.Process(value, number);\n"
        "value += tile.Process(value, info.loop); value += tile.Process(1.0f, number * 3);",
    ),
    "a member with a name of the C library": (
        "struct Pool { __aicore__ inline int malloc(int n) { return n * 2; } };",
        "Pool pool; value += pool.malloc(number);",
    ),
    "definitions outside, without the mark of the declaration": (
        "class Tile {\npublic:\n    __aicore__ inline float Get() const;\n    float v;\n};\n"
        "inline float Tile::Get() const { return v + 1; }\n"
        "__aicore__ float Later(float v, int n);\n"
        "float Later(float v, int n) { return n > 0 ? v * n : v + n * n; }",
        "Tile tile; tile.v = value; value = tile.Get() + Later(value, number);",
    ),
    "a class of the host by the same name": (
        "namespace device { struct Params { __aicore__ inline int Get() { return n; } int n; }; }\n"
        "namespace host { struct Params { virtual int Get() { return n; } int n; }; }",
        "device::Params params{number}; value += params.Get();",
    ),
    "what the preprocessor leaves out": (
        "struct Base {\n#if 0\n    virtual void Run();\n#endif\n"
        "    __aicore__ inline float Get(float v) { return v; }\n};\n"
        "#ifdef HOST_SIDE\n#define MARK\n#else\n#define MARK __aicore__\n#endif\n"
        "MARK inline float Half(float v) { return v * 0.5f + 1; }\n"
        "#ifdef HOST_SIDE\n#define LOG(x) std::cout << x\n#else\n#define LOG(x) (void)(x)\n#endif\n"
        "#define DROP(x)",
        "Base base; value = base.Get(Half(value)); LOG(value); DROP(std::string(1, 'a'));\n"
        "#if 0\nint* p = new int; std::vector<float> v; std::cout << 1; throw 1;\n"
        "#elif 1\nvalue += 2;\n#else\nstd::string s; malloc(1);\n#endif\n"
        "#ifdef HOST_SIDE\nif (number > 3) {\n#else\nif (number > 4) {\n#endif\nvalue += 1;\n}",
    ),
    "inheritance and lambdas": (
        "struct Base {\n    __aicore__ inline float Get() { return v; }\n    float v = 1;\n};\n"
        "struct More : Base {};\n"
        "template <typename F> __aicore__ inline float Call(F f) { return f(2.0f); }",
        "More more; value = more.Get() + Call([&](float v) { return v + value; });",
    ),
    "host code beside": (
        "#include <iostream>\n#include <vector>\n"
        "struct Virtual { virtual int Get() { return 1; } };\n"
        "int main() { std::vector<int> v(3); Virtual one; std::cout << v.size() + one.Get(); }",
        "value += number;",
    ),
}


@pytest.mark.parametrize("case", rest_slow(sorted(FINE), 2))
def test_what_public_kernels_do(case: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        cannery.compile_kernel(source_of(*FINE[case]), "tried")


@pytest.mark.parametrize(
    ("before", "body", "what"),
    rest_slow(
        [
            ("", "double wide = number; value += wide / 3; // here", "double"),
            ("", "value = value * 0.1; // here", "double"),
            (
                "static float kept = 0;",
                "kept += value; // here\nvalue = kept;",
                "a global variable",
            ),
            ("", "static float kept = value; // here\nvalue += kept;", "a static variable"),
            ("", "if (number < 0) {\nthrow 1; // here\n}", "exceptions"),
        ],
        2,
    ),
    ids=lambda part: part if isinstance(part, str) and part.isalpha() else "",
)
def test_what_is_documented_nowhere_is_a_warning(before: str, body: str, what: str) -> None:
    source = source_of(before, body)
    with pytest.warns(KernelWarning) as caught:
        kernel = cannery.compile_kernel(source, "tried")
    said = "\n".join(str(each.message) for each in caught)
    assert f"tried.cpp:{line_of_mark(source)}:" in said
    assert what in said
    kernel(1, np.ones(16, np.float32), np.ones(16, np.float32))


@pytest.mark.parametrize("parameter", rest_slow(["float& x", "std::vector<float> x", "Owner x"]))
def test_parameters_that_no_launch_can_pass(parameter: str) -> None:
    source = (
        "#include <vector>\n" + HEADER + "struct Owner { Owner(const Owner&); int v; };\n"
        f'extern "C" __global__ __aicore__ void tried({parameter}) {{}}\n'
    )
    with pytest.raises(CompileError, match="a kernel takes pointers, numbers and structs of them"):
        cannery.compile_kernel(source, "tried")


@pytest.mark.slow
def test_what_initialises_variables_of_the_host_is_no_part_of_a_kernel(tmp_path: Path) -> None:
    """Code that initialises host variables may use std, as tiling classes do."""
    (tmp_path / "one.asc").write_text(
        '#include "acl/acl.h"\n#include "kernel_operator.h"\n#include "add_custom_tiling.h"\n'
        "__global__ __vector__ void one(__gm__ int* x, int n) { x[0] = n; }\n"
        "int main() { one<<<1, 0, nullptr>>>(nullptr, 1); }\n"
    )
    op_host = Path(__file__).parents[2] / "fixtures/msopgen/AddCustom/op_host"
    x = np.zeros(16, np.int32)
    cannery.load(tmp_path / "one.asc", (), op_host).one(1, x, 7)
    # The kernel does not write its cache line back, so its store may be missing in memory.
    assert x[0] in (0, 7)


def test_a_header_is_named(tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text(
        "#include <vector>\n__aicore__ inline float Grow(int n) {\n"
        "    std::vector<float> v(n);\n    return v[0];\n}\n"
    )
    with pytest.raises(CompileError, match=r"mine\.h:3: the standard library: vector"):
        cannery.compile_kernel(
            source_of('#include "mine.h"', "value = Grow(number);"), "tried", None, tmp_path
        )


def test_no_fault_of_the_check_keeps_a_kernel_from_running(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> None:
        raise KeyError(77)

    monkeypatch.setattr("cannery.compile.build.findings", unreadable)
    with pytest.warns(KernelWarning, match=r"'tried' was not checked for .* \(KeyError: 77\)"):
        kernel = cannery.compile_kernel(source_of("", "value += 40;"), "tried")
    x, out = np.ones(16, np.float32), np.zeros(16, np.float32)
    kernel(1, x, out)
    assert out[0] == 41.0


def test_code_without_debug_information() -> None:
    library = cannery.compile_kernel(source_of("", ""), "tried").library
    assert read_code(library.read_bytes()).frames
