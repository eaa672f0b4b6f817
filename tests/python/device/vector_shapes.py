# SPDX-License-Identifier: Apache-2.0
"""Shapes (masks, repeats and strides) with which the tests run every vector instruction."""

from __future__ import annotations

from typing import Any

FULL = 2**64 - 1
#: Mask bits of elements 0 to 63, and of elements 64 to 127, which only 16-bit types have.
LOW_BITS, HIGH_BITS = 0xA5A5_0F0F_FFFF_0001, 0x8000_0000_0000_00F1


def shapes(widest: int) -> dict[str, dict[str, Any]]:
    """Returns arguments of Case by name. The widest type of the instruction has `widest` bytes."""
    lanes = 256 // widest
    high = HIGH_BITS if widest == 2 else 0
    full = {"low": FULL, "high": FULL if widest == 2 else 0}
    return {
        "count-0": {"count": 0},
        "count-1": {"count": 1},
        "count-odd": {"count": 1003},
        "count-large": {"count": 15000 // widest},
        "mask-full": {"form": "mask_count", "low": lanes, "repeats": 3},
        "mask-partial": {"form": "mask_count", "low": 17, "repeats": 5},
        "mask-0": {"form": "mask_count", "low": 0, "repeats": 5},
        "repeats-0": {"form": "mask_count", "low": lanes, "repeats": 0},
        "repeats-255": {"form": "mask_count", "low": lanes - 1, "repeats": 255},
        "bits": {"form": "mask_bits", "low": LOW_BITS, "high": high, "repeats": 4},
        "bits-full": {"form": "mask_bits", **full, "repeats": 2},
        "bits-0": {"form": "mask_bits", "repeats": 4},
        "block-strides": {
            "form": "mask_count", "low": lanes, "repeats": 2,
            "blk": (2, 3, 1), "rep": (16, 24, 8),
        },
        "repeat-strides": {
            "form": "mask_bits", "low": LOW_BITS, "high": high, "repeats": 3, "rep": (9, 16, 11),
        },
        "far": {
            "form": "mask_count", "low": lanes, "repeats": 2,
            "blk": (30, 1, 2), "rep": (255, 250, 17),
        },
        "row-broadcast": {
            "form": "mask_count", "low": lanes, "repeats": 6, "rep": (8, 0, 8), "blk": (1, 1, 0),
        },
        "register": {"form": "register", "low": LOW_BITS, "high": high, "repeats": 3},
        "counter": {"form": "register", "counter": True, "low": 1000, "repeats": 1},
        "counter-set": {"form": "mask_count", "counter": True, "low": 333, "repeats": 9},
        "counter-strided": {
            "form": "mask_count", "counter": True, "low": 5 * lanes, "rep": (9, 16, 8),
        },
    }  # fmt: skip
