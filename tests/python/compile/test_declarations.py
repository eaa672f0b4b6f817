# SPDX-License-Identifier: Apache-2.0
"""Tests the errors and the warning about the declaration of a kernel."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import cannery
from cannery.compile.entry import declaration_faults, unmarked_kernels
from cannery.compile.launch_syntax import kernel_names
from cannery.errors import CompileError

from .failures import failure

KERNEL = """#include "kernel_operator.h"
DECLARATION void wrong(GM_ADDR x) {}
"""
_KERNEL_BEGIN = "__global__ __aicore__ void wrong(GM_ADDR x) {"


@pytest.mark.parametrize("declaration", ['extern "C" __aicore__', "__aicore__ inline", "inline"])
def test_a_kernel_without_global_is_refused(cache: Path, declaration: str) -> None:
    source = KERNEL.replace("DECLARATION", declaration)
    _, error, remedy = failure(source, "wrong").splitlines()
    assert error.startswith("wrong.cpp:2: error: wrong is not marked __global__")
    assert remedy == 'try: extern "C" __global__ __aicore__ void wrong(...)'


def test_a_kernel_without_aicore_is_refused(cache: Path) -> None:
    source = KERNEL.replace("DECLARATION", 'extern "C" __global__')
    _, error, remedy = failure(source, "wrong").splitlines()
    assert error.startswith("wrong.cpp:2: error: wrong is not marked __aicore__")
    assert remedy == 'try: extern "C" __global__ __aicore__ void wrong(...)'


@pytest.mark.parametrize(
    "declaration",
    ["__aicore__ __global__", "__global__ [aicore]", "__global__ __vector__", "__global__ DEVICE"],
)
def test_a_kernel_that_is_marked_otherwise_is_accepted(declaration: str) -> None:
    source = KERNEL.replace("DECLARATION", f'extern "C" {declaration}')
    assert declaration_faults(source, "wrong", "wrong.cpp") == ("", "")


@pytest.mark.parametrize(
    "before",
    [
        '// extern "C" __global__ __aicore__ void wrong(\n',
        '/* extern "C" __global__ __aicore__ void wrong(GM_ADDR x); */\n',
        '#define DECLARE extern "C" __global__ __aicore__ void wrong(GM_ADDR x);\n',
        "/* A comment\n# of two lines */\n",
        "#define TILE 8 /* A comment\nof two lines: don't */\n",
        "#error don't /* do this */\n",
        'const char* kText = R"(\n# "/*)";\n',
        "/* A comment */ #define SIZE 1'000'000 // it's /* large \\\n and long\n",
        "int size = 1'000; const char* text = \"'/*\";\n",
    ],
)
def test_comments_and_directives_are_no_declarations(before: str) -> None:
    source = before + KERNEL.replace("DECLARATION", 'extern "C" __aicore__')
    error, _ = declaration_faults(source, "wrong", "wrong.cpp")
    line = before.count("\n") + 2
    assert error.startswith(f"wrong.cpp:{line}: error: wrong is not marked __global__")
    (same,) = unmarked_kernels(source, "wrong.cpp")
    assert same == error
    assert kernel_names(source) == {}
    assert kernel_names(source.replace("__aicore__ void wrong(GM_ADDR x) {", _KERNEL_BEGIN)) == {
        "wrong": False
    }


def test_names_are_no_patterns() -> None:
    for name in ("add(", "a.b", "*"):
        assert declaration_faults(KERNEL, name, "wrong.cpp") == ("", "")


def test_ten_different_functions_are_named() -> None:
    heads = [f'extern "C" __aicore__ void wrong{at}(GM_ADDR x)' for at in range(12)]
    source = ";\n".join([*heads[:1] * 12, *heads]) + ";\n"
    told = unmarked_kernels(source, "wrong.cpp")
    assert [each.split()[2] for each in told] == [f"wrong{at}" for at in range(10)]


def test_load_names_a_function_without_global(tmp_path: Path) -> None:
    path = tmp_path / "wrong.cpp"
    helper = "__aicore__ inline void Help() {}\n"
    path.write_text(helper + KERNEL.replace("DECLARATION", 'extern "C" __aicore__'))
    with pytest.raises(CompileError) as caught:
        cannery.load(path)
    error, remedy = str(caught.value).splitlines()
    assert error.startswith(f"{path}:3: error: wrong is not marked __global__")
    assert remedy == 'try: extern "C" __global__ __aicore__ void wrong(...)'


@pytest.mark.parametrize(
    ("declaration", "warned"),
    [
        ("__global__ __aicore__", True),
        ('extern "C" __global__ __aicore__', False),
        ('extern "C" { __global__ __aicore__ void wrong(GM_ADDR x); }\n__aicore__', False),
        ("ENTRY", False),  # the macro may contain extern "C" and __global__
    ],
)
def test_a_kernel_without_a_c_name_is_warned_about(
    cache: Path, declaration: str, warned: bool
) -> None:
    source = KERNEL.replace("DECLARATION", declaration)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cannery.compile_kernel(source, "wrong", {"ENTRY": 'extern "C" __global__ __aicore__'})
    told = [str(each.message) for each in caught]
    if warned:
        (text,) = told
        assert text.startswith('wrong.cpp:2: warning: wrong is not declared extern "C"')
    else:
        assert told == []
