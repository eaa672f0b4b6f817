# SPDX-License-Identifier: Apache-2.0
"""Checks how a source declares a kernel: __global__ makes a function a kernel, __aicore__ makes it
code of a core, and extern "C" lets programs find it by its name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cannery.compile.launch_syntax import has_launches
from cannery.compile.tokens import Token, code_tokens, is_name, match_forward

__all__ = ["declaration_faults", "unmarked_kernels"]

_MAX = 10  #: most functions in one error
#: Words that mark a kernel. In the toolkit's headers, __global__ is a macro with one of the
#: other two words.
_MARKS = {"__global__", "cce_kernel", "cce_global"}
#: Words that mark the code of a core.
_OF_CORES = {"__aicore__", "aicore"}
#: Words that may stand before the name of a function that is not a kernel. Every word that is not
#: in this set may be a macro that contains __global__.
_PLAIN = {"extern", '"C"', "inline", "static", "void", "constexpr"} | _OF_CORES
_OF_KERNELS = _MARKS | {"__attribute__", "__vector__", "__cube__", "__mix__"}


def declaration_faults(text: str, name: str, label: str) -> tuple[str, str]:
    """Returns an error and a warning about the declaration of the kernel `name` in the source
    `text`. Both are empty if the declaration is correct, or if the source does not show it.

    name: without namespaces.   label: the name of the source in messages.
    """
    heads = [head for head in _heads(text) if head.name == name]
    if not heads:
        return "", ""
    line = heads[-1].line
    words = [head.words for head in heads]
    fitting = f'try: extern "C" __global__ __aicore__ void {name}(...)'
    if all(set(each) <= _PLAIN for each in words):
        return (
            f"{label}:{line}: error: {name} is not marked __global__, so that a card's compiler "
            f"makes no kernel of it\n{fitting}",
            "",
        )
    # An unknown word may belong to a template, which cannot have a C name, or may be a macro that
    # contains extern "C". A launch with <<<>>> finds a kernel by its C++ name. Sources whose names
    # end in .asc are made for such launches.
    launched = label.endswith(".asc") or has_launches(text)
    known = all(set(each) <= _PLAIN | _OF_KERNELS for each in words)
    if not launched and all(set(each) <= (_PLAIN | _MARKS) - _OF_CORES for each in words):
        return (
            f"{label}:{line}: error: {name} is not marked __aicore__, so that a card's compiler "
            f"does not compile it for a core\n{fitting}",
            "",
        )
    if not known or any(head.c_name for head in heads) or launched:
        return "", ""
    return "", (
        f'{label}:{line}: warning: {name} is not declared extern "C": the C++ compiler adds the '
        "types of the parameters to its name, so that a program finds it only with "
        f"{name}<<<...>>>\n{fitting}"
    )


def unmarked_kernels(text: str, label: str) -> list[str]:
    """Returns the errors about functions that look like kernels but are not marked __global__:
    they are declared extern "C", and __aicore__ marks them.

    text: a source without kernels.   label: the name of the source in messages.
    """
    found = (head.name for head in _heads(text) if head.c_name and _OF_CORES & set(head.words))
    names = list(dict.fromkeys(found))[:_MAX]
    faults = [declaration_faults(text, name, label)[0] for name in names]
    return [fault for fault in faults if fault]


@dataclass(frozen=True)
class _Head:
    """The begin of a declaration of a function without a result."""

    name: str
    line: int
    words: list[str]  #: the words before the name
    c_name: bool  #: whether the function is extern "C"


def _heads(text: str) -> Iterator[_Head]:
    """Yields each declaration of a function without a result."""
    tokens = code_tokens(text)
    blocks: list[bool] = []  # for each open brace, whether it follows extern "C"
    begin = 0
    for index, token in enumerate(tokens):
        sign = token.text if token.kind == "sign" else ""
        if sign == "{":
            blocks.append(_words(tokens[begin:index]) == ["extern", '"C"'])
        elif sign == "}" and blocks:
            blocks.pop()
        if sign in ("{", "}", ";"):
            begin = index + 1
        elif is_name(token) and tokens[index + 1 : index + 2]:
            words = _words(tokens[begin:index])
            if "void" in words and _is_declared(tokens, index):
                line = text.count("\n", 0, token.begin) + 1
                yield _Head(token.text, line, words, '"C"' in words or any(blocks))


def _words(tokens: list[Token]) -> list[str]:
    return [each.text for each in tokens if is_name(each) or each.kind == "string"]


def _is_declared(tokens: list[Token], index: int) -> bool:
    """Returns whether parameters and then a body or a semicolon follow the name at `index`."""
    close = match_forward(tokens, index + 1) if tokens[index + 1].text == "(" else None
    return close is not None and [each.text for each in tokens[close + 1 : close + 2]] in (
        ["{"],
        [";"],
    )
