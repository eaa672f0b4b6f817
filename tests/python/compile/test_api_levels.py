# SPDX-License-Identifier: Apache-2.0
"""A chosen level of the toolkit: warnings about the names that it does not have."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path

import pytest

import cannery
from cannery import settings
from cannery.compile.api_levels import missing_names

from ..processes import run_cannery

HEAD = '#include "kernel_operator.h"\n'
KERNEL = HEAD + (
    "using namespace AscendC;\n"
    'extern "C" __global__ __aicore__ void ones(GM_ADDR x) {\n'
    "    TPipe pipe;\n"
    "    GlobalTensor<float> gm;\n"
    "    gm.SetGlobalBuffer((__gm__ float*)x);\n"
    "#ifdef OLD\n"
    "    InitOutput<float>(gm, 64, 1.0f);\n"
    "#else\n"
    "    AscendC::Fill(gm, 64, 1.0f);\n"
    "#endif\n"
    "}\n"
)
FILL = (
    "Fill: CANN 8.1.RC1 does not have this name, CANN 8.5 has it; "
    "instead: InitOutput or InitConstValue"
)


def warned(text: str, level: str = "8.1.RC1") -> list[str]:
    with cannery.use(api=level):
        return missing_names({"k.cpp": text})


@pytest.mark.parametrize(
    ("code", "want"),
    [
        ("void f() { Fill(gm, 8, 0); }", f"k.cpp:2: warning: {FILL}"),
        ("void f() { return AscendC::Fill(gm, 8, 0); }", f"k.cpp:2: warning: {FILL}"),
        (
            "\nPaddingMode mode;",
            "k.cpp:3: warning: PaddingMode: CANN 8.1.RC1 does not have this name, CANN 9.0 has it",
        ),
        (
            "REGISTER_NONE_TILING;",
            "k.cpp:2: warning: REGISTER_NONE_TILING: CANN 8.1.RC1 does not have this name, "
            "CANN 8.5 has it",
        ),
        (
            "ReduceMean<float, AscendC::Pattern::Reduce::AR>(a, b, c, true);",
            "k.cpp:2: warning: ReduceMean: CANN 8.1.RC1 does not have this name, CANN 8.5 has it",
        ),
    ],
)
def test_a_missing_name_is_named(code: str, want: str) -> None:
    assert warned(HEAD + code)[0] == want


def test_a_name_that_a_level_lost() -> None:
    want = "ArithProgression: CANN 9.0 does not have this name any more; instead: Arange"
    assert warned("void f() { ArithProgression(a, 0, 1, 8); }", "9.0") == [
        f"k.cpp:1: warning: {want}"
    ]
    assert warned("void f() { ArithProgression(a, 0, 1, 8); }") == []


@pytest.mark.parametrize(
    "code",
    [
        "void Fill(int x) {} void f() { Fill(3); }",
        "vector<int>& Fill(int x) { return y; } void f() { Fill(3); }",
        "class Fill { Fill(); }; Fill f;",
        "#define Fill(x) x\nint f() { return Fill(3); }",
        "template <bool AR> void f() { if (AR) {} }",
        "void f() { mine::Fill(3); tensor.Fill(3); tensor->Fill(3); }",
        'void f() { Text("Fill"); /* Fill(3) */ }  // Fill(3)',
        "InitConstValue(a, 0); Duplicate(a, 0, 8);",
        "template <typename Layout> void q(Layout a);",
        "using Layout = int; Layout f();",
        "typedef vector<int> Layout; Layout f();",
        "typedef struct { int x; } Layout; Layout f();",
        "enum E { Fill, Layout }; E e = Layout;",
        "void f(const LocalTensor<float>& Layout, T&& Shape) { g(Layout, Shape); }",
        "int a, Layout; auto [Shape, Stride] = g(); h(Layout, Shape, Stride);",
        "for (auto& Layout : v) { g(Layout); }",
        "auto f = [Layout = a] { return Layout; };",
        "struct S { vector<int> Fill(int x) const { return v; } int* Fill(int) noexcept; };"
        "void f() { Fill(3); }",
        "using mine::Fill; void f() { ::Fill(3); A<int>::Fill(3); this->template Fill<int>(); }",
        "S(Fill)",
    ],
)
def test_names_of_the_users_own(code: str) -> None:
    assert warned(HEAD + code) == []


@pytest.mark.parametrize(
    "code",
    [
        "struct S { void Fill(); };\nvoid f() { AscendC::Fill(gm, 8, 0); }",
        "void f() {\nAscendC::Fill<float>(gm, 8, 0); }",
    ],
)
def test_a_qualified_name_is_the_toolkits(code: str) -> None:
    assert warned(code) == [f"k.cpp:2: warning: {FILL}"]


def test_brackets_that_stay_open_take_linear_time() -> None:
    start = time.process_time()
    warned("*Fill(" * 40_000)
    assert time.process_time() - start < 20


def test_the_newest_level_has_all_names_but_those_that_it_lost() -> None:
    assert warned("void f() { Fill(gm, 8, 0); ReduceRepeat<SUM>(a); }", "9.1") == []


def kernel_warnings(**options: object) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cannery.compile_kernel(KERNEL, "ones", **options)  # type: ignore[arg-type]
    return [str(each.message) for each in caught]


def test_kernels() -> None:
    with cannery.use(api="8.1.RC1"):
        assert any(FILL in each for each in kernel_warnings())
        assert not any("Fill" in each for each in kernel_warnings(defines=["OLD"]))
    with cannery.use(api="8.5"):
        assert kernel_warnings() == []
    assert kernel_warnings() == []


PROGRAM = KERNEL + "int main() { ones<<<1, nullptr, nullptr>>>(nullptr); }\n"


@pytest.mark.parametrize("words", [("--api", "8.1.RC1"), ("--api=8.1.RC1",), ()])
def test_programs(words: tuple[str, ...], tmp_path: Path) -> None:
    source = tmp_path / "a.asc"
    source.write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text(PROGRAM)
    env = dict(os.environ) if words else {**os.environ, "CANNERY_API": "8.1.RC1"}
    done = run_cannery("cc", *words, str(source), "-o", str(tmp_path / "a"), env=env)
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"{tmp_path}/b.h:10: warning: {FILL}\n"


def test_unit_tests(tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text('#include "tikicpulib.h"\n' + KERNEL + "int main() {}\n")
    words = ("cc", "--unit-test", "--api=8.1.RC1", str(source), "-o", str(tmp_path / "a"))
    done = run_cannery(*words)
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"{source}:11: warning: {FILL}\n"


def test_a_wrong_level(tmp_path: Path) -> None:
    want = "expected one of 8.1.RC1, 8.5, 9.0, 9.1, got '8.0'"
    done = run_cannery("cc", "--api", "8.0", str(tmp_path / "a.cpp"))
    assert (done.returncode, f"api: {want}" in done.stderr) == (2, True), done.stderr
    for wrong in ("8.0.RC3", "8", "x", "8.5 "):
        with pytest.raises(ValueError, match="api: expected one of"):
            cannery.use(api=wrong)


@pytest.mark.parametrize(
    ("version", "level"),
    [
        ("8.1.RC1", "8.1.RC1"),
        ("8.1.RC2", "8.1.RC1"),
        ("8.3.RC1", "8.1.RC1"),
        ("8.5.0", "8.5"),
        ("9.0.1", "9.0"),
        ("9.1.0-beta.2", "9.1"),
        ("9.12", "9.1"),
        ("10.0", "9.1"),
    ],
)
def test_versions_between_levels(version: str, level: str) -> None:
    with cannery.use(api=version):
        assert settings.api_level() == level
