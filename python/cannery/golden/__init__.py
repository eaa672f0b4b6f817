# SPDX-License-Identifier: Apache-2.0
"""Computes in NumPy what the operators must return; it shares no code with the operators."""

from cannery.golden.grouped_matmul_finalize_routing import (
    grouped_matmul_finalize_routing,
    grouped_matmul_finalize_routing_bounded,
)
from cannery.golden.moe_init_routing_v2_grad import (
    moe_init_routing_v2_grad,
    moe_init_routing_v2_grad_scale,
)
from cannery.golden.moe_token_permute_with_routing_map import moe_token_permute_with_routing_map
from cannery.golden.nsa_compress_grad import (
    nsa_compress_grad,
    nsa_compress_grad_scale,
    nsa_compress_windows,
)
from cannery.golden.swi_glu_grad import (
    swi_glu_grad,
    swi_glu_grad_scale,
    swi_glu_grad_scaled,
)

__all__ = [
    "grouped_matmul_finalize_routing",
    "grouped_matmul_finalize_routing_bounded",
    "moe_init_routing_v2_grad",
    "moe_init_routing_v2_grad_scale",
    "moe_token_permute_with_routing_map",
    "nsa_compress_grad",
    "nsa_compress_grad_scale",
    "nsa_compress_windows",
    "swi_glu_grad",
    "swi_glu_grad_scale",
    "swi_glu_grad_scaled",
]
