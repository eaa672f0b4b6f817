# SPDX-License-Identifier: Apache-2.0
"""Workloads of every operator: what `cannery run` and the benchmarks put through it."""

from __future__ import annotations

from cannery.cases.case import Array, Attrs, AttrValue, Block, Case, CaseRun, Workloads
from cannery.cases.grouped_matmul_finalize_routing import GroupedMatmulFinalizeRoutingWorkloads
from cannery.cases.moe_init_routing_v2_grad import MoeInitRoutingV2GradWorkloads
from cannery.cases.moe_token_permute_with_routing_map import (
    MoeTokenPermuteWithRoutingMapWorkloads,
)
from cannery.cases.nsa_compress_grad import NsaCompressGradWorkloads
from cannery.cases.swi_glu_grad import SwiGluGradWorkloads

__all__ = [
    "SIZES",
    "Array",
    "AttrValue",
    "Attrs",
    "Block",
    "Case",
    "CaseRun",
    "Workloads",
    "find",
    "names",
]

#: What every operator has; one may have more.
SIZES = ("small", "medium", "large")

_WORKLOADS: dict[str, Workloads] = {
    each.op: each()
    for each in (
        GroupedMatmulFinalizeRoutingWorkloads,
        MoeInitRoutingV2GradWorkloads,
        MoeTokenPermuteWithRoutingMapWorkloads,
        NsaCompressGradWorkloads,
        SwiGluGradWorkloads,
    )
}


def names() -> list[str]:
    """Operators that have workloads, in snake case."""
    return list(_WORKLOADS)


def find(op: str) -> Workloads:
    """Workloads of an operator, named swi_glu_grad or SwiGluGrad; ValueError for others."""
    for name, workloads in _WORKLOADS.items():
        if op in (name, workloads.type):
            return workloads
    raise ValueError(f"OP: expected one of {', '.join(_WORKLOADS)}, got {op!r}")
