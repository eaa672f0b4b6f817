# SPDX-License-Identifier: Apache-2.0
"""Tests kernels of cube and vector cores: identities, flags between cores, barriers, deadlocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

LINE = 16
TIMEOUT = {507014, 507034}


@pytest.fixture(scope="module")
def kernel(compile_device: Any) -> Any:
    return compile_device("mix")


def lines(count: int, value: int) -> np.ndarray:
    """Returns `count` lines of 64 B at a multiple of 64 B. Each core that writes scalars needs its
    own line."""
    memory = np.empty((count + 1) * LINE, np.int32)
    skip = -memory.ctypes.data % 64 // 4
    board = memory[skip : skip + count * LINE].reshape(count, LINE)
    board[:] = value
    return board


def run(kernel: Any, key: int, blocks: int) -> np.ndarray:
    out = lines(blocks * 3, -1)
    work = lines(blocks * 3, 0)
    kernel(blocks, out, work, tiling_key=key)
    return out


@pytest.mark.parametrize(
    ("key", "vector_cores", "cube"), [(0, 2, True), (10, 1, True), (20, 0, True)]
)
@pytest.mark.parametrize("blocks", [1, 3, 20, 24])
def test_identities(kernel: Any, key: int, vector_cores: int, cube: bool, blocks: int) -> None:
    out = run(kernel, key, blocks)
    for block in range(blocks):
        rows = out[block * 3 : block * 3 + 3, :5].tolist()
        assert rows[0] == [block, blocks, 0, 1, 1]
        for sub in range(2):
            want = [block * vector_cores + sub, blocks, sub, vector_cores, 2]
            assert rows[1 + sub] == (want if sub < vector_cores else [-1] * 5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("order", [0, 7])
def test_flags_order_a_ring(kernel: Any, threads: int, order: int) -> None:
    with cannery.use(threads=threads, core_order=order):
        out = run(kernel, 1, 5)
    for block in range(5):
        want = sum(100 * block + i for i in range(40))
        assert out[block * 3 + 1, 0] == out[block * 3 + 2, 0] == want


@pytest.mark.parametrize("threads", [1, 2])
def test_barrier_over_both_kinds(kernel: Any, threads: int) -> None:
    with cannery.use(threads=threads, core_order=3):
        out = run(kernel, 2, 24)
    for block in range(24):
        following = (block + 1) % 24 * 3
        assert out[block * 3, 0] == 1000 + following + 1
        assert out[block * 3 + 1, 0] == out[block * 3 + 2, 0] == 1000 + following


@pytest.mark.parametrize("blocks", [1, 2, 24])
def test_flags_among_one_kind(kernel: Any, blocks: int) -> None:
    out = run(kernel, 3, blocks)
    for block in range(blocks):
        line = block * 3
        assert out[line, 0] == 1000 + (block + 1) % blocks * 3
        assert out[line + 1 : line + 3, 0].tolist() == [1000 + line + 2, 1000 + line + 1]


def test_cube_cores_leave_vector_work_out(kernel: Any) -> None:
    out = run(kernel, 4, 3)
    assert (out[0::3] == -1).all()
    for block in range(3):
        for sub in range(2):
            assert (out[block * 3 + 1 + sub] == 7 + block * 2 + sub).all()


def test_system_workspace_is_shared(kernel: Any) -> None:
    out = run(kernel, 16, 4)
    assert out[1::3, 0].tolist() == out[2::3, 0].tolist() == [5, 6, 7, 8]


def aligned_words(count: int) -> np.ndarray:
    memory = np.zeros(count + 128, np.int32)
    skip = -memory.ctypes.data % 512 // 4
    return memory[skip : skip + count]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("blocks", [2, 24])
def test_groups_meet_in_rounds(kernel: Any, blocks: int, threads: int) -> None:
    cores = blocks * 2
    out = lines(blocks * 3, -1)
    with cannery.use(threads=threads, core_order=threads):
        kernel(blocks, out, aligned_words(cores * 128 + 3 * cores * LINE), tiling_key=18)
    vectors = np.stack([out[1::3, 0], out[2::3, 0]], axis=1).reshape(-1)
    length = max(2, cores - 2) * 512
    want = length + sum(10 * round_ + i for round_ in range(3) for i in range(2))
    assert vectors.tolist() == [length] * 2 + [want] * (cores - 2)


def test_group_larger_than_the_launch(kernel: Any) -> None:
    with pytest.raises(cannery.KernelError, match="GroupBarrier of 5 arriving") as caught:
        kernel(2, lines(6, 0), aligned_words(4096), tiling_key=19)
    assert caught.value.code == "T318"


def test_queues_of_the_cube_side(kernel: Any) -> None:
    """Queues work alike on both kinds of core. On cube cores the library uses M_MTE1 flags 0 to
    2."""
    out = run(kernel, 17, 1)
    sizes = [512, 256, 256, 1024]
    end = 524288 - 128
    behind = 2 * 1024  # a TBuf lies behind the queues at the start of L1
    assert out[0, :7].tolist() == [*sizes, end - 2048, 3, behind]
    # Each vector core has its own part of the cube core's L1 for TSCM.
    assert out[1, :7].tolist() == [*sizes, end - 2 * 2048, 0, behind]
    assert out[2, :7].tolist() == [*sizes, end - 2048, 0, behind]


def test_float_sums_between_flags_are_reproducible(kernel: Any) -> None:
    def once(threads: int, order: int) -> bytes:
        out = np.zeros(LINE, np.float32)
        with cannery.use(threads=threads, core_order=order):
            kernel(24, out, np.zeros(LINE, np.int32), tiling_key=5)
        return out.tobytes()

    first = once(1, 0)
    assert np.frombuffer(first, np.float32)[0] > 0
    assert {once(threads, order) for threads in (1, 2) for order in (0, 1, 2)} == {first}


@pytest.mark.parametrize(
    ("key", "code", "text", "statuses"),
    [
        (
            6,
            "T301",
            r"CrossCoreWaitFlag\(5\) at .*mix.cpp:\d+\n"
            r"    needs CrossCoreSetFlag<2, ...>\(5\) on core 2 AIV \(ended\)\n",
            TIMEOUT,
        ),
        (8, "T317", "flag 6 was set 16 times more often", {507015}),
        (12, "T320", "in UB, which a cube core has not", {507015}),
        (14, "T321", "blocks are a vector core alone", {507035}),
    ],
)
def test_faults(kernel: Any, key: int, code: str, text: str, statuses: set[int]) -> None:
    for threads in (1, 2):
        with (
            cannery.use(threads=threads),
            pytest.raises(cannery.KernelError, match=text) as caught,
        ):
            run(kernel, key, 2)
        assert (caught.value.code, caught.value.status in statuses) == (code, True)
    run(kernel, key + 1, 2)


def test_more_blocks_than_cube_cores(kernel: Any) -> None:
    """More blocks than cores may run if they are independent, but must not wait for each other."""
    assert (run(kernel, 1, 60)[1::3, 0] > 0).all()
    with pytest.raises(cannery.KernelError, match="wait for a free place") as caught:
        run(kernel, 2, 25)
    assert caught.value.code == "T301"
    with cannery.use(soc="Ascend910B4"), pytest.raises(cannery.KernelError, match="Ascend910B4"):
        run(kernel, 2, 21)


@pytest.mark.parametrize(
    ("attributes", "body", "kind"),
    [
        ("", "", "KERNEL_TYPE_AIV_ONLY"),
        ("", "SyncAll();", "KERNEL_TYPE_MIX_AIV_1_0"),
        (
            "__mix__(1, 2)",
            "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1); SyncAll<false>();",
            "KERNEL_TYPE_MIX_AIC_1_1",
        ),
        ("__vector__", "", "KERNEL_TYPE_AIV_ONLY"),
        ("__cube__", "", "KERNEL_TYPE_AIC_ONLY"),
        ("__mix__(0, 1)", "", "KERNEL_TYPE_MIX_AIV_1_0"),
        ("__mix__(1, 0)", "", "KERNEL_TYPE_MIX_AIC_1_0"),
        ("__mix__(1, 1)", "", "KERNEL_TYPE_MIX_AIC_1_1"),
        ("__mix__(1, 2)", "SyncAll<false>();", "KERNEL_TYPE_MIX_AIC_1_2"),
    ],
)
def test_kernel_type(
    attributes: str, body: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        f'extern "C" __global__ {attributes or "__aicore__"} void typed(GM_ADDR x) {{ {body} }}\n'
    )
    dump = tmp_path / "dump.txt"
    monkeypatch.setenv("CANNERY_DUMP", str(dump))
    cannery.compile_kernel(source, "typed")(1, np.zeros(1, np.int32))
    assert kind in dump.read_text()
