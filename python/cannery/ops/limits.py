# SPDX-License-Identifier: Apache-2.0
"""Reads the limits of an operator from its model in cannery's operator package."""

from __future__ import annotations

import functools
import json

from cannery import _runtime

__all__ = ["limits"]


@functools.cache
def limits(op: str) -> dict[str, int]:
    """Returns the values of the prototype's limits by name, such as max_slots."""
    path = _runtime.proto_dir() / f"{op}.json"
    model = json.loads(path.read_text(encoding="utf-8"))
    return {entry["name"]: entry["value"] for entry in model["limits"]}
