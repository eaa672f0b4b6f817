# SPDX-License-Identifier: Apache-2.0
"""Printing: tables for people on stdout, progress and errors on stderr, or one JSON document."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console

from cannery.errors import AclError, KernelError

__all__ = ["console", "error_fields", "print_error", "print_json", "progress_console"]


def console() -> Console:
    """Writes results. In a pipe it is wide enough that no table is cut."""
    wide = Console()
    return wide if wide.is_terminal else Console(width=200)


def progress_console() -> Console:
    return Console(stderr=True)


def print_json(document: Any) -> None:
    json.dump(document, sys.stdout, indent=2, allow_nan=True)
    sys.stdout.write("\n")


def error_fields(error: BaseException) -> dict[str, Any]:
    """An exception as JSON fields: its class, its message, and its status where it has one."""
    fields: dict[str, Any] = {"type": type(error).__name__, "message": str(error)}
    if isinstance(error, AclError):
        fields |= {"status": error.status, "name": error.name}
    if isinstance(error, KernelError):
        fields["code"] = error.code
    return fields


def print_error(error: BaseException, as_json: bool) -> None:
    if as_json:
        print_json({"ok": False, "error": error_fields(error)})
    else:
        # No markup: messages contain brackets of their own.
        progress_console().print(
            f"error: {error}", style="red", markup=False, highlight=False, soft_wrap=True
        )
