# SPDX-License-Identifier: Apache-2.0
"""What gdb knows of Ascend C: `printers.py`, which gdb's own Python runs, without this package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["PRINTERS"]

#: For gdb's `source` or `-x`.
PRINTERS = Path(__file__).with_name("printers.py")
