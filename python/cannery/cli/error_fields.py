# SPDX-License-Identifier: Apache-2.0
"""Makes the object `error` of JSON documents (docs/json.md). Every error has every field; a field
without a value is None.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from cannery.cli.codes import codes
from cannery.errors import (
    AclError,
    CanneryError,
    CompileError,
    Hazard,
    HazardError,
    KernelError,
    NotBuiltError,
)

__all__ = ["error_fields"]

_RULE_OF_CODE = re.compile(r"T\d{3} (.+?): ")
#: An error of a compiler, and a finding of the check for cards, which has no word before its rule.
_COMPILE_ERROR = re.compile(
    r"^(?P<file>[^\n]+?):(?P<line>\d+)(?::\d+)?: (?:fatal )?error: (?P<rule>.+)$", re.MULTILINE
)
_COMPILE_PLACE = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+): (?P<rule>\S.*)$", re.MULTILINE)
_FIX = re.compile(r"^ *try: (.*(?:\n {4,}.*)*)", re.MULTILINE)
_EXPECTED = re.compile(
    r"\b(?:expected|must be|must have) (.+?)(?=, got |; |, given|\n|\Z)|\bhas ([^;\n]+), got "
)
#: Advice at the end of a message: it follows a wrong value, or begins with a command or a verb.
_ADVICE = re.compile(
    r"(?:\bgot |given: )(?:'[^'\n]*'|\"[^\"\n]*\"|[^;'\"\n])*; (.+)"
    r"|; ((?:`|(?:add|build|call|check|choose|define|free|give|import|install|make|move|name"
    r"|pass|put|read|reinstall|remove|rename|run|set|start|use|wait|write)\b).+)"
)
#: Names of functions at the start of a message; they are not names of arguments.
_FUNCTION = re.compile(r"(?:acl\w+|ICPU_RUN_KF): ")
_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_ARGUMENT = re.compile(
    r"(?P<option>--?[A-Za-z][\w-]*)(?:=[^:\n]*)?: |(?P<setting>CANNERY_\w+)(?:=|: )"
    r"|(?P<name>[A-Za-z_]\w*(?:\[\d+\])*): |(?P<subject>[A-Za-z_]\w*) (?:is|has|are) "
)
_IN_KERNEL = re.compile(r"\bargument ([A-Za-z_]\w*|\d+)")


def error_fields(error: BaseException) -> dict[str, Any]:
    """Returns an exception as JSON fields; docs/json.md describes them."""
    # An error of the command line's parser has a text for users, which str() does not return.
    message = getattr(error, "format_message", error.__str__)()
    kernel = error if isinstance(error, KernelError) else None
    code = kernel.code if kernel else None
    fields: dict[str, Any] = {
        "type": type(error).__name__,
        "message": message,
        "code": code,
        "rule": _rule(message, code),
        "argument": _argument(error, message, code),
        "fix": _fix(message, code),
        "missing": None,
        "first": None,
        "second": _place(kernel) if kernel else None,
        "file": kernel.file if kernel else None,
        "line": kernel.line if kernel else None,
        "core": kernel.core if kernel else None,
        "status": error.status if isinstance(error, AclError) else None,
        "name": error.name if isinstance(error, AclError) else None,
        "hazards": None,
    }
    if isinstance(error, CompileError) and (found := _first_place(message)):
        fields |= {"file": found["file"], "line": int(found["line"]), "rule": found["rule"]}
    if isinstance(error, HazardError):
        hazards = [_hazard(hazard) for hazard in error.hazards]
        if hazards:
            if _FIX.search(message):  # an error that is also a finding, such as T303
                hazards[0] |= {name: fields[name] for name in ("rule", "fix")}
            same = ("rule", "argument", "fix", "missing", "first", "second")
            fields |= {name: hazards[0][name] for name in same}
        fields |= {"level": error.level, "incomplete": error.incomplete, "hazards": hazards}
    return fields


def _hazard(hazard: Hazard) -> dict[str, Any]:
    found = _IN_KERNEL.search(hazard.place)
    return {
        **dataclasses.asdict(hazard),
        "rule": _of_code(hazard.code, "title"),
        "argument": found[1] if found else None,
        "fix": hazard.missing or _of_code(hazard.code, "remedy"),
    }


def _first_place(message: str) -> re.Match[str] | None:
    """Returns the first error of a compiler in a message; otherwise, the first line that begins
    with a file and a line.
    """
    return _COMPILE_ERROR.search(message) or _COMPILE_PLACE.search(message)


def _place(error: KernelError) -> dict[str, Any] | None:
    """Returns the instruction that broke the rule, with the same keys as an access of a hazard."""
    if error.core is None:
        return None
    place = {"core": error.core, "pipe": None, "opcode": None}
    callers = [dataclasses.asdict(caller) for caller in error.callers]
    return {**place, "file": error.file, "line": error.line, "callers": callers}


def _rule(message: str, code: str | None) -> str | None:
    if code is not None:
        found = _RULE_OF_CODE.match(message)
        return found[1] if found else _of_code(code, "title")
    found = _EXPECTED.search(message)
    return found[1] or found[2] if found else None


def _argument(error: BaseException, message: str, code: str | None) -> str | None:
    if code is not None:
        found = _IN_KERNEL.search(message.partition("\n")[0])
        return found[1] if found else None
    if isinstance(error, CanneryError | ValueError | TypeError):
        text = _FUNCTION.sub("", message, count=1)
        found = _ARGUMENT.match(text)
        # A plain CanneryError begins with the name of a project, an operator or a module.
        without_name = type(error) in (CanneryError, NotBuiltError)
        if found is None or (without_name and (found["name"] or found["subject"])):
            return None
        return next(filter(None, found.groups()), None)
    found = _OPTION.search(message)  # an error of the command line's parser
    return found[0] if found else None


def _fix(message: str, code: str | None) -> str | None:
    found = _FIX.search(message)
    if found is None and code is not None:
        return _of_code(code, "remedy")
    if found is None:
        found = _ADVICE.search(message)
    text = next(filter(None, found.groups()), None) if found else None
    return " ".join(text.split()) if text else None


def _of_code(code: str, field: str) -> str | None:
    text: str | None = _known().get(code, {}).get(field)
    return " ".join(text.split()) if text else None


def _known() -> dict[str, dict[str, Any]]:
    try:
        return codes()
    except CanneryError:  # an incomplete installation must not hide the error itself
        return {}
