# SPDX-License-Identifier: Apache-2.0
"""The command `cannery`. Modules outside of cannery.cli do not import anything from it."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Runs the command `cannery`."""
    from cannery.cli.app import app

    app(prog_name="cannery")
