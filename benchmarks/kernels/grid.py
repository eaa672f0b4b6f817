# SPDX-License-Identifier: Apache-2.0
"""The launches that bench_kernels.py measures: operators, dtypes, shapes and unusual inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cannery import cases
from cannery.cases.case import Attrs, Case, CaseRun

__all__ = ["AWKWARD", "KINDS", "Entry", "entries"]

AWKWARD = "awkward"
KINDS = ("small", "medium", "large", AWKWARD)

Change = Callable[[Any], None]


@dataclass(frozen=True)
class Entry:
    """One launch of the grid. `change` replaces inputs after they are made."""

    op: str
    kind: str  #: one of KINDS
    case: Case
    note: str = ""  #: what is unusual about the inputs
    change: Change | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """For example "float16 4096,22016", or "int8 8,64,2048,72,8 narrow"."""
        shape = ",".join(map(str, self.case.shape))
        return f"{self.case.dtype.name} {shape}" + (f" {self.note}" if self.note else "")

    def prepare(self) -> CaseRun:
        run = cases.find(self.op).prepare(self.case, seed=0)
        if self.change is not None:
            self.change(run)
        return run


def _zipf(run: Any) -> None:
    """Gives expert i a share of the rows in proportion to 1 / (i + 1)."""
    experts, rows = run.arrays["group_list"].size, len(run.arrays["x"])
    shares = 1 / np.arange(1, experts + 1)
    ends = np.floor(np.cumsum(shares) / shares.sum() * rows + 0.5).astype(np.int64)
    run.arrays["group_list"] = np.diff(ends, prepend=0)


def _one_group(run: Any) -> None:
    """Gives all rows to the expert in the middle."""
    counts = np.zeros_like(run.arrays["group_list"])
    counts[counts.size // 2] = len(run.arrays["x"])
    run.arrays["group_list"] = counts


@dataclass(frozen=True)
class _Awkward:
    dtype: str
    shape: tuple[int, ...]
    note: str = ""
    attrs: Attrs = field(default_factory=dict)
    change: Change | None = None


_AWKWARD = {
    "grouped_matmul_finalize_routing": (
        _Awkward("int8", (1, 1, 2048, 7168, 1), "one row"),
        _Awkward("int8", (1, 64, 2048, 7168, 64), "one expert"),
        _Awkward("int8", (1, 4096, 2048, 7168, 512), "one expert, prefill"),
        _Awkward("int8", (256, 256, 2048, 7168, 32), "256 experts, decode"),
        _Awkward("int8", (256, 4096, 2048, 7168, 512), "256 experts, prefill"),
        _Awkward("int8", (32, 1024, 2048, 7168, 128), "zipf", change=_zipf),
        _Awkward("int8", (8, 64, 2048, 7168, 8), "one group has all rows", change=_one_group),
        _Awkward("int8", (8, 4096, 2048, 7168, 512), "zipf, prefill", change=_zipf),
        _Awkward("int8", (4, 64, 18432, 512, 64), "largest k"),
        _Awkward("int8", (7, 100, 1984, 1000, 50), "odd sizes"),
        _Awkward("int8", (8, 64, 2048, 72, 8), "narrow"),
        _Awkward("int8", (8, 192, 1536, 4096, 24), "few rows an expert"),
    ),
    "moe_init_routing_v2_grad": (
        _Awkward("bfloat16", (1, 8, 7168), "one token"),
        _Awkward("bfloat16", (8, 8, 7168), "few tokens"),
        _Awkward("bfloat16", (65536, 8, 64), "H = 64"),
        _Awkward("float32", (16384, 4, 16), "H = 16"),
        _Awkward("float16", (8192, 8, 1), "H = 1"),
        _Awkward("bfloat16", (65536, 1, 4096), "top_k 1"),
        _Awkward("bfloat16", (512, 64, 2048), "top_k 64"),
        _Awkward("float16", (333, 3, 2049), "odd sizes"),
        _Awkward("bfloat16", (4096, 8, 2048), "drop/pad", {"drop_pad_mode": 1}),
        _Awkward("bfloat16", (4096, 8, 2048), "active", {"active_num": 8192}),
    ),
    "moe_token_permute_with_routing_map": (
        _Awkward("bfloat16", (1, 8, 2, 4096), "one token"),
        _Awkward("bfloat16", (8, 256, 8, 7168), "decode"),
        _Awkward("bfloat16", (4096, 64, 8, 64), "H = 64"),
        _Awkward("bfloat16", (32768, 64, 8, 64), "H = 64, many tokens"),
        _Awkward("float32", (8192, 32, 4, 16), "H = 16"),
        _Awkward("float16", (8192, 8, 2, 1), "H = 1"),
        _Awkward("bfloat16", (999, 60, 4, 1000), "odd sizes"),
        _Awkward("bfloat16", (8192, 1, 1, 4096), "one expert"),
        _Awkward("bfloat16", (2048, 512, 8, 1024), "512 experts"),
        _Awkward("bfloat16", (4096, 128, 8, 2048), "drop and pad", {"drop_and_pad": True}),
        _Awkward("bfloat16", (4096, 128, 8, 2048), "no probs", {"probs": False}),
    ),
    "nsa_compress_grad": (
        _Awkward("bfloat16", (32, 1, 16), "one window"),
        _Awkward("bfloat16", (8192, 1, 128), "one head"),
        _Awkward("bfloat16", (8192, 128, 192), "128 heads"),
        _Awkward(
            "bfloat16",
            (8192, 4, 192),
            "block 128, stride 16",
            {"compress_block_size": 128, "compress_stride": 16},
        ),
        _Awkward(
            "bfloat16",
            (8192, 4, 192),
            "block 64, stride 48",
            {"compress_block_size": 64, "compress_stride": 48},
        ),
        _Awkward("bfloat16", (8192, 4, 192), "64 sequences", {"sequences": 64}),
        _Awkward("float16", (4097, 3, 48), "odd sizes"),
    ),
    "swi_glu_grad": (
        _Awkward("bfloat16", (1, 2), "one element"),
        _Awkward("bfloat16", (1, 4096), "one row"),
        _Awkward("bfloat16", (65536, 2), "H = 1"),
        _Awkward("float32", (65536, 32), "H = 16"),
        _Awkward("bfloat16", (65536, 128), "H = 64"),
        _Awkward("float16", (100, 2050), "odd sizes"),
        _Awkward("bfloat16", (4097, 1022), "odd sizes"),
        _Awkward("float32", (2048, 333), "dim 0", {"dim": 0}),
        _Awkward("bfloat16", (512, 4096), "few tiles"),
    ),
}


def entries(op: str) -> Iterator[Entry]:
    """Yields the launches of an operator: its three sizes with each dtype, then awkward shapes."""
    workloads = cases.find(op)
    for size in cases.SIZES:
        for dtype in workloads.dtypes:
            yield Entry(op, size, workloads.case(size, dtype))
    by_name = {dtype.name: dtype for dtype in workloads.dtypes}
    for each in _AWKWARD[op]:
        case = workloads.custom(each.shape, by_name[each.dtype], each.attrs)
        yield Entry(op, AWKWARD, case, each.note, each.change)
