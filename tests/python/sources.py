# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels from texts in tests, and finds the lines of such a text that have a mark."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery

HEAD = """\
#include "kernel_operator.h"
using namespace AscendC;
"""


def findings(text: str, blocks: int, *arguments: Any) -> cannery.HazardError:
    kernel = cannery.compile_kernel(HEAD + text, "k")
    with pytest.raises(cannery.HazardError) as caught:
        kernel(blocks, *arguments)
    return caught.value


def line_of(text: str, mark: str) -> int:
    return next(i for i, line in enumerate((HEAD + text).splitlines(), 1) if mark in line)


def floats(count: int) -> np.ndarray:
    return np.zeros(count, np.float32)


BUFFERS = """
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 2048);
    LocalTensor<float> tile = buffer.Get<float>();
    LocalTensor<float> more = tile[256];
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)x);
"""
