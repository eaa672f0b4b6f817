# SPDX-License-Identifier: Apache-2.0
"""What several commands share: the option --json, options for settings, and error handling."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cannery import settings

__all__ = ["Json", "fail", "use_options"]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]


def use_options(**given: str | None) -> settings.Settings:
    """Applies the settings that the user has given as options, as `cannery.use` does. Errors about
    a setting begin with the name of its option.
    """
    values: dict[str, Any] = {key: ... if value is None else value for key, value in given.items()}
    try:
        return settings.use(**values)
    except (ValueError, RuntimeError) as error:
        if str(error).partition(":")[0] not in given:
            raise
        raise type(error)(f"--{error}") from None


def fail(error: Exception, as_json: bool) -> typer.Exit:
    """Prints the error; returns typer.Exit with status 2 for wrong arguments, otherwise 1."""
    from cannery.cli import output

    output.print_error(error, as_json)
    return typer.Exit(2 if isinstance(error, ValueError | TypeError) else 1)
