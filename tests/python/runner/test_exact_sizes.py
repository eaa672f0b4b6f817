# SPDX-License-Identifier: Apache-2.0
"""Every buffer of the runner must have its exact size, even if it reuses memory of a larger one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from ..processes import run_code
from ..selection import rest_slow

# A kernel that writes 1024 bytes of its first argument, from byte START on.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void fill(GM_ADDR out) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> local = buffer.Get<float>();
    Duplicate(local, 1.0f, 256);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    GlobalTensor<float> gm;
    gm.SetGlobalBuffer((__gm__ float*)out);
    DataCopy(gm[START / 4], local, 256);
}
"""


def fill(start: int) -> cannery.Kernel:
    return cannery.compile_kernel(SOURCE, "fill", {"START": start})


def refused(kernel: cannery.Kernel, *arrays: Any, **options: Any) -> str:
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, *arrays, **options)
    assert caught.value.code == "T101"
    return str(caught.value)


@pytest.mark.parametrize("before", rest_slow([2048, 1025, 1056, 4096], 2))
def test_a_smaller_workspace_after_a_larger_one(before: int) -> None:
    fill(0)(1, workspace=before)
    fill(0)(1, workspace=1024)
    message = refused(fill(512), workspace=1024)
    assert "T101 GM out of bounds: DataCopy writes 1024 B at byte 512 of argument out" in message
    assert "which has 1024 B" in message
    refused(fill(1024), workspace=1024)
    fill(before - 1024 if before % 32 == 0 else 0)(1, workspace=before)


def test_smaller_tiling_data_after_larger() -> None:
    fill(0)(1, tiling=bytes(2048))
    refused(fill(32), tiling=bytes(1024))


@pytest.mark.twin_only("opens the twin's libraries itself")
def test_copied_arrays_have_their_own_size() -> None:
    """Arrays also have exact sizes in pooled device memory, if the runtime cannot map host
    memory."""
    code = f"""
import numpy as np, cannery
from cannery import _runtime
_runtime.native_module().open(_runtime.library_dirs("twin"), False)
kernel = cannery.compile_kernel({SOURCE!r}, "fill", {{"START": 1024}})
kernel(1, np.zeros(2048, np.uint8))
try:
    kernel(1, np.zeros(1536, np.uint8))
except cannery.KernelError as error:
    print(error.code, "which has 1536 B" in str(error), _runtime.native().maps_host())
"""
    done = run_code(code)
    assert done.stdout == "T101 True False\n", done.stderr


def test_a_pool_of_many_sizes_stays_small() -> None:
    kernel = fill(0)
    status = Path("/proc/self/status")

    def megabytes() -> int:
        line = next(each for each in status.read_text().splitlines() if "VmSize" in each)
        return int(line.split()[1]) >> 10

    kernel(1, workspace=1024)
    before = megabytes()
    for each in range(200):
        kernel(1, workspace=(8 << 20) + 4096 * each)
    assert megabytes() - before < 200


def test_workspace_is_poisoned_again(kernels: Path) -> None:
    kernel = cannery.compile_kernel(kernels / "tiled_copy.cpp", "tiled_copy")
    fill(0)(1, workspace=1024)
    source, target = np.zeros(64, np.float32), np.zeros(64, np.float32)
    with cannery.use(hazards="off"):
        kernel(1, source, target, workspace=1024, tiling=np.array([64], np.uint32))
    assert (target.view(np.uint32) == 0x7FE97FD3).all()  # NaN in every float type
