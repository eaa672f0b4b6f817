# SPDX-License-Identifier: Apache-2.0
"""The command `cannery`. Nothing here is imported by the library."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Entry point of the command."""
    from cannery.cli.app import app

    app(prog_name="cannery")
