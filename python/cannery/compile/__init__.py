# SPDX-License-Identifier: Apache-2.0
"""Own kernels from source text or file, compiled for the twin and cached."""

from __future__ import annotations

from cannery.compile.build import compile_kernel
from cannery.compile.kernel import Kernel
from cannery.compile.module import load

__all__ = ["Kernel", "compile_kernel", "load"]
