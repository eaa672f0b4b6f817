# SPDX-License-Identifier: Apache-2.0
"""Explains frequent errors of g++ and clang in one sentence: operands of different types, and names
that are spelled wrong.
"""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from cannery.compile.manifest import read_regular

__all__ = [
    "Explanation",
    "early_macros",
    "explain",
    "explain_in_context",
    "explain_macro",
    "has_overflow",
    "is_misspelt",
]

#: The lines to print for an error.
Explanation = list[str]

_NAMES = Path(__file__).with_name("api_names.txt")
_CALL = re.compile(
    r"(?P<place>.*?: )error: no matching (?:member )?function for call to "
    r"['\u2018](?P<call>.+)['\u2019]$"
)
_OPERATOR = re.compile(
    r"(?P<place>.*?: )error: no match for ['\u2018]operator(?P<sign>[^'\u2019]+)['\u2019] "
    r"\(operand types are ['\u2018](?P<left>.+)['\u2019] and ['\u2018](?P<right>.+)['\u2019]\)"
)
_CONFLICT = re.compile(
    r"deduced conflicting types for parameter ['\u2018][^'\u2019]+['\u2019] "
    r"\(['\u2018](?P<one>.+)['\u2019] (?:and|vs\.) ['\u2018](?P<two>.+)['\u2019]\)"
)
_TENSOR = re.compile(r"(?:LocalTensor|GlobalTensor)<(.+)>$")
#: The compilers' names of types, and the names of the same types in kernels.
_SPELLINGS = {
    "signed char": "int8_t",
    "unsigned char": "uint8_t",
    "short int": "int16_t",
    "short": "int16_t",
    "short unsigned int": "uint16_t",
    "unsigned short": "uint16_t",
    "unsigned int": "uint32_t",
    "long int": "int64_t",
    "long": "int64_t",
    "long unsigned int": "uint64_t",
    "unsigned long": "uint64_t",
}
_UNKNOWN = re.compile(
    r"error: (?:"
    r"['\u2018](?:[\w:]+::)?(?P<plain>\w+)['\u2019] (?:was not declared in this scope"
    r"|has not been declared|does not name a (?:template )?type"
    r"|is not a (?:class |function )?(?:template|member of ['\u2018]AscendC['\u2019]))"
    r"|(?:use of undeclared identifier|no template named|unknown type name|unknown class name"
    r"|no (?:type|member|template) named) ['\u2018](?P<clang>\w+)['\u2019]"
    r"(?: in (?:namespace )?['\u2018](?P<scope>[^'\u2019]+)['\u2019])?"
    r"|there are no arguments to ['\u2018](?P<dependent>\w+)['\u2019]"
    r"|['\u2018](?:class|struct|const class|const struct) (?P<owner>[^'\u2019]+)['\u2019] has no "
    r"member named ['\u2018](?P<member>\w+)['\u2019])"
)
_MEANT = re.compile(r"; did you mean (?:simply )?['\u2018]([\w:]+)['\u2019]\?")
_REDEFINED = re.compile(r"warning: ['\u2018\"](\w+)['\u2019\"] (?:macro )?redefined")
_FIRST = re.compile(
    r"(.*?:\d+|<[^>]*>)(?::\d+)*: note: "
    r"(?:this is the location of the previous|previous) definition"
)
_INCLUDED_AT = re.compile(r"(?:In file included from|\s+from) (.+?):(\d+)[,:]")
_MAX_BYTES = 8 << 20
_ASSERTION = re.compile(
    r"(?P<headers>.*/include/)device/.*?: error: static assertion failed: (?P<text>.*)"
)
_REQUIRED_AT = re.compile(r"(.+?:\d+:\d+):   required ")
_WITH = re.compile(r": In instantiation of .*\[with (.*)\]")
_PARAMETER = re.compile(r"[A-Z]\w* = [\w:<> ]+")
_REFUSED = re.compile(r"error: (?:#error )?macro (\w+) is defined before an Ascend C header")
_OVERFLOW = re.compile(r"call to non-.constexpr. function .void twin::FieldOverflow\(")
_EXPANDED = re.compile(r"(?P<place>.+?:\d+:\d+):\s+in .constexpr. expansion of (?P<text>.*)")
_FIELD = re.compile(r"\(const char\*\)\"(\w+)\"")
#: Errors about the tiling key in #if, and in a constant expression.
_KEY = re.compile(
    r"device/sys/tiling\.h:.*(?:preprocessor (?:sub)?expression"
    r"|call to non-.constexpr. function .bool twin::TwinTilingKey)"
)
_KEY_AT = re.compile(r"(.+?:\d+:\d+): note: (?:in expansion of macro|expanded from) .+TILING_KEY_")
#: Classes whose members api_names.txt lists under the name of another class.
_CLASSES = {"TQue": "TQueBind"}


def explain(main: str, body: Sequence[str]) -> Explanation | None:
    """Returns the lines that replace an error of the compiler; None if the error stays as it is.

    main: the error's main line.   body: the lines below it, such as notes about candidates.
    """
    return _operands(main, body) or _operator(main) or _spelling(main) or _key(main, body)


def _key(main: str, body: Sequence[str]) -> Explanation | None:
    place = next(filter(None, map(_KEY_AT.match, body)), None) if _KEY.search(main) else None
    if place is None:
        return None
    return [
        f"{place[1]}: error: this chooses code by the tiling key when it is compiled; the twin "
        "compiles a kernel once, for all keys",
        "try: if (TILING_KEY_IS(1)), or the macro TILING_KEY_VAR=1UL to compile for key 1 alone",
    ]


def early_macros(output: str) -> dict[str, str]:
    """Returns, for each macro that a header has defined a second time, the place of the first
    definition as the compiler prints it. Headers define a macro again only to get this place from
    the compiler (tools/user_macros.py).
    """
    places: dict[str, str] = {}
    lines = output.splitlines()
    for at, line in enumerate(lines):
        name = _REDEFINED.search(line)
        place = next(filter(None, map(_FIRST.match, lines[at + 1 : at + 6])), None)
        if name is not None and place is not None:
            places.setdefault(name[1], place[1])
    return places


def explain_macro(
    main: str, places: Mapping[str, str], context: Sequence[str] = ()
) -> Explanation | None:
    """Returns the lines that replace an error about a macro whose name an Ascend C header uses;
    None if `main` is another error.

    places: the result of `early_macros`.   context: the chain of includes above the error. The
    build of a project has the headers in a system folder, for which compilers print no warnings;
    then this chain leads to the place.
    """
    found = _REFUSED.search(main)
    if found is None:
        return None
    name = found[1]
    place = places.get(name) or _early_define(main, name, context) or "<command-line>"
    options = place.startswith("<")  # such as <command-line> or <built-in>
    where, after = (
        (f"-D {name}", "another name; or #define it in the source below the #include")
        if options
        else (place, "another name, or the #define below the #include")
    )
    return [
        f"{where}: error: the macro {name} is defined before an Ascend C header that uses this "
        "name; with this macro, a card's headers do not compile",
        f"try: {after}",
    ]


def _early_define(main: str, name: str, context: Sequence[str]) -> str:
    """Returns the place of the macro's definition above one of the includes in `context`, or else
    the place of the user's #include.
    """
    headers = Path(main.partition(":")[0]).parent.parent
    chain = [(found[1], int(found[2])) for found in map(_INCLUDED_AT.match, context) if found]
    own = [(file, line) for file, line in chain if not Path(file).is_relative_to(headers)]
    for file, line in own:
        text = (read_regular(file, _MAX_BYTES) or b"").decode("utf-8", "replace")
        above = text.splitlines()[:line]
        for at in range(len(above), 0, -1):
            if re.match(rf"\s*#\s*define\s+{name}\b", above[at - 1]):
                return f"{file}:{at}"
    return f"{own[0][0]}:{own[0][1]}" if own else ""


def explain_in_context(main: str, context: Sequence[str]) -> Explanation | None:
    """Returns the lines that replace an error in a device header which the kernel's code causes;
    None if `main` is another error.

    context: the lines above the error, which name the kernel's line.
    """
    return _assertion(main, context) or _constant(main, context)


def _assertion(main: str, context: Sequence[str]) -> Explanation | None:
    """Explains a static assertion by its sentence, at the line of the kernel, with types in place
    of the names of template parameters. Returns None if the compiler does not name the types.
    """
    found = _ASSERTION.match(main)
    types = next((each[1] for each in map(_WITH.search, context) if each), None)
    places = [each[1] for each in map(_REQUIRED_AT.match, context) if each]
    own = [place for place in places if found and not place.startswith(found["headers"])]
    if found is None or types is None or not own:
        return None
    named = [part.split(" = ") for part in types.split("; ") if _PARAMETER.fullmatch(part)]
    known = {name: _type(value) for name, value in named}
    text, _, remedy = found["text"].partition("; try: ")
    said = re.sub(r"\w+", lambda word: known.get(word[0], word[0]), text)
    if said == text and known:
        said += f" ({', '.join(f'{name} = {value}' for name, value in known.items())})"
    return [f"{own[0]}: error: {said}", *([f"try: {remedy}"] if remedy else [])]


def _constant(main: str, context: Sequence[str]) -> Explanation | None:
    """Explains a value in a constant expression that does not fit into its field."""
    lines = list(filter(None, map(_EXPANDED.match, context)))
    fields = [name for line in lines for name in _FIELD.findall(line["text"])]
    if _OVERFLOW.search(main) is None or not lines or not fields:
        return None
    place = lines[0]["place"].rpartition(":")[0]  # the checks change the columns
    return [
        f"{place}: error: a constant does not fit into the field {fields[-1]} (T402)",
        "try: a smaller value in each of several calls, or a structure with a wider field",
    ]


def has_overflow(output: str) -> bool:
    """Returns whether the compiler has found a constant that does not fit into its field."""
    return _OVERFLOW.search(output) is not None


def is_misspelt(main: str) -> bool:
    """Returns whether the error is about a name that does not exist."""
    return _UNKNOWN.search(main) is not None


def _operands(main: str, body: Sequence[str]) -> Explanation | None:
    found = _CALL.match(main)
    conflicts = [
        tuple(_type(each) for each in note.group("one", "two"))
        for note in map(_CONFLICT.search, body)
        if note is not None
    ]
    if found is None or not conflicts:
        return None
    name, opened, rest = found["call"].partition("(")
    name = name.removeprefix("AscendC::").partition("<")[0]
    call = [_type(each) for each in _split(rest[:-1])] if opened else []
    tensors = {element for each in call if (element := _element(each))}
    for one, two in conflicts:
        if {one, two} <= tensors:
            return _between_tensors(found["place"], name, one, two, call)
    for one, two in conflicts:
        if one in tensors and two in call and _element(two):
            return _no_scalar(found["place"], name, one, two, call)
        if one in tensors and two in call:
            return _with_scalar(found["place"], name, one, two, call)
    if tensors:  # the conflict is in candidates that are not meant for a tensor
        return None
    one, two = conflicts[0]
    return _different(found["place"], name, one, two, call)


def _operator(main: str) -> Explanation | None:
    found = _OPERATOR.match(main)
    if found is None:
        return None
    left, right = _type(found["left"]), _type(found["right"])
    one, two = _element(left), _element(right)
    if not one or not two or one == two:
        return None
    sign = found["sign"]
    return _between_tensors(found["place"], f"operator{sign}", one, two, [left, right])


def _between_tensors(place: str, name: str, one: str, two: str, call: Sequence[str]) -> Explanation:
    return [
        f"{place}error: {name}: the tensors have different types, {one} and {two}: "
        f"{name}({', '.join(call)})",
        f"try: tensors of one type; Cast converts a tensor of {two} to {one}",
    ]


def _with_scalar(place: str, name: str, one: str, two: str, call: Sequence[str]) -> Explanation:
    return [
        f"{place}error: {name}: the tensors are of {one}, the scalar is {two}: "
        f"{name}({', '.join(call)})",
        f"try: a scalar of the tensors' type, static_cast<{one}>(...)",
    ]


def _no_scalar(place: str, name: str, one: str, two: str, call: Sequence[str]) -> Explanation:
    other = name.removesuffix("s")
    fits = other != name and other in _names()[""]
    called = f"{name}({', '.join(call)})"
    return [
        f"{place}error: {name}: expected a scalar of {one}, got a tensor: {called}",
        f"try: {f'{other}, which takes two tensors' if fits else f'{two}::GetValue(index)'}",
    ]


def _different(place: str, name: str, one: str, two: str, call: Sequence[str]) -> Explanation:
    shown = f": {name}({', '.join(call)})" if call else ""
    tensor = any("Tensor<" in each for each in (one, two, *call))
    return [
        f"{place}error: {name}: the arguments have different types, {one} and {two}{shown}",
        f"try: arguments of one type; static_cast<{one}>(...) converts a number"
        + (", Cast a tensor" if tensor else ""),
    ]


def _split(arguments: str) -> list[str]:
    """Splits a list of arguments at its commas: `A<b, c>, d` has two parts, `A<b, c>` and `d`."""
    parts, depth, begin = list[str](), 0, 0
    for at, symbol in enumerate(arguments):
        depth += (symbol in "<([{") - (symbol in ">)]}")
        if symbol == "," and depth == 0:
            parts.append(arguments[begin:at])
            begin = at + 1
    return [*parts, arguments[begin:]] if arguments.strip() else []


def _type(text: str) -> str:
    """Returns a type as kernels spell it: LocalTensor<int16_t> for
    `AscendC::LocalTensor<short int>&`.
    """
    text = re.sub(r" ?\{aka .*?\}", "", text.strip()).replace("AscendC::", "")
    text = text.removeprefix("const ").rstrip("& ")
    outer, opened, inner = text.partition("<")
    if opened and inner.endswith(">") and outer.endswith("Tensor"):
        return f"{outer}<{_type(inner[:-1])}>"
    return _SPELLINGS.get(text, text)


def _element(text: str) -> str:
    found = _TENSOR.match(text)
    return found[1] if found is not None else ""


def _spelling(main: str) -> Explanation | None:
    found = _UNKNOWN.search(main)
    if found is None:
        return None
    name = next(filter(None, found.group("plain", "clang", "dependent", "member")))
    owner = _class_of(found["owner"] or found["scope"] or "")
    meant = _MEANT.search(main)
    best = _nearest(name, owner)
    if meant is not None and (best is None or _likeness(name, meant[1]) >= _likeness(name, best)):
        return None
    if best is None:
        return None
    return [f"{_MEANT.sub('', main)}; did you mean '{best}'?"]


def _class_of(text: str) -> str:
    """Returns the name under which api_names.txt lists the members of a class, such as TQueBind for
    `AscendC::TQue<...>`; empty for a namespace.
    """
    name = text.removeprefix("const ").removeprefix("AscendC::").partition("<")[0]
    return "" if name in ("", "AscendC") else _CLASSES.get(name, name)


def _nearest(name: str, owner: str) -> str | None:
    known = _names().get(owner, ())
    if name in known:
        return None
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
    return near[0] if near else None


def _likeness(one: str, two: str) -> float:
    return difflib.SequenceMatcher(None, one, two.rpartition("::")[2]).ratio()


@functools.cache
def _names() -> dict[str, tuple[str, ...]]:
    """Returns the names of the device API: for each class the names of its members, and for "" the
    names outside classes.
    """
    found: dict[str, list[str]] = {}
    for word in _NAMES.read_text("utf-8").split("\n", 1)[1].split():
        owner, _, name = word.rpartition("::")
        found.setdefault(owner, []).append(name)
    return {owner: tuple(names) for owner, names in found.items()}
