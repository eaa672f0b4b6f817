# SPDX-License-Identifier: Apache-2.0
"""Reads the names that a kernel can use after `#include "kernel_operator.h"`.

The compiler's preprocessor expands the twin's own macros; a small parser then reads namespaces and
classes. Only declarations count; the parser skips bodies and everything from other headers.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import twin_headers

#: Namespaces of the twin itself, which kernels must not use.
INTERNAL = {"twin", "std", "detail"}
#: Headers that declare the device API: those for kernels, and tiling_def.h with tiling macros.
HEADERS = (
    "kernel_operator.h",
    "lib/matmul_intf.h",
    "tiling/template_argument.h",
    "device/sys/tiling_def.h",
    "utils/debug/asc_dump.h",
    "utils/debug/asc_time.h",
)
TOKEN = re.compile(
    r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\d[\w.\']*|::|->|\.\.\.|[^\s\w]'
)
LINE_MARKER = re.compile(r'^# \d+ "([^"]*)"')
DEFINE = re.compile(r"^#define (\w+)", re.MULTILINE)
#: Types of the twin for mask parameters. They accept the bits of a mask or a number of elements;
#: the toolkit has two overloads instead, so a function with such a parameter counts twice.
MASKS = frozenset({"Mask", "ConstMask"})
#: A type in each parameter structure (twin/device/types/parameters.h).
PARAMETERS = "TwinParameters"
#: The types of fields into which a value may not fit.
INTEGERS = frozenset({f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32)})
#: Words before a parenthesis that are not the name of a function.
NO_NAME = {"alignas", "decltype", "__attribute__", "noexcept", "static_assert", "sizeof"}


@dataclass
class Api:
    """The names that a kernel can use: functions with their number of overloads, types, constants
    and macros. Members are spelled `Class::Member`.
    """

    functions: Counter[str] = field(default_factory=Counter)
    types: set[str] = field(default_factory=set)
    constants: set[str] = field(default_factory=set)
    macros: set[str] = field(default_factory=set)
    #: the integer fields of each parameter structure, by its name; <> marks a template
    structures: dict[str, list[str]] = field(default_factory=dict)

    def names(self) -> set[str]:
        return {*self.functions, *self.types, *self.constants, *self.macros}


def scan(root: Path, compiler: str = "c++") -> Api:
    """Returns the API of the twin in the checkout `root`."""
    with tempfile.TemporaryDirectory() as written:
        twin_headers.write(root, Path(written))
        include = [f"-I{root / 'twin' / 'include'}", f"-I{root / 'twin'}", f"-I{written}"]
        command = [compiler, "-std=c++17", *include, "-E", "-x", "c++", "-"]
        unit = "".join(f'#include "{header}"\n' for header in HEADERS)
        text = _run(command, unit)
        api = parse(text, str(root / "twin"))
        defined = set(DEFINE.findall(_run([*command, "-dD"], unit, own=str(root / "twin"))))
    api.macros = {name for name in defined if not name.startswith(("TWIN_", "CANNERY_"))}
    return api


def parse(text: str, folder: str) -> Api:
    """Returns the declarations of a preprocessed source that come from files below `folder`."""
    api = Api()
    lines = [line for line in _lines_below(text, folder) if not line.startswith("#")]
    _Parser(TOKEN.findall("\n".join(lines)), api).scope("", public=True)
    return api


def _run(command: list[str], unit: str, own: str = "") -> str:
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=True)
    return "\n".join(_lines_below(done.stdout, own)) if own else done.stdout


def _lines_below(text: str, folder: str) -> list[str]:
    """Returns the lines of `text` that come from files below `folder`."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines():
        marker = LINE_MARKER.match(line)
        if marker:
            inside = marker.group(1).startswith(folder)
        elif inside:
            kept.append(line)
    return kept


class _Parser:
    """Parses declarations by recursive descent; `self._at` is the index of the next word."""

    def __init__(self, tokens: list[str], api: Api) -> None:
        self._tokens = tokens
        self._at = 0
        self._api = api
        self._after_template = -1  #: the index of the first word after template<...>
        self._templates: set[str] = set()

    def scope(self, prefix: str, public: bool, internal: bool = False) -> None:
        """Reads declarations up to the closing brace of the scope.

        prefix: "Class::" inside a class.   internal: the scope is not for kernels.
        """
        while self._at < len(self._tokens) and self._peek() != "}":
            word = self._peek()
            if word in ("public", "private", "protected") and self._peek(1) == ":":
                public = word == "public"
                self._at += 2
            elif word == ";":
                self._at += 1
            elif word == "template":
                self._at += 1
                self._balanced("<", ">")
                self._after_template = self._at
            elif word == "namespace" or (word == "inline" and self._peek(1) == "namespace"):
                self._namespace(internal)
            elif word == "extern" and self._peek(2) == "{":
                self._at += 3
                self.scope(prefix, public, internal)
                self._at += 1
            elif word in ("class", "struct", "union", "enum") and self._opens_type():
                self._type(prefix, public and not internal)
            else:
                self._declaration(prefix, public and not internal)

    def _peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def _balanced(self, opening: str, closing: str) -> None:
        """Skips a bracketed group, with the groups inside it. Inside parentheses, < may be a
        comparison, so < opens no group there.
        """
        depth = 0
        while self._at < len(self._tokens):
            word = self._peek()
            if opening == "<" and word in "([{":
                self._balanced(word, {"(": ")", "[": "]", "{": "}"}[word])
                continue
            depth += (word == opening) - (word == closing)
            self._at += 1
            if depth == 0:
                return

    def _namespace(self, internal: bool) -> None:
        names = []
        while self._peek() not in ("{", ";", ""):
            names.append(self._peek())
            self._at += 1
        self._at += 1
        if "=" in names:  # another name for a namespace
            return
        self.scope("", True, internal or bool(INTERNAL & set(names)))
        self._at += 1

    def _opens_type(self) -> bool:
        """Returns whether the definition of a type begins here; it does not in `struct X*`."""
        ahead = 1
        stops = {"{", ";", "(", ")", "*", "&", ""}
        while self._peek(ahead) not in stops:
            if self._peek(ahead) == ":":  # base classes may contain ( ) * &
                stops -= {"(", ")", "*", "&"}
            ahead += 1
        return self._peek(ahead) == "{"

    def _type(self, prefix: str, public: bool) -> None:
        kind = self._peek()
        is_template = self._after_template == self._at
        self._at += 1
        if kind == "enum" and self._peek() in ("class", "struct"):
            kind, self._at = "enum class", self._at + 1
        name = "" if self._peek() in ("{", ":") else self._peek()
        # Specialisations of templates, and members of another class, are not recorded.
        special = self._peek(1) == "<" or self._peek(1) == "::"
        while self._peek() not in ("{", ""):
            self._at += 1
        if is_template:
            self._templates.add(prefix + name)
        if public and name and not special:
            self._api.types.add(prefix + name)
        if kind.startswith("enum"):
            self._enumerators(prefix, public and kind == "enum")
        else:
            self._at += 1
            members = f"{prefix}{name}::" if name else prefix
            self.scope(members, kind != "class", internal=not public or special)
            self._at += 1
        while self._peek() not in (";", ""):
            self._at += 1

    def _enumerators(self, prefix: str, public: bool) -> None:
        self._at += 1
        expected = True
        while self._peek() not in ("}", ""):
            word = self._peek()
            if expected and public:
                self._api.constants.add(prefix + word)
            expected = word == ","
            self._at += 1
        self._at += 1

    def _declaration(self, prefix: str, public: bool) -> None:
        start = self._at
        first = self._peek()
        name = ""
        while self._peek() not in (";", "{", "}", ""):
            word = self._peek()
            if word == "operator" and not name:
                name = self._operator()
                continue
            if word == "(":
                before = self._tokens[self._at - 1]
                if not name and re.fullmatch(r"[A-Za-z_]\w*", before) and before not in NO_NAME:
                    name = before if self._tokens[self._at - 2] != "::" else "-"
                    if self._tokens[self._at - 2] == "~":
                        name = "-"
                self._balanced("(", ")")
                if self._peek() == ":" and name:
                    self._initialisers()
                continue
            if word == "=" and not name:
                break
            self._at += 1
        head = self._tokens[start : self._at]
        if first == "using" and self._peek(1) in self._api.structures and not prefix:
            self._api.structures[head[1]] = self._api.structures[self._peek(1)]
        self._finish()
        if public and head:
            self._record(prefix, first, head, name)

    def _operator(self) -> str:
        self._at += 1
        if self._peek() == "(":
            self._at += 2
            return "operator()"
        text = ""
        while self._peek() not in ("(", ""):
            text += self._peek()
            self._at += 1
        return f"operator{' ' if text[:1].isalpha() else ''}{text}"

    def _initialisers(self) -> None:
        """Skips the initialisers of a constructor, up to its body."""
        self._at += 1
        while self._peek() not in ("{", ";", ""):
            while self._peek() not in ("(", "{", ""):
                self._at += 1
            opening = self._peek()
            self._balanced(opening, ")" if opening == "(" else "}")
            if self._peek() == ",":
                self._at += 1

    def _finish(self) -> None:
        """Skips the rest of a declaration: a body, an initialiser or a semicolon."""
        while self._peek() not in (";", "{", "}", ""):
            if self._peek() == "(":
                self._balanced("(", ")")
            else:
                self._at += 1
        if self._peek() == "{":
            self._balanced("{", "}")
        if self._peek() == ";":
            self._at += 1

    def _record(self, prefix: str, first: str, head: list[str], name: str) -> None:
        if self._record_field(prefix.removesuffix("::"), head):
            return
        api = self._api
        forward = first in ("class", "struct", "union", "enum") and not name
        if first in ("friend", "static_assert") or name == "-" or forward:
            return
        if first == "using":
            if head[1] != "namespace":
                api.types.add(prefix + (head[1] if head[-1] == head[1] else head[-1]))
        elif first == "typedef":
            api.types.add(prefix + head[-1])
        elif name:
            if prefix.rstrip(":").split("::")[-1] != name:  # constructors do not count
                api.functions[prefix + name] += 2 if MASKS.intersection(head) else 1
        else:
            words = [word for word in head if re.fullmatch(r"[A-Za-z_]\w*", word)]
            if words and not prefix:
                api.constants.add(words[-1])

    def _record_field(self, owner: str, head: list[str]) -> bool:
        """Records a field of a parameter structure; returns whether `head` declares one."""
        owner += "<>" if owner in self._templates else ""
        if head[:2] == ["using", PARAMETERS]:
            self._api.structures[owner] = []
            return True
        is_field = owner in self._api.structures and head[0] in INTEGERS
        if is_field:
            self._api.structures[owner].append(head[1])
        return is_field
