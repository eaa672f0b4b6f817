# SPDX-License-Identifier: Apache-2.0
"""Reads choices from environment variables. All other modules of cannery may import this one."""

from __future__ import annotations

import os

__all__ = ["BACKENDS", "choice", "current_backend"]

#: The first backend is the default.
BACKENDS = ("twin", "npu")


def choice(name: str, value: object, accepted: tuple[str, ...]) -> str:
    """Returns `value` if it is one of `accepted`; otherwise raises TypeError or ValueError."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected one of {', '.join(accepted)}, got {value!r}")
    if value not in accepted:
        raise ValueError(f"{name}: expected one of {', '.join(accepted)}, got {value!r}")
    return value


def current_backend() -> str:
    """Returns the value of CANNERY_BACKEND, "twin" or "npu"; the default is "twin"."""
    value = os.environ.get("CANNERY_BACKEND") or BACKENDS[0]
    return choice("CANNERY_BACKEND", value, BACKENDS)
