# SPDX-License-Identifier: Apache-2.0
"""Checks how a source declares a kernel: __global__ makes a function a kernel, and extern "C" lets
programs find it by its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cannery.compile.launch_syntax import has_launches
from cannery.compile.tokens import Token, is_name, match_forward, tokenize

__all__ = ["declaration_faults"]

_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
#: The usual declaration of a kernel, which is always correct.
_USUAL = r'extern\s+"C"\s+__global__\s[\w\s]*\b{}\s*\('
#: Words that mark a kernel. In the toolkit's headers, __global__ is a macro with one of the
#: other two words.
_MARKS = {"__global__", "cce_kernel", "cce_global"}
#: Words that may stand before the name of a function that is not a kernel. Every word that is not
#: in this set may be a macro that contains __global__.
_PLAIN = {"extern", '"C"', "inline", "static", "void", "__aicore__", "aicore", "constexpr"}
_OF_KERNELS = _MARKS | {"__attribute__", "__vector__", "__cube__", "__mix__"}


def declaration_faults(text: str, name: str, label: str) -> tuple[str, str]:
    """Returns an error and a warning about the declaration of the kernel `name` in the source
    `text`. Both are empty if the declaration is correct, or if the source does not show it.

    name: without namespaces.   label: the name of the source in messages.
    """
    if re.search(_USUAL.format(name), text):
        return "", ""
    heads = list(_heads(text, name))
    if not heads:
        return "", ""
    line = heads[-1][0]
    words = [words for _, words, _ in heads]
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
    if not known or any(c_name for *_, c_name in heads) or launched:
        return "", ""
    return "", (
        f'{label}:{line}: warning: {name} is not declared extern "C": the C++ compiler adds the '
        "types of the parameters to its name, so that a program finds it only with "
        f"{name}<<<...>>>\n{fitting}"
    )


def _heads(text: str, name: str) -> Iterator[tuple[int, list[str], bool]]:
    """Yields for each declaration of the function: the line, the words before the function's name,
    and whether the function has a C name.
    """
    text = _DIRECTIVE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    tokens = tokenize(text)
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
        elif token.text == name and tokens[index + 1 : index + 2]:
            words = _words(tokens[begin:index])
            if "void" in words and _is_declared(tokens, index):
                yield text.count("\n", 0, token.begin) + 1, words, '"C"' in words or any(blocks)


def _words(tokens: list[Token]) -> list[str]:
    return [each.text for each in tokens if is_name(each) or each.kind == "string"]


def _is_declared(tokens: list[Token], index: int) -> bool:
    """Returns whether parameters and then a body or a semicolon follow the name at `index`."""
    close = match_forward(tokens, index + 1) if tokens[index + 1].text == "(" else None
    return close is not None and [each.text for each in tokens[close + 1 : close + 2]] in (
        ["{"],
        [";"],
    )
