# SPDX-License-Identifier: Apache-2.0
"""The support for Ascend C in gdb: gdb's own Python runs `printers.py`, without this package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PRINTERS"]

#: The file for gdb's `source` or `-x`.
PRINTERS = Path(__file__).with_name("printers.py")
