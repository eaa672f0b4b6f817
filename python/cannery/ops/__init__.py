# SPDX-License-Identifier: Apache-2.0
"""The operators: NumPy arrays in, NumPy arrays out, on the twin or on a card."""

from cannery.ops.moe_init_routing_v2_grad import moe_init_routing_v2_grad
from cannery.ops.nsa_compress_grad import nsa_compress_grad
from cannery.ops.swi_glu_grad import swi_glu_grad

__all__ = ["moe_init_routing_v2_grad", "nsa_compress_grad", "swi_glu_grad"]
