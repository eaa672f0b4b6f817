# SPDX-License-Identifier: Apache-2.0
"""The shortest time in which any kernel could do the work of a launch, by the model's own rates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cannery.cases.case import CaseRun

__all__ = ["Ideal", "ideal"]

_LANES = 64  # float elements that a vector core processes in a cycle
_CUBE_MACS = {"int8": 16 * 32 * 16, "half": 16 * 16 * 16}  # products of a cube core in a cycle


@dataclass(frozen=True)
class Ideal:
    """Lower bounds of a launch in microseconds; `us` is the largest."""

    hbm_us: float
    l2_us: float
    cube_us: float
    vector_us: float
    bytes: int  #: bytes that must cross HBM

    @property
    def us(self) -> float:
        return max(self.terms.values())

    @property
    def terms(self) -> dict[str, float]:
        """The bounds by name."""
        return {
            "HBM": self.hbm_us,
            "L2": self.l2_us,
            "cube": self.cube_us,
            "vector": self.vector_us,
        }

    @property
    def term(self) -> str:
        """The name of the bound that decides."""
        return max(self.terms, key=lambda name: self.terms[name])


@dataclass(frozen=True)
class _Work:
    read: int  #: bytes of the inputs that the launch needs
    written: int  #: bytes of the outputs
    cube: float = 0  #: least time of the products, in cycles of one cube core
    vector: float = 0  #: least time of the vector instructions, in cycles of one vector core


def ideal(op: str, run: CaseRun, written: int, soc: Mapping[str, Any]) -> Ideal:
    """Returns the lower bounds of a launch. Inputs are read from HBM once. Of the outputs, only
    what does not fit into L2 must be written to HBM before the launch ends. Every byte that is
    loaded or stored passes L2, which serves loads and stores in turn.

    written: bytes of all outputs.   soc: the chip, `header["soc"]` of a launch.
    """
    work = _WORK[op](run, written)
    crossing = work.read + max(0, work.written - int(soc["l2_bytes"]))
    cycles_us = 1 / float(soc["mhz"])
    through_l2 = work.read / soc["l2_read_bytes"] + work.written / soc["l2_write_bytes"]
    return Ideal(
        crossing / (float(soc["hbm_gbs"]) * 1e3),
        through_l2 / soc["aic"] * cycles_us,
        work.cube / soc["aic"] * cycles_us,
        work.vector / soc["aiv"] * cycles_us,
        crossing,
    )


def _swi_glu_grad(run: Any, written: int) -> _Work:
    # In float, exp and the two divisions take two cycles for 64 elements, and seven other
    # instructions one cycle. Types of 16 bits need five conversions.
    cycles = 13 + (5 if run.x.itemsize == 2 else 0)
    elements = run.x.size // 2
    return _Work(run.ideal_bytes - written, written, vector=elements / _LANES * cycles)


def _moe_init_routing_v2_grad(run: Any, written: int) -> _Work:
    # Each row that a token has is added; types of 16 bits are converted before and after.
    columns = run.rows.shape[-1]
    rows = int(np.count_nonzero((run.index >= 0) & (run.index < run.rows.size // columns)))
    tokens = run.index.size // run.top_k
    instructions = max(0, rows - tokens) + (rows + tokens if run.rows.itemsize == 2 else 0)
    vector = 0 if run.top_k == 1 else instructions * columns / _LANES
    return _Work(run.ideal_bytes - written, written, vector=vector)


def _moe_token_permute_with_routing_map(run: Any, written: int) -> _Work:
    return _Work(run.ideal_bytes - written, written)


def _nsa_compress_grad(run: Any, written: int) -> _Work:
    # Both gradients multiply each row of a window once.
    gradients, _, weight = run.inputs
    products = 2 * len(weight) * gradients.size
    return _Work(run.ideal_bytes - written, written, products / _CUBE_MACS["half"])


def _grouped_matmul_finalize_routing(run: Any, written: int) -> _Work:
    # Each row of x is multiplied with its expert's weights. The sums are converted, and then
    # multiplied by scale, added to bias, and multiplied by the row's factor.
    rows, k = run.arrays["x"].shape
    sums = rows * run.arrays["bias"].shape[1]
    return _Work(run.input_bytes, written, sums * k / _CUBE_MACS["int8"], 4 * sums / _LANES)


_WORK: dict[str, Callable[[Any, int], _Work]] = {
    "grouped_matmul_finalize_routing": _grouped_matmul_finalize_routing,
    "moe_init_routing_v2_grad": _moe_init_routing_v2_grad,
    "moe_token_permute_with_routing_map": _moe_token_permute_with_routing_map,
    "nsa_compress_grad": _nsa_compress_grad,
    "swi_glu_grad": _swi_glu_grad,
}
