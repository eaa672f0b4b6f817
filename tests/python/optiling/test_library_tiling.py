# SPDX-License-Identifier: Apache-2.0
"""cannery.matmul_tiling and cannery.advanced_tiling must return structures that kernels accept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import advanced_tiling
from cannery.errors import CanneryError

pytestmark = pytest.mark.twin_only("tiling without a call is the twin's")

SQUARE = Path(__file__).parents[3] / "benchmarks/matmul_square.cpp"
SOFTMAX = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void rows(GM_ADDR x, GM_ADDR y, SoftMaxTiling tiling,
                                           uint32_t scratch) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const uint32_t m = tiling.srcM, k = tiling.srcK;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    TBuf<TPosition::VECCALC> sums, maxima, work;
    pipe.InitBuffer(in, 1, m * k * sizeof(float));
    pipe.InitBuffer(out, 1, m * k * sizeof(float));
    pipe.InitBuffer(sums, m * 32);
    pipe.InitBuffer(maxima, m * 32);
    pipe.InitBuffer(work, scratch);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x, m * k);
    to.SetGlobalBuffer((__gm__ float*)y, m * k);
    LocalTensor<float> source = in.AllocTensor<float>();
    DataCopy(source, from, m * k);
    in.EnQue(source);
    source = in.DeQue<float>();
    LocalTensor<float> result = out.AllocTensor<float>();
    SoftMax<float>(result, sums.Get<float>(), maxima.Get<float>(), source, work.Get<uint8_t>(),
                   tiling, {m, k, m, k});
    out.EnQue(result);
    DataCopy(to, out.DeQue<float>(), m * k);
    out.FreeTensor(result);
    in.FreeTensor(source);
}
"""


@pytest.mark.slow
def test_a_product_on_several_cores() -> None:
    m, n, k = 320, 208, 96
    tiling = cannery.matmul_tiling(m, n, k, cores=6)
    assert tiling.shape == ()
    assert tiling.dtype.itemsize == 200
    assert [int(tiling[name]) for name in ("M", "N", "Ka", "Kb")] == [m, n, k, k]
    assert 1 < tiling["usedCoreNum"] <= 6
    random = np.random.default_rng(3)
    a = random.integers(-3, 4, (m, k)).astype(np.float16)
    b = random.integers(-3, 4, (k, n)).astype(np.float16)
    c = np.zeros((m, n), np.float32)
    kernel = cannery.compile_kernel(SQUARE, "matmul_square")
    kernel(int(tiling["usedCoreNum"]), a, b, c, tiling=tiling)
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b.astype(np.float32))


def test_wishes_for_a_product() -> None:
    one = cannery.matmul_tiling(256, 256, 512, fix_split=(64, 128, -1), bias="float32")
    assert (one["usedCoreNum"], one["baseM"], one["baseN"], one["isBias"]) == (1, 64, 128, 1)
    whole = cannery.matmul_tiling(64, 64, 64, org_shape=(640, 512, 256), transpose_b=True)
    assert (whole["M"], whole["N"], whole["Ka"]) == (640, 512, 256)
    assert whole["singleCoreM"] == 64
    shared = cannery.matmul_tiling(512, 512, 64, cores=8, single_shape=(128, 256, 64))
    assert (shared["singleCoreM"], shared["singleCoreN"]) == (128, 256)
    split = cannery.matmul_tiling(32, 32, 8192, cores=8, split_k=True)
    assert split["singleCoreK"] < 8192
    narrow = cannery.matmul_tiling(512, 512, 512, buffer_space=(65536, -1, -1, -1))
    bytes_in_l1 = 2 * int(
        narrow["depthA1"] * narrow["baseM"] * narrow["baseK"]
        + narrow["depthB1"] * narrow["baseN"] * narrow["baseK"]
    )
    assert bytes_in_l1 <= 65536
    ints = cannery.matmul_tiling(64, 64, 64, a="int8", b=("GM", "NZ", "int8"), c="int32")
    assert ints["baseK"] % 32 == 0
    single = cannery.matmul_tiling(512, 512, 512, double_buffer=(False, False, True))
    assert single["depthA1"] == single["stepM"] * single["stepKa"]


@pytest.mark.parametrize(
    ("named", "error", "message"),
    [
        ({"m": 0}, CanneryError, "m 0, n 64, k 64 on Ascend910B2: .*positive"),
        ({"fix_split": (4096, 64, 64)}, CanneryError, "baseM"),
        ({"fix_split": (64, 64)}, ValueError, "fix_split: expected 3 numbers"),
        ({"fix_split": (1.5, 64, 64)}, TypeError, "fix_split: expected whole numbers"),
        ({"k": 2**31}, ValueError, "m, n, k: expected numbers of 32 bits"),
        ({"a": ("L1", "ND", "float16")}, ValueError, "a: expected a dtype, or"),
        ({"b": "float17"}, TypeError, "b: expected a dtype"),
        ({"traverse": "m"}, ValueError, "traverse: expected first_m or first_n"),
        ({"single_shape": (16, 16, 16)}, ValueError, "of several cores"),
        ({"soc": "A2"}, ValueError, "soc: expected one of"),
    ],
)
def test_products_without_a_tiling(
    named: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        cannery.matmul_tiling(**{"m": 64, "n": 64, "k": 64, **named})


def test_softmax_by_value() -> None:
    least, most = advanced_tiling.scratch("softmax", (16, 64), "float32")
    x = np.random.default_rng(1).standard_normal((16, 64), np.float32)
    want = np.exp(x - x.max(1, keepdims=True))
    want /= want.sum(1, keepdims=True)
    kernel = cannery.compile_kernel(SOFTMAX, "rows")
    cut = set()
    for bytes_ in (most, 8 * least):
        tiling = advanced_tiling.softmax(x.shape, x.dtype, buffer_bytes=bytes_)
        cut.add(int(tiling["rangeM"]))
        y = np.zeros_like(x)
        kernel(1, x, y, tiling, bytes_)
        np.testing.assert_allclose(y, want, rtol=1e-5)
    assert len(cut) == 2


def test_a_function_that_is_none() -> None:
    with pytest.raises(CanneryError, match=r"no function 'softmaxx'; expected one of .*softmax, "):
        advanced_tiling.scratch("softmaxx", (8, 64), "float32")


def test_every_tiling_of_the_library() -> None:
    made = {
        "log_softmax": advanced_tiling.log_softmax((8, 64), "float32")["srcK"] == 64,
        "softmax_flash": advanced_tiling.softmax_flash((8, 64), "float16", update=True)["srcM"]
        == 8,
        "softmax_flash_v2": advanced_tiling.softmax_flash_v2((8, 64), "float16")["splitK"] == 64,
        "softmax_grad": advanced_tiling.softmax_grad((8, 64), "float16", front=True)["srcM"] == 8,
        "layer_norm": advanced_tiling.layer_norm((2, 4, 64, 60), "float32")["hLength"] == 64,
        "layer_norm_separate": advanced_tiling.layer_norm_separate((8, 64), "float32")["rLength"]
        == 64,
        "layer_norm_grad": advanced_tiling.layer_norm_grad((2, 4, 64, 64), "float32")["sLength"]
        == 4,
        "layer_norm_grad_beta": advanced_tiling.layer_norm_grad_beta((2, 4, 64, 64), "float16")[
            "bLength"
        ]
        == 2,
        "rms_norm": advanced_tiling.rms_norm((2, 4, 64), "float32", origin=(2, 4, 60))[
            "originalHLength"
        ]
        == 60,
        "batch_norm": advanced_tiling.batch_norm((8, 2, 64), "float32")["originalBLength"] == 8,
        "deep_norm": advanced_tiling.deep_norm((2, 4, 64, 64), "float32")["bLength"] == 2,
        "group_norm": advanced_tiling.group_norm((2, 16, 8, 8), "float32", 4)["d"] == 4,
        "topk": advanced_tiling.topk(64, 2, 8, "float32")["innerDataSize"] == 128,
        "confusion_transpose": advanced_tiling.confusion_transpose((1, 2, 32, 64), "float16", 1)[
            "param0"
        ]
        == 16,
        "pad": advanced_tiling.pad((8, 64), "float16", (8, 60))["srcOriWidth"] == 60,
        "unpad": advanced_tiling.unpad((8, 64), "float16")["srcHeight"] == 8,
    }
    missing = set(advanced_tiling.__all__) - {*made, "softmax", "scratch"}
    assert not missing
    assert all(made.values()), made


def test_what_finds_no_tiling() -> None:
    with pytest.raises(CanneryError, match=r"with 8 bytes of scratch: .*least useful scratch"):
        advanced_tiling.softmax((64, 512), "float32", buffer_bytes=8)
    with pytest.raises(CanneryError, match="no function 'nothing'; expected one of"):
        advanced_tiling.scratch("nothing", (8,), "float32")
    with pytest.raises(TypeError, match="shape: expected whole numbers"):
        advanced_tiling.softmax((64, 1.5), "float32")  # type: ignore[arg-type]
    assert advanced_tiling.scratch("sin", (8, 64), "float32") < (1 << 30, 1 << 30)
    assert advanced_tiling.scratch("broad_cast", (8, 1), "float16", target=(8, 64))[0] > 0
