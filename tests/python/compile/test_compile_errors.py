# SPDX-License-Identifier: Apache-2.0
"""compile_kernel: what it says when there is nothing to run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cannery

BROKEN = """#include "kernel_operator.h"

extern "C" __global__ __aicore__ void wrong(GM_ADDR x) {
    int value = undeclared_name;
}
"""


def failure(*arguments: Any, **options: Any) -> str:
    with pytest.raises(cannery.CompileError) as caught:
        cannery.compile_kernel(*arguments, **options)
    return str(caught.value)


def test_message_has_the_users_line_in_text(cache: Path) -> None:
    text = failure(BROKEN, "wrong")
    assert "wrong.cpp:4:" in text
    assert "undeclared_name" in text
    assert "kernel 'wrong' does not compile" in text
    assert str(cache) not in text
    assert not list(cache.glob("kernels/*.json"))
    assert not list(cache.glob("kernels/*.so"))


def test_message_has_the_users_line_in_a_file(cache: Path, tmp_path: Path) -> None:
    source = tmp_path / "my_kernel.cpp"
    source.write_text(BROKEN)
    assert f"{source}:4:" in failure(source, "wrong")


def test_message_is_trimmed(cache: Path) -> None:
    many = "\n".join(f"int v{i} = missing_{i};" for i in range(300))
    text = failure(f"{many}\n{BROKEN}", "wrong")
    assert len(text.splitlines()) < 50
    assert "more lines" in text


def test_function_that_does_not_exist(cache: Path) -> None:
    source = BROKEN.replace("undeclared_name", "1")
    assert "void other(" in failure(source, "other")


def test_undefined_function_is_named(cache: Path) -> None:
    source = "void nowhere();\n" + BROKEN.replace("undeclared_name", "(nowhere(), 1)")
    assert "nowhere" in failure(source, "wrong")


@pytest.mark.parametrize("missing", ["/nonexistent/g++", "no-such-compiler"])
def test_missing_compiler(cache: Path, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.setenv("CXX", missing)
    text = failure(BROKEN, "wrong")
    assert missing in text
    assert "apt install g++" in text


def test_no_compiler_on_path(cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "no C++ compiler: g++ or c++ or clang++" in failure(BROKEN, "wrong")


def test_missing_file(cache: Path, tmp_path: Path) -> None:
    assert "no file" in failure(tmp_path / "nothing.cpp", "wrong")
    assert "no file" in failure("nothing.cpp", "wrong")


@pytest.mark.parametrize("name", ["", "2add", "add(", "a b", "ns::add", 3])
def test_name_must_be_an_identifier(name: Any) -> None:
    with pytest.raises(ValueError, match=r"^name: expected"):
        cannery.compile_kernel(BROKEN, name)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"defines": "A=1"}, TypeError, "defines"),
        ({"defines": ["2=1"]}, ValueError, "defines"),
        ({"defines": {"A B": 1}}, ValueError, "defines"),
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


def test_kernels_are_compiled_for_the_twin_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_BACKEND", "npu")
    assert "backend='twin'" in failure(BROKEN, "wrong")
