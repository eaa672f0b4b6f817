# SPDX-License-Identifier: Apache-2.0
"""Finds the parts of a compiled kernel that a card's compiler would refuse: parts of C++ that the
device does not have. docs/portability.md says what is found, and how.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from cannery.compile.code import Code, Frame, Function, Place, Reference, read_code
from cannery.compile.conditionals import live_lines
from cannery.compile.declarations import Sources

__all__ = ["PROCESS_CALL", "Finding", "findings", "is_system"]

_VIRTUAL = "virtual functions"
_LIBRARY = "the standard library"
_ALLOCATION = "malloc and free"
PROCESS_CALL = "functions that control processes"
#: Names of the standard library that need objects or calls at run time.
_STATEFUL = re.compile(
    r"any|array|bitset|deque|forward_list|function|list|make_(pair|shared|tuple|unique)|(multi)?map"
    r"|(multi)?set|mutex|optional|pair|(priority_)?queue|(shared|unique|weak)_ptr|span|stack"
    r"|w?string(_view)?|thread|tie|tuple|unordered_\w+|valarray|variant|vector"
)
_SYSTEM = re.compile(r"/include/c\+\+/|/lib/gcc/|^/usr/(local/)?include/|/sysroot/usr/include/")
#: Headers and names of the standard library that only compute with types and constants, or do plain
#: arithmetic.
_FINE_HEADERS = {"cmath", "cstdlib", "limits", "math.h", "move.h", "std_abs.h", "type_traits"}
_FINE_NAMES = {"max", "min", "clamp"}
_STREAMS = re.compile(
    r"(basic_)?(i|o|io|f|s)?stream(\.tcc)?$|basic_ios\.(h|tcc)$|ios_base\.h$|iomanip$"
)
_STREAM_NAMES = re.compile(r"c(out|err|log|in)|endl|[io]?[fs]?stream|[io]?stringstream")

#: Functions that end or copy the process, start a program, or send a signal. In kernels, the linker
#: changes their names to __wrap_exit and so on (twin/CMakeLists.txt).
_PROCESS = (
    r"(exit|_[eE]xit|quick_exit|pthread_exit|v?fork|daemon|f?exec[lv]\w*"
    r"|system|popen|raise|kill|syscall)"
)

#: Debug information has this file name for the generated code that exports a kernel.
_EXPORT = "cannery: export of kernel"
#: The names that compilers give to the code that initialises variables when the library is loaded.
_STARTUP = re.compile(r"_GLOBAL__|__static_initialization_and_destruction|__cxx_global_var_init")
#: Patterns of symbols, and the finding that their use means. Symbols of `new` and of the standard
#: library are not listed: debug information may show a use in the twin's own code at a user's line.
_SYMBOLS = (
    (re.compile(r"(m|c|re)alloc$|aligned_alloc$|posix_memalign$|free$"), _ALLOCATION),
    (re.compile(r"__dynamic_cast$"), "dynamic_cast"),
    (re.compile(r"_ZTV(?!St|N10__cxxabiv1)|__cxa_pure_virtual$"), _VIRTUAL),
    (re.compile(rf"(?:__wrap_)?{_PROCESS}$"), PROCESS_CALL),
    (re.compile(r"f(open|close|read|write|printf|puts|putc|scanf|seek|flush)$"), "file I/O"),
)
_WARNED = (
    (re.compile(r"__cxa_(throw|rethrow|begin_catch|allocate_exception)$"), "exceptions"),
    (re.compile(r"_ZGV|_ZZ|__cxa_guard_acquire$"), "a static variable of a function"),
)


@dataclass(frozen=True, order=True)
class Finding:
    """One use of something that a card's compiler may refuse."""

    file: str
    line: int
    what: str  #: the name of the finding in docs/portability.md
    detail: str
    refused: bool  #: whether a public document says that the device compiler refuses this

    def text(self) -> str:
        detail = f": {self.detail}" if self.detail else ""
        return f"{self.file}:{self.line}: {self.what}{detail}"


def is_system(path: str) -> bool:
    """Returns whether a header belongs to the compiler or the operating system."""
    return _SYSTEM.search(path) is not None


def findings(
    library: Path, include: Path, label: str, text: str, preprocess: Callable[[], str]
) -> list[Finding]:
    """Returns the findings in a compiled kernel; its library must contain the relocations.

    include: the folder of the twin's headers.   label, text: the name under which the source was
    compiled, and its text.   preprocess: returns the preprocessor's output. It is called only if
    there are findings, to ignore findings in parts that the preprocessor removes.
    """
    code = _without_startup(read_code(library.read_bytes()))
    found = set(_Search(code, include, label, text, {}).all())
    if found:
        found = set(_Search(code, include, label, text, live_lines(preprocess())).all())
    once: dict[tuple[object, ...], Finding] = {}
    for each in sorted(found):
        # A virtual class is reported once; every other finding is reported once per line.
        place = (each.detail,) if each.what == _VIRTUAL else (each.file, each.line)
        key = (each.what, *place)
        known = once.setdefault(key, each)
        if each.what == _LIBRARY and known is not each:
            once[key] = replace(known, detail=f"{known.detail}, {each.detail}")
    return sorted(once.values())


def _without_startup(code: Code) -> Code:
    """Returns the code without functions that run only when the library is loaded. Such functions
    initialise variables of host code in the same source. Host code may use all of C++.
    """
    called: dict[int, list[Frame]] = {}
    for each in code.references:
        if each.target is not None:
            called.setdefault(id(each.frame.top), []).append(each.target)

    def reached(frames: Iterable[Frame]) -> set[int]:
        found, waiting = set[int](), list(frames)
        while waiting:
            at = waiting.pop()
            if id(at) not in found:
                found.add(id(at))
                waiting += called.get(id(at), ())
        return found

    defined = [(frame, frame.function.defined) for frame in code.frames]
    kernels = reached(frame for frame, at in defined if at is not None and _EXPORT in at.file)
    startup = reached(each for each in code.frames if _STARTUP.match(each.function.name)) - kernels
    return Code(
        tuple(frame for frame in code.frames if id(frame) not in startup),
        tuple(each for each in code.references if id(each.frame.top) not in startup),
    )


class _Search:
    def __init__(
        self, code: Code, include: Path, label: str, text: str, live: dict[str, dict[int, str]]
    ) -> None:
        self._code, self._include = code, str(include)
        self._labels = {str(Path(label).absolute()): label}
        self._sources = sources = Sources(dict.fromkeys(self._labels, text), live)
        functions = {frame.function for top in code.frames for frame in top.all()}
        self._user = {each for each in functions if self._side(each) == "user"}
        sources.read({each.defined.file for each in self._user if each.defined is not None})

    def all(self) -> Iterator[Finding]:
        yield from self._inlined_library()
        for reference in self._code.references:
            yield from self._referred(reference)
        yield from self._unmarked()
        yield from self._recursive()
        yield from self._of_sources()

    def _side(self, function: Function) -> str:
        """Returns who wrote a function: "user", "twin", "system", or "" for the compiler."""
        if function.defined is None:
            return ""
        file = function.defined.file
        if file.startswith(self._include) or _EXPORT in file:
            return "twin"
        return "system" if is_system(file) else "user"

    def _named(self, place: Place, what: str, detail: str = "", refused: bool = True) -> Finding:
        file = self._labels.get(place.file, place.file)
        return Finding(file, place.line, what, detail, refused)

    def _user_line(self, frame: Frame, place: Place | None) -> tuple[Place, Frame] | None:
        """Returns the user's line that an instruction belongs to, and the frame that is inlined at
        that line; None if the instruction belongs to the twin.
        """
        below = frame
        at: Frame | None = frame
        while at is not None:
            side = self._side(at.function)
            if side == "twin":
                return None
            if side == "user":
                return None if place is None else (place, below)
            below, place, at = at, at.called, at.parent
        return None

    def _inlined_library(self) -> Iterator[Finding]:
        for top in self._code.frames:
            for frame in top.all():
                parent = frame.parent
                if parent is None or self._side(frame.function) != "system":
                    continue
                if self._side(parent.function) != "system":
                    found = self._user_line(parent, frame.called)
                    if found is not None:
                        yield from self._of_library(frame.function, found[0])

    def _of_library(self, function: Function, place: Place) -> Iterator[Finding]:
        if function.defined is None:
            return
        header = PurePath(function.defined.file).name
        name = function.name.partition("<")[0]
        # The twin's own code may use these headers and names of the standard library.
        if header in _FINE_HEADERS or name in _FINE_NAMES or name.startswith(("~", "_")):
            return
        if name == "allocator":  # The check reports the container that calls it.
            return
        if header == "typeinfo":
            yield self._named(place, "typeid")
        elif _STREAMS.search(header):
            yield self._named(place, "iostream")
        else:
            yield self._named(place, _LIBRARY, name)

    def _referred(self, reference: Reference) -> Iterator[Finding]:
        found = self._user_line(reference.frame, reference.place)
        if found is None:
            return
        place, below = found
        # Inlined code that the user did not write may belong to the twin, so only its uses of
        # virtual tables are reported. `_inlined_library` reports the calls of the standard library.
        table = reference.symbol.startswith("_ZTV")
        if self._side(below.function) != "user" and not table:
            return
        target = reference.target.function if reference.target is not None else None
        if target is not None and self._side(target) == "system":
            yield from self._of_library(target, place)
        for pattern, what in _SYMBOLS:
            if matched := pattern.match(reference.symbol):
                detail = matched[1] if what == PROCESS_CALL else _class_of(reference.symbol)
                yield self._named(place, what, detail)
                return
        for pattern, what in _WARNED:
            if pattern.match(reference.symbol) and (reference.writable or not reference.inside):
                yield self._named(place, what, refused=False)
                return
        if reference.writable:
            yield self._named(place, "a global variable that can be written", refused=False)

    def _calls(self) -> Iterator[tuple[Function, Function, Place | None]]:
        for top in self._code.frames:
            for frame in top.all():
                # The compiler may split off a part of a function and inline it into the function
                # again. This is no recursion.
                if frame.parent is not None and frame.parent.function != frame.function:
                    yield frame.parent.function, frame.function, frame.called
        for reference in self._code.references:
            if reference.target is not None:
                yield reference.frame.function, reference.target.function, reference.place

    def _unmarked(self) -> Iterator[Finding]:
        for caller, function, place in self._calls():
            known = function in self._user and self._side(caller) == "user"
            if known and place is not None and self._sources.marked(function) is False:
                detail = f"{function.name}, declared at {self._where(function)}"
                yield self._named(place, "a function without __aicore__", detail)

    def _where(self, function: Function) -> str:
        place = function.declared
        return "" if place is None else f"{self._labels.get(place.file, place.file)}:{place.line}"

    def _recursive(self) -> Iterator[Finding]:
        callees: dict[int, set[int]] = {}
        for caller, function, _ in self._calls():
            callees.setdefault(caller.origin, set()).add(function.origin)
        for function in self._user:
            origin, reached = function.origin, set[int]()
            waiting = list(callees.get(origin, ()))
            while waiting:
                at = waiting.pop()
                if at not in reached:
                    reached.add(at)
                    waiting += callees.get(at, ())
            if origin in reached and function.defined is not None:
                body = self._sources.body(function)
                name = body[0][0].text if body else ""
                # After inlining, the debug information has wrong lines for calls, so the call is
                # searched in the source.
                calls = [place for token, place in body[1:] if token.text == name]
                place = calls[0] if calls else function.defined
                detail = f"{function.name} calls itself, directly or through other functions"
                yield self._named(place, "recursion", detail)

    def _of_sources(self) -> Iterator[Finding]:
        """Yields findings for words in the sources. The compiled code may not show such a word,
        because the compiler may have computed the result at compile time.
        """
        names: set[str] = set()
        for function in self._user:
            body = self._sources.body(function)
            words = [token.text for token, _ in body]
            names.update(token.text for token, _ in body if token.kind == "name")
            # Skips the head: a `double` parameter alone needs no arithmetic with `double`.
            first = words.index("{") if words else 0
            for at, (token, place) in enumerate(body):
                if at <= first:
                    continue
                found = _meaning(words, at)
                if found is not None and self._sources.survives(
                    token.text, body[0][1], body[-1][1]
                ):
                    yield self._named(place, *found)
                behind = self._sources.macro_words(token.text) if token.kind == "name" else []
                for inside in range(len(behind)):
                    found = _meaning(behind, inside)
                    if found is not None and self._sources.survives(
                        behind[inside], body[0][1], body[-1][1]
                    ):
                        yield self._named(place, *found)
        for name, place in self._sources.virtual_classes(names):
            yield self._named(place, _VIRTUAL, f"of {name}")


def _meaning(words: list[str], at: int) -> tuple[str, str, bool] | None:
    """Returns the finding that a word in a function's body means: what was found, a detail, and
    whether a card's compiler refuses the word. Returns None if the word is allowed.
    """
    word, before = words[at], words[max(at - 2, 0) : at]
    behind = words[at + 1] if at + 1 < len(words) else ""
    what, detail, refused = "", "", True
    if word in ("typeid", "dynamic_cast"):
        what = word
    elif before == ["std", "::"] and _STREAM_NAMES.fullmatch(word):
        what = "iostream"
    elif before == ["std", "::"] and _STATEFUL.fullmatch(word) and not _is_constant(words, at):
        what, detail = _LIBRARY, word
    elif (word == "new" and not _has_address(words, at)) or (
        word == "delete" and before[-1:] != ["="]
    ):
        what = word
    elif word in ("malloc", "calloc", "realloc") and behind == "(" and not _is_of_user(before):
        what = _ALLOCATION
    elif word in ("throw", "try", "catch"):
        what, refused = "exceptions", False
    elif word == "double":
        cast = (behind == ")" and before[-1:] == ["("]) or before == ["static_cast", "<"]
        if cast or behind.isidentifier() or behind in ("(", "{"):
            what, refused = "double", False
    return (what, detail, refused) if what else None


def _has_address(words: list[str], at: int) -> bool:
    """Returns whether the `new` at `at` is a placement new, `new (address) Type`, which allocates
    no memory.
    """
    if words[at + 1 : at + 2] != ["("] or words[at - 1 : at] == ["operator"]:
        return False
    depth = 0
    for index in range(at + 1, len(words)):
        depth += (words[index] == "(") - (words[index] == ")")
        if depth == 0:
            behind = words[index + 1] if index + 1 < len(words) else ""
            a_type = behind.isidentifier() or behind in ("(", "::")
            return a_type and "nothrow" not in words[at:index]
    return False


def _is_of_user(before: list[str]) -> bool:
    """Returns whether a name after these words is a member of one of the user's objects or
    namespaces.
    """
    if before[-1:] in (["."], ["->"]):
        return True
    return before[-1:] == ["::"] and before[0].isidentifier() and before[0] != "std"


def _is_constant(words: list[str], at: int) -> bool:
    """Returns whether the word's statement is evaluated at compile time or only names a type."""
    while at > 0 and words[at - 1] not in (";", "{", "}"):
        at -= 1
        if words[at] in ("constexpr", "static_assert", "using", "typedef", "sizeof", "decltype"):
            return True
    return False


def _class_of(symbol: str) -> str:
    """Returns the class of a table such as _ZTV4Base; empty for other symbols."""
    if not symbol.startswith("_ZTV"):
        return ""
    names = re.findall(r"\d+", symbol)
    if not names:
        return ""
    at = symbol.index(names[0])
    parts = []
    while at < len(symbol) and (number := re.match(r"\d+", symbol[at:])):
        begin = at + number.end()
        parts.append(symbol[begin : begin + int(number[0])])
        at = begin + int(number[0])
    return f"of {'::'.join(parts)}"
