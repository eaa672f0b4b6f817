# SPDX-License-Identifier: Apache-2.0
"""Returns the messages of kernels that cannot be compiled."""

from __future__ import annotations

from typing import Any

import pytest

import cannery


def failure(*arguments: Any, **options: Any) -> str:
    with pytest.raises(cannery.CompileError) as caught:
        cannery.compile_kernel(*arguments, **options)
    return str(caught.value)
