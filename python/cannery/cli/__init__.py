# SPDX-License-Identifier: Apache-2.0
"""The command `cannery`. The library does not import anything from here."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Entry point of the command."""
    from cannery.cli.app import app

    app(prog_name="cannery")
