# SPDX-License-Identifier: Apache-2.0
"""Tests queues by handle and in place, pools, stack buffers, spills to workspace and pipe flags."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import cannery
from cannery import CompileError, KernelError

from .conftest import Compile

ELEMS = 64


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("framework")


def run(kernel: Any, key: int, tiles: int = 1) -> tuple[Any, Any]:
    x = np.arange(tiles * ELEMS, dtype=np.float32)
    out = np.full(4 * ELEMS, 100, np.float32)
    kernel(1, x, out, tiling_key=key)
    return x, out


def test_handles(kernel: Any) -> None:
    x, out = run(kernel, 0)
    np.testing.assert_array_equal(out[:ELEMS], x)


def test_queues_of_depth_zero(kernel: Any) -> None:
    x, out = run(kernel, 1)
    np.testing.assert_array_equal(out[:ELEMS], x + 1)


def test_pools(kernel: Any) -> None:
    x, out = run(kernel, 2, tiles=4)
    np.testing.assert_array_equal(out, x)


def test_pools_of_the_kernels_own(kernel: Any) -> None:
    x, out = run(kernel, 3, tiles=2)
    np.testing.assert_array_equal(out[: 2 * ELEMS], x)


def test_buffers_and_addresses(kernel: Any) -> None:
    x, out = run(kernel, 4)
    np.testing.assert_array_equal(out[:ELEMS], x + 2)


def test_spills(kernel: Any) -> None:
    x, out = run(kernel, 5)
    np.testing.assert_array_equal(out, np.concatenate([x, x + 1, x + 3, x + 1]))


def test_reset_brings_registers_to_rest(kernel: Any) -> None:
    x, out = run(kernel, 6, tiles=2)
    np.testing.assert_array_equal(out[:ELEMS], x[:ELEMS])
    np.testing.assert_array_equal(out[ELEMS : 2 * ELEMS], x[ELEMS:] + 100)


def test_buffers_of_pools_have_owners(kernel: Any, tmp_path: Any) -> None:
    dump = tmp_path / "dump.txt"
    x = np.zeros(4 * ELEMS, np.float32)
    kernel(1, x, x.copy(), tiling_key=2, dump=dump)
    copies = [line for line in dump.read_text().splitlines() if "DataCopy" in line]
    assert len(copies) == 8
    assert all("[queue " in line for line in copies), copies


@pytest.mark.parametrize(
    ("key", "code", "sentence"),
    [
        (20, "T221", "pool without memory"),
        (21, "T221", "InitBuffer ends at 0x60, the pool covers 0x0 to 0x40"),
        (22, "T221", "3 more VECIN buffers, 0 of the pool's 2 are taken"),
        (23, "T221", "InitBufPool of 96 B shares the memory of a pool of 64 B"),
        (24, "T220", "2 buffers of 256 B, the queue's type says 1 buffers of 256 B"),
        (25, "T221", "InitBufPool ends at"),
        (26, "T103", "GetAbsAddr"),
        (27, "T202", "DeQue on VECIN #0 of a tensor that is allocated"),
        (28, "T221", "pool without memory"),
        (29, "T222", "no spill buffer"),
        (30, "T222", "no TPipe"),
        (31, "T106", "PopStackBuffer finds nothing left"),
        (32, "T303", r"WaitFlag<HardEvent::V_MTE3>\(3\)"),
    ],
)
def test_faults(kernel: Any, key: int, code: str, sentence: str) -> None:
    with pytest.raises(KernelError, match=sentence) as caught:
        run(kernel, key)
    assert caught.value.code == code
    assert "framework.cpp:" in str(caught.value)


REFUSED = {
    "TQue<TPosition::CO2, 1> que": "TQue takes VECIN, VECOUT, VECCALC, A1",
    "TBufPool<TPosition::A1> pool": "TBufPool: this twin models",
    "TBufPool<TPosition::VECIN, 17> pool": "at most 16 buffers",
    "TQueSync<PIPE_V, PIPE_V> sync": "the two pipes must differ",
    "LocalMemAllocator<Hardware::GM> all": "global memory is not handed out",
    "TPipe pipe; pipe.InitSpmBuffer(1024)": "InitSpmBuffer",
}


@pytest.mark.parametrize("statement", REFUSED)
def test_refused_by_name(statement: str) -> None:
    source = (
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        f'extern "C" __global__ __aicore__ void refused(GM_ADDR x) {{ {statement}; }}\n'
    )
    with pytest.raises(CompileError, match=REFUSED[statement]):
        cannery.compile_kernel(source, "refused")
