# SPDX-License-Identifier: Apache-2.0
"""The command `cannery`. Modules outside of cannery.cli do not import anything from it."""

from __future__ import annotations

import sys
import warnings
from typing import Any

__all__ = ["main"]


def main() -> None:
    """Runs the command `cannery`."""
    from cannery.cli.app import app

    warnings.showwarning = _show_warning
    if "--json" not in sys.argv:
        app(prog_name="cannery")
        return
    import typer

    from cannery.cli import output

    output.only_documents()
    # The base class of the parser's exceptions, for example for an option that does not exist.
    parser_error: type[Exception] = next(
        kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
    )
    try:
        status = app(prog_name="cannery", standalone_mode=False)
    except parser_error as error:
        output.print_error(error, as_json=True)
        status = 2
    except typer.Abort:
        status = 1
    sys.exit(status or 0)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Prints a warning without the line of cannery's own code, which means nothing to users."""
    sys.stderr.write(f"warning: {message}\n")
