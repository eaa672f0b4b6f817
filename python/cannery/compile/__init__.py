# SPDX-License-Identifier: Apache-2.0
"""Own kernels from source text or file, compiled for the twin and cached."""

from __future__ import annotations

from cannery.compile.build import compile_kernel
from cannery.compile.kernel import Kernel

__all__ = ["Kernel", "compile_kernel"]
