# SPDX-License-Identifier: Apache-2.0
"""Options and errors that several commands have in common."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Json", "fail"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def fail(error: Exception, as_json: bool) -> typer.Exit:
    """Prints the error; returns the exit with status 2 for malformed arguments, else with
    status 1.
    """
    from cannery.cli import output

    output.print_error(error, as_json)
    return typer.Exit(2 if isinstance(error, ValueError | TypeError) else 1)
