# SPDX-License-Identifier: Apache-2.0
"""Rewrites sources with `kernel<<<blocks, ub, stream>>>(arguments)` so that a host compiler accepts
them (twin/core/launch_site.h). Line numbers do not change, so messages name the user's lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from cannery.compile.cores import ATTRIBUTES
from cannery.compile.tokens import (
    CLOSERS,
    Token,
    code_tokens,
    edited,
    is_name,
    match_forward,
    tokenize,
)
from cannery.errors import CompileError
from cannery.opgen import literals

__all__ = [
    "Kernel",
    "Rewritten",
    "declaration_of_launcher",
    "has_launches",
    "kernel_names",
    "rewrite",
    "without_launches",
]

#: The twin's headers expand __global__ to the first word, and __vector__, __cube__ and
#: __mix__(m, n) to the second.
_GLOBAL = "__twin_global__"
_ATTRIBUTE = "__twin_attribute__"
_WORDS = ("<<<", _GLOBAL, _ATTRIBUTE)
_FILE_MARK = re.compile(r'^# \d+ "(?:\\.|[^"\\])*" [12]', re.MULTILINE)
_LINE_MARK = re.compile(r'^# (\d+) "((?:\\.|[^"\\])*)"', re.MULTILINE)


@dataclass(frozen=True)
class Kernel:
    """A __global__ function with a body."""

    name: str
    parameters: tuple[tuple[str, str], ...]  #: type and name of each one
    plain: bool  #: whether it is extern "C", so that its name alone identifies it

    @property
    def arguments(self) -> str:
        return ", ".join(name for _, name in self.parameters)


@dataclass
class Rewritten:
    text: str
    launches: int = 0
    #: file:line of each launch, with the kernel that the launch names
    places: dict[str, str] = field(default_factory=dict)
    kernels: list[Kernel] = field(default_factory=list)  #: __global__ functions with a body


def rewrite(text: str, first_site: int, host: bool, launchers: bool = False) -> Rewritten:
    """Rewrites a preprocessed source for the host's compiler; `host` chooses code for the host or
    for a kind of core.

    first_site: the number of the source's first launch; it is the same in all compilations of the
    source and differs from the numbers of other sources.   launchers: whether to add the functions
    aclrtlaunch_<kernel> for extern "C" kernels.
    """
    result = Rewritten(text)
    edits: list[tuple[int, int, str]] = []
    launches: list[tuple[list[Token], int]] = []
    for begin, end in _parts(text):
        tokens = tokenize(text, begin, end)
        _take_out_kernels(tokens, text, host, edits, result)
        starts = [index for index, token in enumerate(tokens) if _is_launch(tokens, index)]
        launches += [(tokens, start) for start in starts]
    parameters = {kernel.name: kernel.arguments for kernel in result.kernels}
    for number, (tokens, start) in enumerate(launches):
        where, name, changes = _launch(tokens, start, text, first_site + number, parameters)
        edits += changes
        result.places[where] = name
    result.launches = len(launches)
    result.text = edited(text, edits)
    if launchers:
        for kernel in filter(lambda kernel: kernel.plain, result.kernels):
            result.text += _launcher(kernel, first_site + result.launches)
            result.launches += 1
    return result


def declaration_of_launcher(kernel: Kernel) -> str:
    """Returns the declaration that the toolkit's header aclrtlaunch_<kernel>.h has."""
    parameters = [f"{_passed(kind)} {name}" for kind, name in kernel.parameters]
    words = ", ".join(["uint32_t blockDim", "aclrtStream stream", *parameters])
    return f'extern "C" uint32_t aclrtlaunch_{kernel.name}({words})'


def _launcher(kernel: Kernel, site: int) -> str:
    """Returns the definition of aclrtlaunch_<kernel>, which launches the kernel."""
    head = declaration_of_launcher(kernel).replace("aclrtStream", "void*")
    values = ", ".join(f"({kind}){name}" for kind, name in kernel.parameters)
    return (
        f"\n{head} {{ {_at(kernel.name, kernel.name, kernel.arguments, site)}"
        f"blockDim, 0, stream)({values}); return 0; }}\n"
    )


def _passed(kind: str) -> str:
    """Returns the type that a caller passes; pointers have no element type."""
    return "void*" if kind.endswith("*") else kind


def has_launches(text: str) -> bool:
    """Returns whether a source contains launches; the source is not preprocessed."""
    tokens = tokenize(text)
    return any(_is_launch(tokens, index) for index in range(len(tokens)))


def without_launches(text: str) -> str:
    """Returns a source without its launches, so that one of its kernels can be compiled. The source
    is not preprocessed.
    """
    tokens = tokenize(text)
    edits: list[tuple[int, int, str]] = []
    for index, token in enumerate(tokens):
        if _is_launch(tokens, index):
            where = _place(text, token.begin)
            begin = tokens[_callee(tokens, index, where)[0]].begin
            closing = tokens[_configuration_end(tokens, index, where)]
            lines = "\n" * text.count("\n", begin, token.begin)
            edits += [
                (begin, token.end, f"::twin::launch::Nowhere(){lines}("),
                (closing.end - 3, closing.end, ")"),
            ]
    return edited(text, edits)


def kernel_names(text: str) -> dict[str, bool]:
    """Returns the names of a source's kernels, with namespaces; the value is True for templates.
    The source may be preprocessed with TWIN_LAUNCH_SITES.
    """
    tokens = code_tokens(text)
    spaces: list[str] = []
    found: dict[str, bool] = {}
    begin = 0  # index of the first token of the current declaration
    for index, token in enumerate(tokens):
        word = token.text if token.kind == "sign" else ""
        if word == "{":
            head = [each.text for each in tokens[begin:index]]
            spaces.append("".join(head[1:]) if head[:1] == ["namespace"] else "")
        elif word == "}" and spaces:
            spaces.pop()
        if word in (";", "{", "}"):
            begin = index + 1
        elif is_name(token) and _opens_parameters(tokens, index):
            head = [each.text for each in tokens[begin:index]]
            close = match_forward(tokens, index + 1)
            defined = close is not None and [each.text for each in tokens[close + 1 : close + 2]]
            if defined == ["{"] and ("__global__" in head or _GLOBAL in head):
                name = "::".join([*filter(None, spaces), token.text])
                found.setdefault(name, "template" in head)
    return found


def _parts(text: str) -> list[tuple[int, int]]:
    """Returns the parts of a preprocessed source that contain kernels or launches; most parts
    contain none. A part is a file, or the lines between two of its includes, because no token
    crosses these borders.
    """
    places = sorted(found for word in _WORDS for found in _all(text, word))
    marks = [0, *(mark.start() for mark in _FILE_MARK.finditer(text)), len(text)]
    parts = []
    at = 0
    for begin, end in pairwise(marks):
        while at < len(places) and places[at] < begin:
            at += 1
        if at < len(places) and places[at] < end:
            parts.append((begin, end))
    return parts


def _all(text: str, word: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(word), text)]


def _take_out_kernels(
    tokens: Sequence[Token],
    text: str,
    host: bool,
    edits: list[tuple[int, int, str]],
    result: Rewritten,
) -> None:
    """Removes the words that mark kernels. For the host, a kernel becomes inline, so that it is
    parsed but not compiled. For a core, a call in the kernel's body names the attribute, if any.
    """
    attribute: str | None = None
    is_global = is_plain = False
    for index, token in enumerate(tokens):
        if token.text in (";", "{", "}") and token.kind == "sign":
            attribute, is_global, is_plain = None, False, False
        elif token.text == '"C"':
            is_plain = True
        elif token.text == _ATTRIBUTE:
            close = match_forward(tokens, index + 1)
            if close is not None:
                words = tokens[index + 2 : close]
                attribute = "".join(word.text.strip('"') for word in words)
                edits.append((token.begin, tokens[close].end, ""))
        elif token.text == _GLOBAL:
            is_global = True
            instantiation = index > 0 and tokens[index - 1].text == "template"
            edits.append((token.begin, token.end, "inline" if host and not instantiation else ""))
        elif is_global and is_name(token) and _opens_parameters(tokens, index):
            is_global = False
            close = match_forward(tokens, index + 1)
            if close is None or close + 1 >= len(tokens) or tokens[close + 1].text != "{":
                continue
            kernel = Kernel(token.text, _parameters(tokens[index + 2 : close]), is_plain)
            result.kernels.append(kernel)
            if attribute is not None and not host:
                kind = _kind(attribute, token, text)
                end = tokens[close + 1].end
                edits.append((end, end, f" ::twin::launch::KernelAttribute<{kind}>();"))


def _opens_parameters(tokens: Sequence[Token], index: int) -> bool:
    """Returns whether the name at `index` is a function's name before its parameters. Words such as
    __attribute__, which have parentheses, too, do not count.
    """
    if index + 1 >= len(tokens) or tokens[index + 1].text != "(":
        return False
    return not tokens[index].text.startswith("__")


def _kind(attribute: str, token: Token, text: str) -> int:
    if attribute not in ATTRIBUTES:
        cube, _, vector = attribute.removeprefix("mix_").partition("_")
        raise CompileError(
            f"{_place(text, token.begin)}: kernel {token.text} is __mix__({cube}, {vector}); A2 "
            "and A3 have (0, 1), (1, 0), (1, 1) and (1, 2)"
        )
    return ATTRIBUTES[attribute]


def _parameters(tokens: Sequence[Token]) -> tuple[tuple[str, str], ...]:
    """Returns type and name of each parameter in a list; empty if one of them has no name."""
    found: list[tuple[str, str]] = []
    depth = 0
    words: list[Token] = []
    skipping = False  # true inside a default value
    for token in [*tokens, Token(",", 0, "sign")]:
        depth += token.text in ("(", "[", "{", "<")
        depth -= token.text in (")", "]", "}")
        depth -= len(token.text) if token.text.startswith(">") else 0
        if depth <= 0 and token.text == ",":
            if len(words) > 1 and is_name(words[-1]):
                found.append((" ".join(word.text for word in words[:-1]), words[-1].text))
            elif words:
                return ()
            words, skipping = [], False
        elif not skipping:
            skipping = depth == 0 and token.text == "="
            words += [] if skipping else [token]
    return tuple(found)


def _is_launch(tokens: Sequence[Token], index: int) -> bool:
    # In operator<<<T>, <<< belongs to the function's name and its template arguments.
    return tokens[index].text == "<<<" and tokens[index - 1].text != "operator" and index > 0


def _launch(
    tokens: Sequence[Token], at: int, text: str, site: int, parameters: dict[str, str]
) -> tuple[str, str, list[tuple[int, int, str]]]:
    """Returns file:line of a launch, the name of its kernel, and the edits that rewrite it."""
    opening = tokens[at]
    where = _place(text, opening.begin)
    first, name = _callee(tokens, at, where)
    closing = _configuration_end(tokens, at, where)
    kernel = text[tokens[first].begin : opening.begin]
    before, behind = _at(kernel, kernel, parameters.get(name, ""), site).split(kernel, 1)
    run = tokens[closing]
    edits = [
        (tokens[first].begin, tokens[first].begin, before),
        (opening.begin, opening.end, behind),
        (run.end - 3, run.end, ")"),
    ]
    return where, name, edits


def _at(kernel: str, name: str, arguments: str, site: int) -> str:
    """Returns the text that replaces `kernel<<<` of a launch. The launch copies its arguments, so
    later changes of the variables do not matter.
    """
    place = f"{literals.cpp(' '.join(name.split()))}, {literals.cpp(arguments)}"
    return (
        f"::twin::launch::At<{site}ull>([](auto... twin_p) {{ return {kernel}(twin_p...); }}, "
        f"[] {{ return ::twin::launch::Place{{{place}}}; }})("
    )


def _callee(tokens: Sequence[Token], at: int, where: str) -> tuple[int, str]:
    """Returns the index of the first token of the launched kernel, and the kernel's own name."""
    index = _name_before(tokens, at)
    kernel = tokens[index].text
    while index >= 0:
        if index > 0 and tokens[index - 1].text == "template":
            index -= 1
        joint = tokens[index - 1].text if index > 0 else ""
        if joint not in ("::", "##"):
            return index, kernel
        if joint == "::" and not _ends_scope(tokens, index - 2):
            return index - 1, kernel
        index = _name_before(tokens, index - 1)
    raise CompileError(
        f"{where}: <<<...>>> launches the kernel whose name stands before it, such as kernel or "
        f"space::kernel<half, 3>, got {tokens[at - 1].text!r}; a table of kernels has no value "
        "when they are compiled"
    )


def _name_before(tokens: Sequence[Token], at: int) -> int:
    """Returns the index of the name that ends before `at`, perhaps with template arguments; -1 if
    there is none.
    """
    index = at - 1
    if index >= 0 and tokens[index].text.startswith(">"):
        index = _template_begin(tokens, index) - 1
    return index if index >= 0 and is_name(tokens[index]) else -1


def _ends_scope(tokens: Sequence[Token], at: int) -> bool:
    if at < 0:
        return False
    closes = tokens[at].text.startswith(">")
    return closes or (is_name(tokens[at]) and tokens[at].text not in ("return", "else", "do"))


def _template_begin(tokens: Sequence[Token], at: int) -> int:
    """Returns the index of the < that belongs to the > at `at`; -1 if there is none."""
    depth = 0
    brackets = 0
    for index in range(at, -1, -1):
        word = tokens[index].text if tokens[index].kind == "sign" else ""
        if word in CLOSERS.values():
            brackets += 1
        elif word in CLOSERS:
            brackets -= 1
        elif brackets == 0 and word.startswith(">"):
            depth += len(word)
        elif brackets == 0 and word == "<":
            depth -= 1
            if depth <= 0:
                return index
        if brackets < 0 or (brackets == 0 and word == ";"):
            return -1
    return -1


def _configuration_end(tokens: Sequence[Token], at: int, where: str) -> int:
    """Returns the index of the token whose last three signs end the configuration <<<...>>>. This
    is the last ">>>(" in the statement; an earlier >>> closes template arguments.
    """
    found = None
    index = at + 1
    while index + 1 < len(tokens):
        word = tokens[index].text if tokens[index].kind == "sign" else ""
        if word in CLOSERS:
            close = match_forward(tokens, index)
            if close is None:
                break
            index = close
        elif word in (";", "<<<") or word in CLOSERS.values():
            break
        elif word.startswith(">>>") and "=" not in word and tokens[index + 1].text == "(":
            found = index
        index += 1
    if found is None:
        raise CompileError(
            f"{where}: expected kernel<<<blocks, ub, stream>>>(arguments); no >>>( follows"
        )
    return found


def _place(text: str, position: int) -> str:
    """Returns file:line of a position, from the preprocessor's line markers."""
    marks = list(_LINE_MARK.finditer(text, 0, position))
    if not marks:
        return f"line {text.count(chr(10), 0, position) + 1}"
    mark = marks[-1]
    line = int(mark[1]) + text.count("\n", mark.end(), position) - 1
    return f"{mark[2]}:{line}"
