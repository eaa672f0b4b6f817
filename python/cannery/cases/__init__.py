# SPDX-License-Identifier: Apache-2.0
"""Workloads of every operator: the inputs with which `cannery run` and the benchmarks call it."""

from __future__ import annotations

from cannery import packages
from cannery.cases.case import Array, Attrs, AttrValue, Block, Case, CaseRun, Workloads
from cannery.cases.grouped_matmul_finalize_routing import GroupedMatmulFinalizeRoutingWorkloads
from cannery.cases.moe_init_routing_v2_grad import MoeInitRoutingV2GradWorkloads
from cannery.cases.moe_token_permute_with_routing_map import (
    MoeTokenPermuteWithRoutingMapWorkloads,
)
from cannery.cases.nsa_compress_grad import NsaCompressGradWorkloads
from cannery.cases.project import ProjectWorkloads
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
    "names_here",
]

#: Names of the sizes that every operator has; an operator may have more.
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
    """Returns the operators that come with cannery, in snake case."""
    return list(_WORKLOADS)


def names_here() -> list[str]:
    """Returns the operators of the project that the current folder belongs to; outside of a
    project, returns cannery's operators.
    """
    package = packages.here()
    return [model.snake for model in package.models] if package else names()


def find(op: str) -> Workloads:
    """Returns the workloads of the operator `op`, such as "swi_glu_grad" or "SwiGluGrad". Operators
    of the current folder's project come first, then cannery's, then those of installed packages.
    Raises ValueError for an unknown name.
    """
    project = packages.here()
    known = {
        **_of_packages(packages.installed()),
        **_WORKLOADS,
        **_of_packages((project,) if project else ()),
    }
    for name, workloads in known.items():
        if op in (name, workloads.type):
            return workloads
    raise packages.unknown(op, known)


def _of_packages(found: tuple[packages.Package, ...]) -> dict[str, Workloads]:
    return {
        model.snake: ProjectWorkloads(package, model)
        for package in found
        for model in package.models
    }
