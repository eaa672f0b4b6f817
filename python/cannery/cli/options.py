# SPDX-License-Identifier: Apache-2.0
"""What several commands have in common."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Json", "fail"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def fail(error: Exception, as_json: bool) -> typer.Exit:
    """Says what is wrong; malformed arguments exit with 2, everything else with 1."""
    from cannery.cli import output

    output.print_error(error, as_json)
    return typer.Exit(2 if isinstance(error, ValueError | TypeError) else 1)
