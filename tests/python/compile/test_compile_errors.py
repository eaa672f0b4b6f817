# SPDX-License-Identifier: Apache-2.0
"""Tests the messages of compile_kernel about sources that cannot be compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cannery
from cannery.compile.diagnostics import summarize
from cannery.compile.explanations import explain

from .failures import failure

BROKEN = """#include "kernel_operator.h"

extern "C" __global__ __aicore__ void wrong(GM_ADDR x) {
    int value = undeclared_name;
}
"""


def test_message_has_the_users_line_in_text(cache: Path) -> None:
    text = failure(BROKEN, "wrong")
    assert "wrong.cpp:4:" in text
    assert "undeclared_name" in text
    assert "kernel 'wrong' does not compile" in text
    assert str(cache) not in text
    assert not list(cache.glob("kernels/*.json"))
    assert not list(cache.glob("kernels/*.so"))


@pytest.mark.parametrize(
    "choice",
    ["#if TILING_KEY_VAR == 1\n    int a;\n#endif", "    if constexpr (TILING_KEY_IS(1)) {\n    }"],
)
def test_the_key_when_a_kernel_is_compiled(choice: str) -> None:
    source = BROKEN.replace("    int value = undeclared_name;", choice)
    text = failure(source, "wrong")
    assert "wrong.cpp:4:" in text
    assert "error: this chooses code by the tiling key when it is compiled" in text
    assert "try: if (TILING_KEY_IS(1)), or the macro TILING_KEY_VAR=1UL" in text
    cannery.compile_kernel(source, "wrong", {"TILING_KEY_VAR": "1UL"})


def test_message_has_the_users_line_in_a_file(cache: Path, tmp_path: Path) -> None:
    source = tmp_path / "my_kernel.cpp"
    source.write_text(BROKEN)
    assert f"{source}:4:" in failure(source, "wrong")


@pytest.mark.slow
def test_message_is_trimmed(cache: Path) -> None:
    many = "\n".join(f"int v{i} = missing_{i};" for i in range(300))
    text = failure(f"{many}\n{BROKEN}", "wrong")
    assert len(text.splitlines()) < 50
    assert "more lines" in text


def test_function_that_does_not_exist(cache: Path) -> None:
    """The message about a missing function must not show macros of cannery."""
    head, error, remedy = failure(BROKEN.replace("undeclared_name", "1"), "other").splitlines()
    assert head.startswith("kernel 'other' does not compile ")
    assert "'::other' has not been declared" in error
    assert remedy.startswith('try: define `extern "C" __global__ __aicore__ void other(...)`')


UNCLOSED = """#include "kernel_operator.h"

extern "C" __global__ __aicore__ void wrong(GM_ADDR x) {
    if (x == nullptr) {
        AscendC::TPipe pipe;
}
"""


def test_a_brace_that_is_not_closed(cache: Path) -> None:
    head, *lines = failure(UNCLOSED, "wrong").splitlines()
    assert head.startswith("kernel 'wrong' does not compile ")
    assert lines == [
        "wrong.cpp:3: error: the { in this line has no }; a } is missing between this line and the "
        "end of the file"
    ]


@pytest.mark.parametrize(
    ("note", "line"),
    [
        ("a.cpp:3:9: note: to match this '{'", "a.cpp:3: error: the { in this line has no }; "),
        ("", "a.cpp: error: a } is missing before the end of the file"),
    ],
)
def test_a_brace_that_is_not_closed_in_the_words_of_clang(note: str, line: str) -> None:
    output = f"/twin/core/kernel_export.h:9:80: error: expected '}}'\n{note}\n"
    assert summarize(output, "a.cpp", "a", "/cache/build-1").startswith(line)


def test_a_brace_that_is_missing_inside_the_file() -> None:
    output = "a.cpp:9:80: error: expected '}'\na.cpp:3:9: note: to match this '{'\n"
    assert "a.cpp:9:80: error: expected '}'" in summarize(output, "a.cpp", "a", "/cache/build-1")


def test_undefined_function_is_named(cache: Path) -> None:
    source = "void nowhere();\n" + BROKEN.replace("undeclared_name", "(nowhere(), 1)")
    assert "nowhere" in failure(source, "wrong")


ADD = """#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void wrong(GM_ADDR x) {
    LocalTensor<TYPE> t;
    Add(t, t, OPERAND, 32);
}
"""


def test_a_type_that_a_call_does_not_take_is_one_sentence(cache: Path) -> None:
    text = failure(ADD.replace("TYPE", "bfloat16_t").replace("OPERAND", "t"), "wrong")
    _, error = text.splitlines()
    assert error.startswith("wrong.cpp:6:8: error: Add: ")
    assert error.endswith("(T = bfloat16_t)")


@pytest.mark.parametrize(
    ("dst", "src", "remedy"),
    [
        ("float", "int8_t", ["try: Cast to half first"]),
        ("int64_t", "bfloat16_t", ["try: Cast to float first"]),
        ("uint16_t", "float", []),
    ],
)
def test_a_cast_that_does_not_exist_is_one_sentence(
    cache: Path, dst: str, src: str, remedy: list[str]
) -> None:
    call = f"LocalTensor<{dst}> t; LocalTensor<{src}> s; Cast(t, s, RoundMode::CAST_NONE, 64);"
    source = BROKEN.replace("int value = undeclared_name;", f"using namespace AscendC; {call}")
    _, error, *rest = failure(source, "wrong").splitlines()
    assert error.startswith("wrong.cpp:4:")
    assert error.endswith(f": error: Cast: {dst} from {src} is not available on A2/A3")
    assert rest == remedy


VARIABLES = """TPipe pipe; TQue<QuePosition::VECIN, 1> q;
    LocalTensor<float> f; LocalTensor<half> h; LocalTensor<int16_t> s; GlobalTensor<half> g;
    """


def messages(statement: str) -> list[str]:
    """Compiles a kernel with this statement. Returns the lines of the error except the first."""
    source = ADD.replace("LocalTensor<TYPE> t;", VARIABLES).replace(
        "Add(t, t, OPERAND, 32);", statement
    )
    return failure(source, "wrong").splitlines()[1:]


@pytest.mark.parametrize(
    ("statement", "error", "remedy"),
    [
        (
            "Add(f, f, h, 32);",
            "Add: the tensors have different types, float and half: "
            "Add(LocalTensor<float>, LocalTensor<float>, LocalTensor<half>, int)",
            "tensors of one type; Cast converts a tensor of half to float",
        ),
        (
            "DataCopy(s, g, 32);",
            "DataCopy: the tensors have different types, int16_t and half: "
            "DataCopy(LocalTensor<int16_t>, GlobalTensor<half>, int)",
            "tensors of one type; Cast converts a tensor of half to int16_t",
        ),
        (
            "f = q.DeQue<half>();",
            "operator=: the tensors have different types, float and half: "
            "operator=(LocalTensor<float>, LocalTensor<half>)",
            "tensors of one type; Cast converts a tensor of half to float",
        ),
        (
            "Muls(h, h, 2.0f, 32);",
            "Muls: the tensors are of half, the scalar is float: "
            "Muls(LocalTensor<half>, LocalTensor<half>, float, int)",
            "a scalar of the tensors' type, static_cast<half>(...)",
        ),
        (
            "Muls(f, f, h, 32);",
            "Muls: expected a scalar of float, got a tensor: "
            "Muls(LocalTensor<float>, LocalTensor<float>, LocalTensor<half>, int)",
            "Mul, which takes two tensors",
        ),
        (
            "int n = min(1, 2u);",
            "min: the arguments have different types, int and uint32_t: min(int, uint32_t)",
            "arguments of one type; static_cast<int>(...) converts a number",
        ),
    ],
)
def test_operands_of_different_types_are_one_sentence(
    cache: Path, statement: str, error: str, remedy: str
) -> None:
    line, told = messages(statement)
    assert line.startswith("wrong.cpp:")
    assert line.endswith(f": error: {error}")
    assert told == f"try: {remedy}"


@pytest.mark.parametrize(
    ("statement", "name", "meant"),
    [
        ("Adddd(f, f, f, 32);", "Adddd", "Add"),
        ("LocalTensr<float> z;", "LocalTensr", "LocalTensor"),
        ("AscendC::Duplicates(f, 1.0f, 32);", "Duplicates", "Duplicate"),
        ("pipe.InitBuffers(q, 1, 256);", "InitBuffers", "InitBuffer"),
        ("q.EnQueue(f);", "EnQueue", "EnQue"),
        ("g.SetGlobalBuffers((__gm__ half*)x);", "SetGlobalBuffers", "SetGlobalBuffer"),
        ("PipeBarrier<PIPE_VV>();", "PIPE_VV", "PIPE_V"),
    ],
)
def test_the_name_that_was_meant(cache: Path, statement: str, name: str, meant: str) -> None:
    errors = [line for line in messages(statement) if ": error: " in line]
    assert len(errors) == 1, "the compiler's other errors in this line only follow"
    assert f"'{name}'" in errors[0]
    assert errors[0].endswith(f"; did you mean '{meant}'?")


def test_no_name_is_suggested_for_a_name_of_the_user(cache: Path) -> None:
    assert "did you mean" not in failure(BROKEN, "wrong")


@pytest.mark.parametrize(
    ("main", "body", "lines"),
    [
        (
            "a.cpp:6:5: error: no matching function for call to 'Add'",
            ["note: candidate template ignored: deduced conflicting types for parameter 'T' "
             "('float' vs. 'half')"],
            ["a.cpp:6:5: error: Add: the arguments have different types, float and half",
             "try: arguments of one type; static_cast<float>(...) converts a number"],
        ),
        (
            "a.cpp:6:5: error: use of undeclared identifier 'Adddd'",
            [],
            ["a.cpp:6:5: error: use of undeclared identifier 'Adddd'; did you mean 'Add'?"],
        ),
        (
            "a.cpp:6:5: error: no member named 'EnQueue' in 'AscendC::TQue<VECIN, 1>'",
            [],
            ["a.cpp:6:5: error: no member named 'EnQueue' in 'AscendC::TQue<VECIN, 1>'; did you "
             "mean 'EnQue'?"],
        ),
        ("a.cpp:6:5: error: no matching function for call to 'Add'", ["note: 3 arguments"], None),
        ("a.cpp:6:5: error: expected ';'", [], None),
    ],
)  # fmt: skip
def test_explanations_of_the_errors_of_clang(
    main: str, body: list[str], lines: list[str] | None
) -> None:
    assert explain(main, body) == lines


def test_notes_that_explain_an_error_are_kept(cache: Path) -> None:
    text = failure(ADD.replace("TYPE", "float").replace("OPERAND", "x"), "wrong")
    assert text.index("wrong.cpp:6:") < text.index("no matching function")
    assert "note: candidate: " in text
    assert "note:   " in text  # a note says why the candidate does not fit


def test_an_error_in_the_users_own_header_names_both(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "sizes.h").write_text("\n#error no sizes for this chip\n")
    source = tmp_path / "my_kernel.cpp"
    source.write_text('\n#include "sizes.h"\n' + BROKEN)
    text = failure(source, "wrong")
    assert f"{tmp_path / 'sizes.h'}:2:" in text
    assert f"{source}:2" in text


def test_errors_of_clang_read_the_same(cache: Path) -> None:
    output = """In file included from /cache/build-1/kernel.cpp:3:
In file included from wrong.cpp:1:
/twin/add.h:12:5: error: static assertion failed due to requirement 'ok': Add takes half
   12 |     static_assert(ok, "Add takes half");
      |     ^             ~~
wrong.cpp:6:5: note: in instantiation of function template specialization 'Add<bf>' requested here
    6 |     Add(t, t, t, 32);
      |     ^
1 error generated.
"""
    text = summarize(output, "wrong.cpp", "wrong", "/cache/build-1")
    assert text.splitlines()[0].startswith("/twin/add.h:12:5: error: static assertion failed")
    assert "wrong.cpp:6:5: note: in instantiation" in text
    assert "build-1" not in text


@pytest.mark.parametrize("missing", ["/nonexistent/g++", "no-such-compiler"])
def test_missing_compiler(cache: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setenv("CXX", missing)
    text = failure(BROKEN, "wrong")
    assert missing in text
    assert "apt install g++" in text


@pytest.mark.parametrize(
    ("compiler", "said"),
    [
        ("'", 'CXX is "\'"'),
        ("true", "writes nothing"),
        ("false", "the compiler says nothing"),
        ("cat", "cat --help"),
    ],
)
def test_what_is_no_compiler(
    cache: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, said: str
) -> None:
    monkeypatch.setenv("CXX", compiler)
    text = failure(BROKEN, "wrong")
    assert said in text
    assert "try: define" not in text


def test_a_full_disk_is_no_fault_of_the_kernel() -> None:
    output = """\
In file included from cannery: export of kernel add:2:
/twin/include/core/kernel_export.h:169:6: fatal error: error writing to /tmp/a.s: No space left
  169 | void add()
compilation terminated.
"""
    text = summarize(output, "add.cpp", "add", "/cache/build-1")
    assert "No space left" in text
    assert "try: define" not in text


def test_no_compiler_on_path(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no C++ compiler: g++ or c++ or clang++" in failure(BROKEN, "wrong")


def test_missing_file(cache: Path, tmp_path: Path) -> None:
    assert "no file" in failure(tmp_path / "nothing.cpp", "wrong")
    assert "no file" in failure("nothing.cpp", "wrong")


@pytest.mark.parametrize("name", ["", "2add", "add(", "a b", "ns::", "add<", 3])
def test_name_must_be_that_of_a_function(name: Any) -> None:
    with pytest.raises(ValueError, match=r"^name: expected"):
        cannery.compile_kernel(BROKEN, name)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"defines": "A=1"}, TypeError, "defines"),
        ({"defines": ["2=1"]}, ValueError, "defines"),
        ({"defines": {"A B": 1}}, ValueError, "defines"),
        ({"defines": {"A": "1\n#include <x>"}}, ValueError, "defines"),
        ({"defines": {"A": "a\0b"}}, ValueError, "defines"),
        ({"include_dirs": ["a\0b"]}, TypeError, "include_dirs"),
        ({"include_dirs": [3]}, TypeError, "include_dirs"),
        ({"include_dirs": ["/none"]}, ValueError, "include_dirs: no folder '/none'"),
        ({"kernel_type": "AIV"}, ValueError, "kernel_type: expected one of AIV_ONLY"),
        ({"kernel_type": 99}, ValueError, "kernel_type"),
    ],
)
def test_malformed_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        cannery.compile_kernel(BROKEN, "wrong", **options)


def test_source_must_be_text_or_path() -> None:
    with pytest.raises(TypeError, match=r"^source: expected"):
        cannery.compile_kernel(b"bytes", "wrong")  # type: ignore[arg-type]


@pytest.mark.parametrize("source", ["a\0b", "{\ud800}", "\ud800", Path("a\0b")])
def test_source_must_be_text_that_a_file_can_hold(source: Any) -> None:
    with pytest.raises(ValueError, match=r"^source: expected"):
        cannery.compile_kernel(source, "wrong")


@pytest.mark.parametrize("source", ["x" * 5000, "/", "/dev/zero", Path("/dev/null")])
def test_source_must_be_a_file(source: Any) -> None:
    with pytest.raises(cannery.CompileError, match=r"^source: no file"):
        cannery.compile_kernel(source, "wrong")
