# SPDX-License-Identifier: Apache-2.0
"""The option --json and the error handling, which several commands use."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Json", "fail"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def fail(error: Exception, as_json: bool) -> typer.Exit:
    """Prints the error; returns typer.Exit with status 2 for wrong arguments, otherwise 1."""
    from cannery.cli import output

    output.print_error(error, as_json)
    return typer.Exit(2 if isinstance(error, ValueError | TypeError) else 1)
