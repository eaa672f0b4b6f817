# SPDX-License-Identifier: Apache-2.0
"""Support for Ascend C in gdb. gdb's own Python runs printers.py, which imports no other module."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PRINTERS"]

#: The file for gdb's `source` or `-x`.
PRINTERS = Path(__file__).with_name("printers.py")
