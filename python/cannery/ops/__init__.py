# SPDX-License-Identifier: Apache-2.0
"""The operators, as functions of NumPy arrays. They run on the twin or on a card."""

from cannery.ops.grouped_matmul_finalize_routing import grouped_matmul_finalize_routing
from cannery.ops.moe_init_routing_v2_grad import moe_init_routing_v2_grad
from cannery.ops.moe_token_permute_with_routing_map import moe_token_permute_with_routing_map
from cannery.ops.nsa_compress_grad import nsa_compress_grad
from cannery.ops.swi_glu_grad import swi_glu_grad

__all__ = [
    "grouped_matmul_finalize_routing",
    "moe_init_routing_v2_grad",
    "moe_token_permute_with_routing_map",
    "nsa_compress_grad",
    "swi_glu_grad",
]
