# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery.profile`: the `with` block, the launches in the block, and the written files."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery.profiling.block import MODEL

pytestmark = pytest.mark.twin_only("a card is measured, not modelled")

TILE = 2048
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {
    constexpr uint32_t kTile = 2048;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, kTile * sizeof(float));
    pipe.InitBuffer(out, 1, kTile * sizeof(float));
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)y);
    for (uint32_t i = GetBlockIdx(); i < 16; i += GetBlockNum()) {
        LocalTensor<float> a = in.AllocTensor<float>();
        DataCopy(a, from[i * kTile], kTile);  // load
        in.EnQue(a);
        a = in.DeQue<float>();
        LocalTensor<float> b = out.AllocTensor<float>();
        Add(b, a, a, kTile);  // add
        out.EnQue(b);
        in.FreeTensor(a);
        b = out.DeQue<float>();
        DataCopy(to[i * kTile], b, kTile);  // store
        out.FreeTensor(b);
    }
}
"""


def line_of(mark: str) -> int:
    (line,) = [i for i, text in enumerate(SOURCE.splitlines(), 1) if text.endswith(f"// {mark}")]
    return line


@pytest.fixture(scope="module")
def kernel(shared_cache: Path) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):
        return cannery.compile_kernel(SOURCE, "twice")


def call(kernel: cannery.Kernel, blocks: int = 4) -> None:
    x = np.arange(16 * TILE, dtype=np.float32)
    y = np.zeros_like(x)
    kernel(blocks, x, y)
    np.testing.assert_array_equal(y, 2 * x)


def test_launch(kernel: cannery.Kernel) -> None:
    with cannery.profile() as p:
        call(kernel)
    (launch,) = p.launches
    assert (launch.kernel, launch.block_dim, launch.soc) == ("twice", 4, "Ascend910B2")
    assert 0 < launch.core_us < launch.task_us < 30
    assert list(launch.busy_us) == ["AIV"]  # a kind of core that did not run is left out
    busy = launch.busy_us["AIV"]
    assert list(busy) == ["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"]
    # Each core runs `Add` 4 times, with 32 repeats each. Both sources are one tensor, so every
    # repeat has a conflict.
    assert busy["V"] == pytest.approx(4 * (22 + 2 * 32) / 1800)
    assert launch.bank_conflicts == 16 * 32
    assert busy["MTE2"] > 0
    assert busy["MTE3"] > 0
    assert busy["M"] == 0
    assert launch.hbm_bytes == 16 * TILE * 4  # stores stay in the L2 cache
    assert launch.gm_bytes == 2 * 16 * TILE * 4
    assert launch.l2_hit_rate == 0
    assert launch.estimated == ()
    assert 0 < launch.roofline.ideal_us < launch.task_us
    assert launch.roofline.ratio == pytest.approx(launch.task_us / launch.roofline.ideal_us)
    assert launch.bound.share >= launch.bound.second_share


def test_instructions(kernel: cannery.Kernel) -> None:
    with cannery.profile() as p:
        call(kernel)
    (launch,) = p.launches
    adds = [each for each in launch.instructions if each.opcode == "Add"]
    assert len(adds) == 16
    assert {each.core for each in adds} == {"0 AIV", "1 AIV", "2 AIV", "3 AIV"}
    assert {each.line for each in adds} == {line_of("add")}
    assert {each.cycles for each in adds} == {86.0}
    # Each Add waits for its input, or for the store that frees the buffer of its output.
    assert {each.waits_for for each in adds} == {"MTE2_V", "MTE3_V"}
    loads = [each for each in launch.instructions if each.line == line_of("load")]
    assert {(each.pipe, each.opcode) for each in loads} == {("MTE2", "DataCopy")}
    ends = {}
    for each in launch.instructions:
        if each.pipe == "V" and each.opcode == "Add":
            assert each.start_us >= ends.get(each.core, 0.0)
            ends[each.core] = each.start_us + each.us
    assert launch.instructions[:2][1] == launch.instructions[1]


def test_lines(kernel: cannery.Kernel) -> None:
    with cannery.profile() as p:
        call(kernel)
    (launch,) = p.launches
    assert sum(line.share for line in launch.lines) == pytest.approx(1)
    assert launch.lines[0].line == line_of("load")
    (add,) = [line for line in launch.lines if "Add" in line.opcodes]
    assert add.line == line_of("add")
    assert add.conflicts == launch.bank_conflicts


def test_warm_cache_is_faster(kernel: cannery.Kernel) -> None:
    with cannery.profile() as cold:
        call(kernel)
    with cannery.profile(warm=True) as warm:
        call(kernel)
    assert warm.launches[0].l2_hit_rate == 1
    assert warm.launches[0].hbm_bytes == 0
    assert warm.launches[0].task_us < cold.launches[0].task_us


@pytest.mark.parametrize("settings", [{"threads": 1}, {"threads": 2}, {"core_order": 7}])
def test_same_figures_always(kernel: cannery.Kernel, settings: dict[str, int]) -> None:
    with cannery.profile() as p:
        call(kernel, 8)
        with cannery.use(**settings):
            call(kernel, 8)
    first, second = p.launches
    assert first.header == second.header
    np.testing.assert_array_equal(first.instructions.rows, second.instructions.rows)


def test_operators_and_kernels(kernel: cannery.Kernel) -> None:
    x = np.ones((4, 64), np.float16)
    with cannery.profile() as p:
        cannery.swi_glu_grad(np.ones((4, 32), np.float16), x)
        call(kernel)
    assert [launch.kernel for launch in p.launches] == ["swi_glu_grad", "twice"]


def test_more_blocks_than_cores(kernel: cannery.Kernel) -> None:
    with cannery.profile() as p:
        call(kernel, 16)
        call(kernel, 128)
    assert len(p.launches[1].cores) == 128
    # The first 48 blocks start at once; the others wait for a free core.
    assert sorted(core["start"] for core in p.launches[1].cores)[48] > 0
    assert p.launches[1].task_us > p.launches[0].task_us


def test_empty_block() -> None:
    with pytest.raises(cannery.CanneryError, match="nothing was launched"), cannery.profile():
        pass


def test_error_in_block_is_kept() -> None:
    with pytest.raises(ZeroDivisionError), cannery.profile():
        raise ZeroDivisionError


def test_blocks_nest(kernel: cannery.Kernel) -> None:
    with cannery.profile() as outer:
        call(kernel, 1)
        with cannery.profile() as inner:
            call(kernel, 2)
        call(kernel, 3)
    assert [launch.block_dim for launch in inner.launches] == [2]
    assert [launch.block_dim for launch in outer.launches] == [1, 2, 3]


def test_block_belongs_to_its_thread(kernel: cannery.Kernel) -> None:
    other = threading.Thread(target=call, args=(kernel, 2))
    with cannery.profile() as p:
        other.start()
        other.join()
        call(kernel, 1)
    assert [launch.block_dim for launch in p.launches] == [1]


def test_block_runs_once(kernel: cannery.Kernel) -> None:
    with cannery.profile() as p:
        call(kernel)
    with pytest.raises(RuntimeError, match="make another"), p:
        pass


def test_failed_launch_is_no_measure(kernel: cannery.Kernel) -> None:
    short = np.zeros(8, np.float32)
    with cannery.profile() as p:
        with pytest.raises(cannery.KernelError, match="T101"):
            kernel(1, short, short)
        call(kernel)
    assert len(p.launches) == 1


def test_saved_and_loaded(kernel: cannery.Kernel, tmp_path: Path) -> None:
    file = tmp_path / "one.profile"
    with cannery.profile() as p:
        call(kernel)
    p.save(file)
    (again,) = cannery.load_profile(file).launches
    assert again.task_us == p.launches[0].task_us
    np.testing.assert_array_equal(again.instructions.rows, p.launches[0].instructions.rows)
    now, other = (b'"cannery_profile": %d' % version for version in (MODEL, 0))
    file.write_bytes(file.read_bytes().replace(now, other, 1))
    with pytest.raises(cannery.CanneryError, match="version 0 of the model"):
        cannery.load_profile(file)
    for text in ("no profile\n", "[" * 100000 + "\n"):
        file.write_text(text)
        with pytest.raises(cannery.CanneryError, match="is no profile"):
            cannery.load_profile(file)
    with pytest.raises(cannery.CanneryError, match=r"^/.*/missing: cannot be read"):
        cannery.load_profile(tmp_path / "missing")


def test_results_are_the_same(kernel: cannery.Kernel) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal(16 * TILE).astype(np.float32)
    plain, timed = np.zeros_like(x), np.zeros_like(x)
    kernel(4, x, plain)
    with cannery.profile():
        kernel(4, x, timed)
    np.testing.assert_array_equal(plain.view(np.uint32), timed.view(np.uint32))


BEHIND_A_WAIT = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void relay(GM_ADDR x) {
    LocalTensor<float> a(TPosition::VECCALC, 0, 8192);
    GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)x);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(a, from, 8192);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
}
"""


def test_a_flag_behind_a_wait_is_set_after_it(shared_cache: Path) -> None:
    """A pipe runs in order, even if it only waits for one flag and sets another."""
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(BEHIND_A_WAIT, "relay")
    with cannery.profile() as p:
        kernel(1, np.zeros(8192, np.float32))
    flags = [each for each in p.launches[0].instructions if each.opcode.endswith("Flag")]
    waited, handed_on = flags[3], flags[4]
    assert (waited.waits_for, waited.pipe, handed_on.pipe) == ("MTE2_V", "V", "V")
    assert handed_on.start_us >= waited.start_us + waited.us - 1e-9  # one sum may be rounded


def test_hazards_are_checked_all_the_same(shared_cache: Path) -> None:
    racy = SOURCE.replace("b = out.DeQue<float>();", "").replace("out.EnQue(b);", "")
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(racy, "twice")
    with cannery.profile() as p:
        with cannery.use(hazards="explicit"), pytest.raises(cannery.HazardError):
            call(kernel)
        with cannery.use(hazards="off"):
            kernel(4, np.zeros(16 * TILE, np.float32), np.zeros(16 * TILE, np.float32))
    assert len(p.launches) == 1  # only the launch that had no error


def test_figures_do_not_depend_on_the_check(kernel: cannery.Kernel) -> None:
    with cannery.profile() as p:
        call(kernel)
        for level in ("off", "explicit"):
            with cannery.use(hazards=level):
                call(kernel)
    first, off, explicit = p.launches
    assert off.header == first.header
    assert explicit.header == first.header
