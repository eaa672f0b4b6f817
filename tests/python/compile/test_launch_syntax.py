# SPDX-License-Identifier: Apache-2.0
"""Tests that launches are found in the tokens of a source and are rewritten."""

from __future__ import annotations

import pytest

from cannery.compile.launch_syntax import has_launches, kernel_names, rewrite, without_launches
from cannery.compile.tokens import tokenize
from cannery.errors import CompileError


def at(kernel: str, arguments: str = "", site: int = 0) -> str:
    """Returns the text that must replace `kernel<<<`."""
    return (
        f"::twin::launch::At<{site}ull>([](auto... twin_p) {{ return {kernel}(twin_p...); }}, "
        f'[] {{ return ::twin::launch::Place{{"{kernel}", "{arguments}"}}; }})('
    )


@pytest.mark.parametrize(
    ("source", "kernel", "rest"),
    [
        ("k<<<8, nullptr, s>>>(x, y);", "k", "8, nullptr, s)(x, y);"),
        ("k<half, 3><<<n, 0, s>>>(x);", "k<half, 3>", "n, 0, s)(x);"),
        ("a::b::k<c::d<int>, (1 > 0)><<<1, 0>>>();", "a::b::k<c::d<int>, (1 > 0)>", "1, 0)();"),
        ("::k<<<1, 0>>>();", "::k", "1, 0)();"),
        ("k<A<B<int>>><<<f(a, g[b]), 0, s>>>(x);", "k<A<B<int>>>", "f(a, g[b]), 0, s)(x);"),
        ("k<<<f<A<B<int>>>(2), 0, s>>>(x, y >>> z);", "k", "f<A<B<int>>>(2), 0, s)(x, y >>> z);"),
        ("k<<<f<int>>>>(x);", "k", "f<int>)(x);"),
    ],
)
def test_rewrites(source: str, kernel: str, rest: str) -> None:
    result = rewrite(source, 0, host=True)
    assert result.text == at(kernel) + rest
    assert result.launches == 1


@pytest.mark.parametrize("before", ["return", "else", "do"])
def test_a_word_before_the_global_scope_is_no_scope(before: str) -> None:
    source = f"{before} ::k<<<1, 0>>>();"
    assert rewrite(source, 0, host=True).text == f"{before} {at('::k')}1, 0)();"


@pytest.mark.parametrize(
    "source",
    [
        "// k<<<1, 0>>>();\n",
        "/* k<<<1, 0>>>(); */",
        'auto t = "k<<<1, 0>>>()";',
        'auto t = R"x(k<<<1, 0>>>(")x";',
        "friend S& operator<<<T>(S&, T);",
        "auto n = 1'000'000; auto c = '\"'; auto m = a << b;",
    ],
)
def test_leaves_alone_what_is_no_launch(source: str) -> None:
    result = rewrite(source, 0, host=True)
    assert result.text == source
    assert result.launches == 0
    assert not has_launches(source)


def test_every_launch_has_its_own_number() -> None:
    source = "k<<<1, 0>>>(); if (x) k<<<2, 0>>>(), j<<<3, 0>>>();"
    text = rewrite(source, 40, host=False).text
    assert text == (
        f"{at('k', site=40)}1, 0)(); if (x) {at('k', site=41)}2, 0)(), {at('j', site=42)}3, 0)();"
    )


def test_lines_stay_where_they_are() -> None:
    source = "k<int,\n  2>\n<<<1,\n 0>>>\n(x,\ny);\nnext\n"
    for text in (rewrite(source, 0, host=True).text, without_launches(source)):
        assert text.count("\n") == source.count("\n")
        assert text.split("\n")[-2] == "next"


def test_kernels_are_inline_for_the_host_and_say_their_attribute_on_a_core() -> None:
    source = (
        '__twin_attribute__("mix_" "1" "_" "2") extern "C" __twin_global__ '
        "void k(T* x, int n = 3) { } void f() { k<<<1, 0>>>(x, 3); }"
    )
    host, core = (rewrite(source, 0, host=host).text for host in (True, False))
    assert ' extern "C" inline void k(T* x, int n = 3) { }' in host
    assert "void k(T* x, int n = 3) { ::twin::launch::KernelAttribute<5>(); }" in core
    assert '{"k", "x, n"}' in host
    assert "__twin_" not in host + core


def test_declarations_say_nothing() -> None:
    source = '__twin_attribute__("vector") __twin_global__ void k(int* x);'
    result = rewrite(source, 0, host=False)
    assert result.text == "  void k(int* x);"
    assert result.kernels == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("table[i]<<<1, 0>>>(x);", "launches the kernel whose name stands before it"),
        ("k<<<1, 0, s>>>;", "no >>>\\( follows"),
        ("k<<<1, 0, s>>> x;", "no >>>\\( follows"),
        (
            '\n__twin_attribute__("mix_" "2" "_" "1") __twin_global__ void k() {}',
            r"line 2: kernel k is __mix__\(2, 1\)",
        ),
    ],
)
def test_refuses_with_the_line(source: str, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        rewrite(source, 0, host=False)


def test_the_place_is_that_of_the_preprocessed_file() -> None:
    source = '# 1 "main.asc"\nint a;\n# 7 "main.asc" 2\n\nt[0]<<<1, 0>>>(x);\n'
    with pytest.raises(CompileError, match=r"^main\.asc:8: "):
        rewrite(source, 0, host=True)


def test_kernel_names() -> None:
    source = """
    // __global__ void no() {}
    __global__ void declared(int);
    extern "C" __global__ __aicore__ void plain(GM_ADDR x) { if (f(x)) { g(); } }
#include "other.h"  // a directive ends no declaration, and is no part of one
    namespace a { namespace b::c { template <typename T> __global__ __vector__ void t(T* x) {} } }
#define LATER(name) \\
    __global__ void name(int) {}
    extern "C" { __cube__ __global__ void cube(GM_ADDR x) {} }
    void host() { plain<<<1, 0>>>(x); }
    """
    assert kernel_names(source) == {"plain": False, "a::b::c::t": True, "cube": False}


def test_tokens_of_odd_text() -> None:
    texts = [token.text for token in tokenize("a'b \"open\n 0x1p-3f L'\\'' ->* ## >>>=")]
    assert texts == ["a", "'", "b", '"', "open", "0x1p-3f", "L'\\''", "->*", "##", ">>>="]
