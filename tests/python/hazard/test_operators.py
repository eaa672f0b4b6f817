# SPDX-License-Identifier: Apache-2.0
"""Runs rarely used paths of the operators with hazard checks at level `explicit`."""

from __future__ import annotations

import numpy as np
import pytest

import cannery
from cannery.testing import normal, strided_outputs

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("gap", [1, 2])
def test_strided_gradients(gap: int, reverse: bool) -> None:
    """NsaCompressGrad must have no findings if its outputs are strided."""
    rng = np.random.default_rng(0)
    heads, dim, rows = 40, 32, 210
    gradient, tokens = (normal(rng, (n, heads, dim), np.float16) for n in (8, rows))
    weight = normal(rng, (48, heads), np.float16)
    sizes = {"compress_block_size": 48, "compress_stride": 16}
    with cannery.use(hazards="explicit"), strided_outputs(gap, reverse=reverse):
        cannery.nsa_compress_grad(gradient, tokens, weight, (70, 210), **sizes)
