# SPDX-License-Identifier: Apache-2.0
"""What NsaCompressGrad keeps in the L2 cache, according to the model of time."""

from __future__ import annotations

import numpy as np
import pytest

import cannery

HEADS, DIM, BLOCK, STRIDE = 2, 64, 32, 16
ROW_BYTES = HEADS * DIM * 2


def hbm_bytes(rows: int, soc: str) -> tuple[int, int, int]:
    """Returns the bytes that HBM moved in a launch that begins with the inputs in L2, the bytes of
    the inputs, and the bytes of inputGrad."""
    windows = (rows - BLOCK) // STRIDE + 1
    inputs = [np.zeros((count, HEADS, DIM), np.float16) for count in (windows, rows)]
    weight = np.zeros((BLOCK, HEADS), np.float16)
    with cannery.use(soc=soc), cannery.profile(warm=True) as profile:
        cannery.nsa_compress_grad(
            *inputs, weight, compress_block_size=BLOCK, compress_stride=STRIDE
        )
    (launch,) = profile.launches
    return launch.hbm_bytes, (windows + rows) * ROW_BYTES, rows * ROW_BYTES


@pytest.mark.twin_only("reads a profile")
def test_nothing_bypasses_l2_if_all_bytes_fit() -> None:
    moved, read, _ = hbm_bytes(4096, "Ascend910B2")
    assert moved < read // 10


@pytest.mark.twin_only("reads a profile")
def test_inputs_bypass_l2_if_not_all_bytes_fit() -> None:
    """Ascend910B4 has 96 MiB of L2: enough for inputGrad, but not also for input of the same size.
    outputGrad may stay in L2, because two cores read it."""
    moved, read, written = hbm_bytes(48 * 2**20 // ROW_BYTES, "Ascend910B4")
    assert written < moved < read + written // 20


@pytest.mark.twin_only("reads a profile")
def test_what_does_not_fit_of_the_output_bypasses_l2() -> None:
    """What goes through L2 then stays in L2, so HBM moves only the rest of inputGrad."""
    moved, read, written = hbm_bytes(192 * 2**20 // ROW_BYTES, "Ascend910B4")
    rest = written - 90 * 2**20 + (read - written)  # outputGrad needs room, too
    assert written + rest < moved < (read + rest) * 1.05
