# SPDX-License-Identifier: Apache-2.0
"""One tree of exceptions: what the C API answers, by status, and what the compiler says."""

from __future__ import annotations

import re

from cannery._status_names import STATUS_NAMES

__all__ = [
    "AclError",
    "AclnnError",
    "CanneryError",
    "CompileError",
    "KernelError",
    "from_status",
    "status_name",
]

_TWIN_CODE = re.compile(r"^([A-Z]\d{3})\b", re.MULTILINE)


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
    """A kernel failed while it ran (507xxx)."""

    @property
    def code(self) -> str | None:
        """The twin's stable code of the broken rule, e.g. "T103"; None when a card reported it."""
        found = _TWIN_CODE.search(str(self))
        return found.group(1) if found else None


class CompileError(CanneryError):
    """A kernel could not be compiled; the message holds the compiler's, with the user's lines."""


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
    if family == 507:
        return KernelError(message, status)
    return AclError(message, status)
