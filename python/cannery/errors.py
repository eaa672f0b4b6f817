# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package: for status numbers of the C API, for errors of the compiler, and
for other reasons.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from cannery._environment import current_backend
from cannery._status_names import STATUS_NAMES

__all__ = [
    "AclError",
    "AclnnError",
    "BackendError",
    "CanneryError",
    "CompileError",
    "Hazard",
    "HazardAccess",
    "HazardError",
    "IncompleteOutputError",
    "IncompleteOutputWarning",
    "KernelError",
    "KernelWarning",
    "NotBuiltError",
    "OneSidedErrorWarning",
    "TwinOnlyError",
    "from_status",
    "status_name",
]

_TWIN_CODE = re.compile(r"\A(T\d{3})\b")
# The twin writes file, line and core in this form (DescribePlace in twin/core). A file name may
# contain anything.
_PLACE = re.compile(
    r"^  at (?:(?P<file>.+):(?P<line>\d+)(?: .*)?|the kernel's start)   core (?P<core>\d+ AI[CV])",
    re.MULTILINE,
)

_CALLED = re.compile(r"^  called at (?P<file>.+):(?P<line>\d+)$", re.MULTILINE)
_KERNEL_ADVICE = (
    "the same call with backend 'twin', which names the rule that is broken and the line"
)
_CARD_ADVICE = {207001: "smaller arrays; `npu-smi info` shows who else has memory of the card"}


class CanneryError(Exception):
    """Base of every error of this package that is not a plain TypeError or ValueError."""


class AclError(CanneryError):
    """A call of the acl or aclnn C API returned another status than 0."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    @property
    def name(self) -> str:
        """The status as CANN's headers spell it, e.g. ACLNN_ERR_PARAM_INVALID."""
        return status_name(self.status)

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.args[0], self.status))


class AclnnError(AclError):
    """An operator refused its arguments (161xxx) or failed before its launch (361xxx, 561xxx)."""


class KernelError(AclError):
    """A kernel failed while it ran (507xxx), or could not be launched as the caller asked.

    Errors of a card have no code, file, line or core; these properties are then None.
    """

    @property
    def code(self) -> str | None:
        """The twin's stable code of the broken rule, e.g. "T103"."""
        return self._first(_TWIN_CODE)

    @property
    def file(self) -> str | None:
        """The source file of the kernel's line that broke the rule."""
        return self._first(_PLACE, "file")

    @property
    def line(self) -> int | None:
        """The number of the kernel's line that broke the rule."""
        line = self._first(_PLACE, "line")
        return None if line is None else int(line)

    @property
    def core(self) -> str | None:
        """The core on which the error happened, e.g. "3 AIV"."""
        return self._first(_PLACE, "core")

    @property
    def callers(self) -> tuple[Caller, ...]:
        """The line that has called the function with the error, if it is in another file."""
        found = _CALLED.search(str(self))
        return () if found is None else (Caller(found["file"], int(found["line"])),)

    def _first(self, pattern: re.Pattern[str], group: int | str = 1) -> str | None:
        found = pattern.search(str(self))
        return found.group(group) if found else None


@dataclass(frozen=True)
class Caller:
    """A source line that has called the function that contains an access."""

    file: str
    line: int


@dataclass(frozen=True)
class HazardAccess:
    """One of the two instructions of a hazard."""

    #: for example "3 AIV"; the second vector core of block 3 is "3 AIV1". "3 AIC for 3 AIV1" is the
    #: cube core of block 3 while it works for a Matmul request of the second vector core.
    core: str
    pipe: str
    opcode: str
    file: str
    line: int
    #: the callers of the function that contains the access, if they are in another file than the
    #: function or at several lines; more than one if the checker does not know which caller has led
    #: to this access
    callers: tuple[Caller, ...] = ()


@dataclass(frozen=True)
class Hazard:
    """Two accesses whose order nothing ensures, or one access that is wrong by itself."""

    code: str
    kind: str  #: "RAW inter-pipe", "WAW intra-pipe", "RAW inter-core", "never written", ...
    memory: str  #: "UB", "GM", ...; "flag" for flags
    begin: int  #: first byte that both accesses touch; in GM, an offset in `place`
    bytes: int
    #: the access that is earlier in program order; None if there is only one access
    first: HazardAccess | None
    second: HazardAccess
    missing: str  #: what would ensure the order
    place: str = ""  #: queue and buffer ("VECIN #0[1]"), argument, or flag
    count: int = 1  #: how often this pair of lines was found
    note: str = ""  #: why a hazard-ok comment on one of the source lines does not count


class HazardError(KernelError):
    """The twin's hazard checker found accesses that may give wrong results on a card."""

    def __init__(self, message: str, status: int, hazards: str) -> None:
        super().__init__(message, status)
        self._json = hazards
        report = json.loads(hazards)
        self.hazards = [_hazard(fields) for fields in report["findings"]]
        self.incomplete: bool = report["incomplete"]  #: whether a limit may have hidden hazards
        self.level: str = report["level"]

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.args[0], self.status, self._json))


def _access(fields: dict[str, Any]) -> HazardAccess:
    callers = tuple(Caller(**caller) for caller in fields["callers"])
    return HazardAccess(**{**fields, "callers": callers})


def _hazard(fields: dict[str, Any]) -> Hazard:
    sides = {
        side: None if fields[side] is None else _access(fields[side])
        for side in ("first", "second")
    }
    return Hazard(**{**fields, **sides})


class CompileError(CanneryError):
    """A kernel could not be compiled; the message contains the compiler's messages with the user's
    lines.
    """


class NotBuiltError(CanneryError):
    """The operators of a project have not been compiled; the message says which command compiles
    them.
    """


class BackendError(CanneryError, RuntimeError):
    """The chosen backend cannot be used on this machine; the message says what is missing."""


class TwinOnlyError(BackendError):
    """The request is possible on the twin, but not, or not yet, on a card."""


class KernelWarning(UserWarning):
    """A kernel compiles or runs, but it probably does not do what its author meant."""


class IncompleteOutputError(CanneryError):
    """An operator or a kernel has left elements of an output unwritten."""

    def __init__(self, message: str, gaps: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.gaps = gaps  #: a sentence for each output that has gaps

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.args[0], self.gaps))


class IncompleteOutputWarning(KernelWarning):
    """An operator has not written all elements of an output."""


class OneSidedErrorWarning(UserWarning):
    """A result is close enough to its golden, but its errors all have the same sign."""


def status_name(status: int) -> str:
    """Returns the name of a status in CANN's headers; "UNKNOWN" for a number without a name."""
    return STATUS_NAMES.get(status, "UNKNOWN")


def from_status(status: int, api: str, text: str, hazards: str = "") -> AclError:
    """Returns the exception for `status` returned by the C function or kernel `api`.

    text: the runtime's own sentence; empty if it gave none.   hazards: the findings of the twin's
    hazard checker as JSON; empty if hazards are not the reason.
    """
    where = f"{api} returned {status} ({status_name(status)})"
    text = text.strip()
    message = f"{text}\n  {where}" if text else where
    family = status // 1000
    if family in (161, 361, 561):
        return AclnnError(message, status)
    if hazards:
        return HazardError(message, status, hazards)
    # If a function of the runtime returns 507xxx, no kernel has run.
    if _TWIN_CODE.match(text) or (family == 507 and not api.startswith("aclrt")):
        return KernelError(message + _advice(_KERNEL_ADVICE), status)
    return AclError(message + _advice(_CARD_ADVICE.get(status, "")), status)


def _advice(text: str) -> str:
    """Returns advice for users of a card, whose runtime explains little; for the twin, nothing."""
    return f"\n  try: {text}" if text and current_backend() == "npu" else ""
