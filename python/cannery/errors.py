# SPDX-License-Identifier: Apache-2.0
"""One tree of exceptions: what the C API answers, by status, and what the compiler says."""

from __future__ import annotations

import re

from cannery._status_names import STATUS_NAMES

__all__ = [
    "AclError",
    "AclnnError",
    "BackendError",
    "CanneryError",
    "CompileError",
    "KernelError",
    "KernelWarning",
    "TwinOnlyError",
    "from_status",
    "status_name",
]

_TWIN_CODE = re.compile(r"\A(T\d{3})\b")
# As the twin writes it (DescribePlace in twin/core); a file name may hold anything.
_PLACE = re.compile(
    r"^  at (?:(?P<file>.+):(?P<line>\d+) .*|the kernel's start)   core (?P<core>\d+ AI[CV])",
    re.MULTILINE,
)

_KERNEL_ADVICE = (
    "the same call with backend 'twin', which names the rule that is broken and the line"
)
_CARD_ADVICE = {207001: "smaller arrays; `npu-smi info` shows who else has memory of the card"}


class CanneryError(Exception):
    """Base of every error of this package that is not a plain TypeError or ValueError."""


class AclError(CanneryError):
    """A call of the acl or aclnn C API returned a status other than 0."""

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
    """A kernel failed while it ran (507xxx), or could not be launched as it was asked to.

    What a card reports has neither code nor place: None.
    """

    @property
    def code(self) -> str | None:
        """The twin's stable code of the broken rule, e.g. "T103"."""
        return self._first(_TWIN_CODE)

    @property
    def file(self) -> str | None:
        """Source file of the kernel's line that broke it."""
        return self._first(_PLACE, "file")

    @property
    def line(self) -> int | None:
        """Number of that line."""
        line = self._first(_PLACE, "line")
        return None if line is None else int(line)

    @property
    def core(self) -> str | None:
        """The core that it happened on, e.g. "3 AIV"."""
        return self._first(_PLACE, "core")

    def _first(self, pattern: re.Pattern[str], group: int | str = 1) -> str | None:
        found = pattern.search(str(self))
        return found.group(group) if found else None


class CompileError(CanneryError):
    """A kernel could not be compiled; the message holds the compiler's, with the user's lines."""


class BackendError(CanneryError, RuntimeError):
    """The chosen backend cannot be used on this machine; the message says what is missing."""


class TwinOnlyError(BackendError):
    """What was asked for exists on the twin, and on a card it does not, or not yet."""


class KernelWarning(UserWarning):
    """A kernel compiles or runs, but hardly does what was meant."""


def status_name(status: int) -> str:
    """Name of a status as CANN's headers spell it; "UNKNOWN" for a number they do not have."""
    return STATUS_NAMES.get(status, "UNKNOWN")


def from_status(status: int, api: str, text: str) -> AclError:
    """The exception for `status` returned by the C function or kernel `api`.

    text: the runtime's own sentence, empty when it gave none.
    """
    where = f"{api} returned {status} ({status_name(status)})"
    text = text.strip()
    message = f"{text}\n  {where}" if text else where
    family = status // 1000
    if family in (161, 361, 561):
        return AclnnError(message, status)
    # A function of the runtime that fails so has run no kernel.
    if _TWIN_CODE.match(text) or (family == 507 and not api.startswith("aclrt")):
        return KernelError(message + _advice(_KERNEL_ADVICE), status)
    return AclError(message + _advice(_CARD_ADVICE.get(status, "")), status)


def _advice(text: str) -> str:
    """For who works on a card, which itself says little."""
    from cannery.settings import current_backend

    return f"\n  try: {text}" if text and current_backend() == "npu" else ""
