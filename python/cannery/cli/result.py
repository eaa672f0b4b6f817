# SPDX-License-Identifier: Apache-2.0
"""The result of `cannery run` for one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cannery import cases
from cannery.cli.stats import Traffic
from cannery.compile.ub_map import UbMap
from cannery.testing.compare import Comparison

__all__ = ["Result"]


@dataclass(frozen=True)
class Result:
    """Comparisons of the outputs with their golden, GM traffic and times of one case. An optional
    output that is None has no comparison.
    """

    case: cases.Case
    outputs: Mapping[str, Comparison]
    traffic: Traffic | None  #: GM traffic; None on a card, which does not count the bytes
    ideal_bytes: int
    backend: str
    seconds: float  #: time of the operator's call on the backend
    golden_seconds: float
    maps: tuple[UbMap, ...] = ()  #: maps of the local memories, if the user asked for them
    unwritten: tuple[str, ...] = ()  #: outputs that the operator has not written completely

    @property
    def ok(self) -> bool:
        consistent = self.traffic is None or self.traffic.consistent
        right = all(each.ok for each in self.outputs.values())
        return consistent and right and not self.unwritten

    @property
    def worst(self) -> Comparison:
        """The comparison of the output whose error is largest relative to the allowed error."""
        return max(self.outputs.values(), key=_share)

    def fields(self) -> dict[str, Any]:
        return {
            "op": self.case.op,
            "dtype": self.case.dtype.name,
            "shape": list(self.case.shape),
            "inputs": {name: list(shape) for name, shape in self.case.given_shapes.items()},
            "attrs": dict(self.case.attrs),
            "size": self.case.size,
            "block_dim": self.traffic.block_dim if self.traffic else None,
            "ok": self.ok,
            **_errors(self.worst),
            "outputs": {
                name: {
                    "dtype": each.dtype.name,
                    "shape": list(each.shape),
                    "rule": each.rule,
                    "ok": each.ok,
                    "one_sided": each.one_sided,
                    **_errors(each),
                }
                for name, each in self.outputs.items()
            },
            f"{self.backend}_seconds": self.seconds,
            "golden_seconds": self.golden_seconds,
            **(self.traffic.fields() if self.traffic else {}),
            "ideal_bytes": self.ideal_bytes,
            "unwritten": list(self.unwritten),
            **({"ub_maps": [each.fields() for each in self.maps]} if self.maps else {}),
        }


def _share(comparison: Comparison) -> tuple[bool, float]:
    limit = comparison.limits.maximum
    return not comparison.ok, comparison.worst_relative / limit if limit else 0.0


def _errors(comparison: Comparison) -> dict[str, Any]:
    return {
        "worst_relative_error": comparison.worst_relative,
        "worst_relative_limit": comparison.limits.maximum,
        "mean_relative_error": comparison.mean_relative,
        "mean_relative_limit": comparison.limits.mean,
        "worst_absolute_error": comparison.worst_absolute,
        "mismatches": comparison.mismatches,
    }
