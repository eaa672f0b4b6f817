# SPDX-License-Identifier: Apache-2.0
"""Shortens the output of a compiler to what a user needs: few messages, errors first, with the
user's own lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from cannery.compile.explanations import (
    early_macros,
    explain,
    explain_in_context,
    explain_macro,
    is_misspelt,
)

__all__ = ["build_errors", "explain_variables", "own_warnings", "summarize", "without_quotes"]

_MAX_LINES = 40
_MAX_LINES_OF_ONE = 14
# Lines before a message that show its context: the includes, the function, or the code that
# instantiates a template.
_INCLUDED_FROM = re.compile(r"(In file included from|\s+from) ")
_CONTEXT = re.compile(
    r"(In file included from|\s+from) |.*: (In |At global scope)|.*:\d+:   (required|recursively)"
    r"|.*:\d+:\s+in 'constexpr' expansion|\S*ld: .*: in function"
)
#: Lines of the compiler that stay above an explanation: they name code that uses a template.
_REQUIRED = re.compile(r".*: In instantiation of |.*:\d+:   (required|recursively)")
#: The compiler's note why a candidate function does not fit. This note looks like an error.
_CANDIDATE = re.compile(r".*: error: no type named 'type' in 'struct std::enable_if<false")
_MAIN = re.compile(r".*?: (?P<kind>fatal error|error|warning|undefined reference)\b")
_LINE = re.compile(r".*?:\d+:")
_NOTE = re.compile(r".*?: note: ")
# Errors in the code with which cannery exports the kernel; users did not write this code.
_EXPORT = re.compile(r"^cannery: export of kernel|/core/kernel_export\.h:")

#: The compilers' error if a launch (twin/core/launch_site.h) names a variable and not a kernel.
_VARIABLE = re.compile(
    r"^(?P<place>.+:\d+):\d+: error: (?:'(?P<g>\w+)' is not captured"
    r"|variable '(?P<c>\w+)' cannot be implicitly captured.*)$",
    re.MULTILINE,
)
#: The compilers' error at the end of the file if a brace is not closed, and their note about the
#: brace.
_END = re.compile(
    r"^(?P<place>.*): error: expected ['\u2018]}['\u2019](?: at end of input)?$", re.M
)
_BRACE = re.compile(r"^(?P<place>.+:\d+):\d+: note: to match this ['\u2018]{['\u2019]$", re.M)
_UNDEFINED = "try: give the sources, objects or libraries that define it, too"

#: A folder name that occurs in no path, for builds whose files all belong to the user.
_NO_FOLDER = "\0"


@dataclass
class _Message:
    """An error or warning. `context` has the lines before the main line, such as the chain of
    includes; `body` has the lines after the main line, such as notes.
    """

    main: str
    kind: str
    context: list[str]
    body: list[str] = field(default_factory=list)

    def names(self, label: str) -> bool:
        return any(label + ":" in line for line in (self.main, *self.context, *self.body))

    def lines(self, label: str) -> list[str]:
        """Returns cannery's explanation of the error, if there is one. Otherwise returns all lines
        of the compiler; leaves out the chain of includes if another line already names the user's
        file.
        """
        if self.kind == "error" and (refused := explain_in_context(self.main, self.context)):
            return refused
        explanation = explain(self.main, self.body) if self.kind == "error" else None
        if explanation is not None:
            return [*(each for each in self.context if _REQUIRED.match(each)), *explanation]
        shown = [line for line in self.context if not _INCLUDED_FROM.match(line)]
        if not any(label + ":" in line for line in (*shown, self.main, *self.body)):
            shown = [line for line in self.context if label + ":" in line] + shown
        return [*shown, self.main, *self.body][:_MAX_LINES_OF_ONE]


def summarize(output: str, label: str, name: str, folder: str) -> str:
    """Returns the part of `output` that explains the failure.

    label: the name of the user's source in messages.   folder: the folder of the compiled files.
    """
    errors = _errors(output, folder)
    # A fatal error in cannery's exporting code is a problem of the machine, such as a full disk.
    own = [each for each in errors if each.kind == "fatal error" or not _EXPORT.search(each.main)]
    # Errors in the user's own file come first, then other errors that name the user's file.
    own.sort(key=lambda message: (not message.main.startswith(label), not message.names(label)))
    brace = _open_brace(output, label, folder)
    if brace:  # the errors in cannery's exporting code follow from the brace
        return "\n".join([*brace, *_shown(own, label)])
    if own:
        undefined = any(each.kind == "undefined reference" for each in own)
        return "\n".join([*_shown(own, label), *([_UNDEFINED] if undefined else [])])
    if not errors:  # the errors are the linker's, or the compiler failed before it read the source
        return "\n".join(_cut(output.splitlines())) or "the compiler says nothing"
    # The lines around an error in cannery's exporting code are cannery's own, so they are left out.
    return (
        f'{errors[0].main}\ntry: define `extern "C" __global__ __aicore__ void {name}(...)` in '
        f"{label}"
    )


def _open_brace(output: str, label: str, folder: str) -> list[str]:
    """Returns the message about a brace that is not closed at the end of the source; empty if all
    braces are closed.
    """
    ends = [each for each in _END.finditer(output) if not each["place"].startswith(f"{label}:")]
    if not ends:
        return []
    opened = _BRACE.search(output, ends[-1].end())
    if opened is None or folder in opened["place"]:
        return [f"{label}: error: a }} is missing before the end of the file"]
    return [
        f"{opened['place']}: error: the {{ in this line has no }}; a }} is missing between this "
        "line and the end of the file"
    ]


def build_errors(output: str, project: str) -> str:
    """Returns the errors of a build of several files; empty if the compilers report none. Each
    place is reported once, although a source is compiled for each combination of dtypes. Errors in
    files of `project` come first.
    """
    errors: dict[str, _Message] = {}
    for message in _errors(output, _NO_FOLDER):
        errors.setdefault(message.main.split(": ")[0], message)
    own = sorted(errors.values(), key=lambda message: not message.main.startswith(project))
    return "\n".join(_shown(own, project))


def explain_variables(output: str, places: Mapping[str, str]) -> str:
    """Returns the compiler's errors, with an explanation for each launch that names a variable."""

    def explain(match: re.Match[str]) -> str:
        name = match["g"] or match["c"]
        if places.get(match["place"]) != name:
            return match[0]
        return (
            f"{match['place']}: error: {name}<<<...>>>: a launch takes the name of "
            f"a kernel or a constexpr pointer to one; the variable '{name}' has no value when the "
            "kernels are compiled; launch by name: if (...) { a<<<...>>>(...); } else "
            "{ b<<<...>>>(...); }"
        )

    return _VARIABLE.sub(explain, output)


def without_quotes(output: str, label: str) -> str:
    """Returns the output without the source lines below messages about the file `label`. For a
    source that was given as text, the compiler quotes them from a file with this name, if there is
    one in the current folder.
    """
    kept: list[str] = []
    quoting = False
    for line in output.splitlines():
        if not _is_frame(line):
            quoting = line.startswith(label + ":")
        if not (quoting and _is_frame(line)):
            kept.append(line)
    return "\n".join(kept) + "\n"


def _cut(lines: list[str], most: int = _MAX_LINES) -> list[str]:
    more = len(lines) - most
    return [*lines[:most], f"... {more} more lines"] if more > 0 else lines


def _shown(messages: list[_Message], label: str) -> list[str]:
    """Returns the first messages in full, and one line for each of the remaining ones."""
    text: list[str] = []
    details = max(_MAX_LINES - len(messages), _MAX_LINES_OF_ONE)
    for count, message in enumerate(messages):
        lines = message.lines(label)
        if text and len(text) + len(lines) > details:
            others = [each.main for each in messages[count:]]
            head = f"and {len(others)} more errors:"
            return [*text, head, *_cut(others, _MAX_LINES - len(text))]
        text += lines
    return text


def own_warnings(output: str, label: str, folder: str) -> list[str]:
    """Returns the compiler's warnings about the user's own lines."""
    return [
        "\n".join(message.lines(label))
        for message in _messages(output, folder)
        if message.kind == "warning" and message.main.startswith(label + ":")
    ]


def _errors(output: str, folder: str) -> list[_Message]:
    """Returns the errors without those that only follow from an earlier error. For example, after
    an unknown name, the compiler may report more errors in the same line.
    """
    errors = [each for each in _messages(output, folder) if each.kind != "warning"]
    macros = early_macros(output)
    refused = [
        lines for each in errors if (lines := explain_macro(each.main, macros, each.context))
    ]
    if refused:  # the other errors follow from the macros
        once = dict.fromkeys(map(tuple, refused))  # several headers may refuse the same macro
        return [_Message(main, "error", [], list(body)) for main, *body in once]
    kept: list[_Message] = []
    misspelt: set[str] = set()
    for message in errors:
        line = _LINE.match(message.main)
        place = line[0] if line is not None else ""
        if place and place in misspelt:
            continue
        if kept and _CANDIDATE.match(message.main):
            continue
        if is_misspelt(message.main):
            misspelt.add(place)
        kept.append(message)
    return kept


def _messages(output: str, folder: str) -> list[_Message]:
    messages: list[_Message] = []
    context: list[str] = []
    for line in (each.rstrip() for each in output.splitlines()):
        main = _MAIN.match(line)
        if not line or folder in line.split(": ")[0]:
            continue
        if _CONTEXT.match(line):
            context.append(line)
        elif main is not None and not _is_frame(line):
            messages.append(_Message(line, main["kind"], context))
            context = []
        elif messages and (not context or _NOTE.match(line)):
            messages[-1].body.append(line)
            context = []
        else:
            context.append(line)
    return messages


def _is_frame(line: str) -> bool:
    """Returns whether the line quotes a source below a message: `   12 |     code`."""
    return re.match(r"\s*(\d+ )?\|", line) is not None
