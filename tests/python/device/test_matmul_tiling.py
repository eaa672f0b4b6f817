# SPDX-License-Identifier: Apache-2.0
"""matmul_tiling must return valid tilings for all shapes, types, formats and core counts."""

from __future__ import annotations

import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .conftest import DEVICE_KERNELS

FIELDS = re.findall(
    r"\w+",
    """
    usedCoreNum M N Ka Kb singleCoreM singleCoreN singleCoreK baseM baseN baseK depthA1 depthB1
    stepM stepN isBias transLength iterateOrder shareMode shareL1Size shareL0CSize shareUbSize
    batchM batchN singleBatchM singleBatchN stepKa stepKb depthAL1CacheUB depthBL1CacheUB dbL0A
    dbL0B dbL0C ALayoutInfoB ALayoutInfoS ALayoutInfoN ALayoutInfoG ALayoutInfoD BLayoutInfoB
    BLayoutInfoS BLayoutInfoN BLayoutInfoG BLayoutInfoD CLayoutInfoB CLayoutInfoS1 CLayoutInfoN
    CLayoutInfoG CLayoutInfoS2 BatchNum mxTypePara
    """,
)
FLOAT, HALF, INT8, INT32, BF16, INT4 = 0, 1, 2, 3, 27, 29
BITS = {FLOAT: 32, HALF: 16, INT8: 8, BF16: 16, INT4: 4}
OUTPUT = {FLOAT: FLOAT, HALF: FLOAT, INT8: INT32, BF16: BF16, INT4: INT32}
ND, NZ = 0, 1
L1, L0A, L0B, L0C, BT = 524032, 65536, 65536, 131072, 1024
FIRST_N = 2
N_BUFFER_33 = 2


class Tiler:
    """Runs the compiled client, which answers each line of text with one line."""

    def __init__(self, program: Path) -> None:
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", str(program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def raw(self, **words: Any) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        texts = [f"{k}={','.join(str(int(x)) for x in v)}" for k, v in words.items()]
        self.process.stdin.write(" ".join(texts) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n")

    def __call__(self, **words: Any) -> dict[str, int] | None:
        """Returns the 50 fields of TCubeTiling and the core counts, or None if no tiling exists."""
        answer = self.raw(**words)
        if answer.startswith("-1 "):
            return None
        code, _, dim, m_dim, n_dim, *values = (int(word) for word in answer.split())
        assert code == 0, "the two forms of GetTiling and the getters agree"
        assert len(values) == len(FIELDS)
        return {**dict(zip(FIELDS, values, strict=True)), "dim": dim, "mDim": m_dim, "nDim": n_dim}

    def why(self, **words: Any) -> str:
        answer = self.raw(**words)
        assert answer.startswith("-1 "), answer
        return answer


@pytest.fixture(scope="module")
def tiler(tmp_path_factory: pytest.TempPathFactory) -> Any:
    module = find_spec("cannery._native")
    assert module is not None
    assert module.origin is not None
    twin = Path(module.origin).parent / "_twin"
    program = tmp_path_factory.mktemp("matmul_tiling") / "host"
    source = DEVICE_KERNELS / "matmul_tiling_host.cpp"
    libraries = [f"-L{twin}/lib", f"-Wl,-rpath,{twin}/lib", "-lnnopbase", "-lascendcl"]
    command = ["g++", "-std=c++11", "-Wall", "-Werror", f"-I{twin}/include"]
    subprocess.run([*command, str(source), "-o", str(program), *libraries], check=True)
    running = Tiler(program)
    yield running
    running.process.terminate()
    running.process.wait()


def ceil(value: int, unit: int) -> int:
    return -(-value // unit)


def up(value: int, unit: int) -> int:
    return ceil(value, unit) * unit


def check(
    t: dict[str, int], dtype: int, trans: tuple[int, int], l1: int = L1, l0c: int = L0C
) -> None:
    """Checks every rule of the TCubeTiling documentation with the hardware's memory sizes."""
    c0 = 256 // BITS[dtype]
    unit_m = max(16, c0) if trans[0] else 16
    unit_n = 16 if trans[1] else max(16, c0)
    unit_k = c0 if trans == (0, 1) else max(16, c0)
    single = [t["singleCoreM"], t["singleCoreN"], t["singleCoreK"]]
    base = [t["baseM"], t["baseN"], t["baseK"]]
    assert base[0] % 16 == 0
    assert base[1] % 16 == 0
    assert base[2] % unit_k == 0
    assert all(0 < b <= 4095 for b in base)
    assert base[0] <= up(single[0], unit_m)
    assert base[1] <= up(single[1], unit_n)
    byte_a = up(base[0], unit_m) * base[2] * BITS[dtype] // 8
    byte_b = up(base[1], unit_n) * base[2] * BITS[dtype] // 8
    assert {t["dbL0A"], t["dbL0B"], t["dbL0C"]} <= {1, 2}
    assert byte_a * t["dbL0A"] <= L0A
    assert byte_b * t["dbL0B"] <= L0B
    assert base[0] * base[1] * 4 * t["dbL0C"] <= l0c
    assert not t["isBias"] or base[1] * 4 <= BT
    bias = base[1] * 4 if t["isBias"] else 0
    assert t["depthA1"] * byte_a + t["depthB1"] * byte_b + bias <= l1 + (bias // 2)
    assert t["shareL1Size"] <= l1
    assert t["shareL0CSize"] == base[0] * base[1] * 4 * t["dbL0C"]
    for step, step_k, depth in (("stepM", "stepKa", "depthA1"), ("stepN", "stepKb", "depthB1")):
        assert t[depth] in (t[step] * t[step_k], 2 * t[step] * t[step_k])
    k_steps = ceil(single[2], base[2])
    assert t["stepKa"] >= k_steps or t["stepM"] == 1
    assert t["stepKb"] >= k_steps or t["stepN"] == 1
    loads = sorted((ceil(k_steps, t["stepKa"]), ceil(k_steps, t["stepKb"])))
    assert loads[1] % loads[0] == 0
    assert t["iterateOrder"] in (0, 1)
    assert t["transLength"] == t["shareUbSize"] == t["shareMode"] == t["mxTypePara"] == 0


operands = {
    "dtype": st.sampled_from(sorted(BITS)),
    "trans": st.tuples(st.integers(0, 1), st.integers(0, 1)),
    "formats": st.tuples(st.sampled_from((ND, NZ)), st.sampled_from((ND, NZ))),
    "shape": st.tuples(*[st.integers(1, 40) | st.integers(1, 20000)] * 3),
    "bias": st.booleans(),
}
relaxed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)


def words(dtype: int, trans: Any, formats: Any, shape: Any, bias: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "a": (formats[0], dtype, trans[0]),
        "b": (formats[1], dtype, trans[1]),
        "c": (ND, OUTPUT[dtype]),
        "shape": shape,
    }
    if bias:
        result["bias"] = (INT32 if dtype in (INT8, INT4) else FLOAT,)
    return result


@relaxed
@given(**operands)
def test_one_core(tiler: Tiler, **case: Any) -> None:
    t = tiler(**words(**case))
    assert t is not None
    check(t, case["dtype"], case["trans"])
    m, n, k = case["shape"]
    assert (t["M"], t["N"], t["Ka"], t["Kb"]) == (m, n, k, k)
    assert (t["singleCoreM"], t["singleCoreN"], t["singleCoreK"]) == (m, n, k)
    assert t["usedCoreNum"] == 1


@relaxed
@given(cores=st.integers(1, 48), split_k=st.booleans(), **operands)
def test_several_cores(tiler: Tiler, cores: int, split_k: bool, **case: Any) -> None:
    extra = {"splitk": (1,)} if split_k else {}
    t = tiler(**words(**case), dim=(cores,), **extra)
    if split_k and case["bias"]:
        assert t is None
        return
    assert t is not None
    check(t, case["dtype"], case["trans"])
    m, n, k = case["shape"]
    dims = (ceil(m, t["singleCoreM"]), ceil(n, t["singleCoreN"]), ceil(k, t["singleCoreK"]))
    assert dims[:2] == (t["mDim"], t["nDim"])
    assert t["usedCoreNum"] == t["dim"] == dims[0] * dims[1] * dims[2] <= cores
    assert split_k or t["singleCoreK"] == k
    # The rows and columns of each core start at a fractal boundary.
    c0 = 256 // BITS[case["dtype"]]
    assert dims[0] == 1 or t["singleCoreM"] % (max(16, c0) if case["trans"][0] else 16) == 0
    assert dims[1] == 1 or t["singleCoreN"] % (16 if case["trans"][1] else max(16, c0)) == 0


@relaxed
@given(
    base=st.tuples(st.integers(1, 20), st.integers(1, 20)),
    space=st.tuples(st.integers(1024, L1), st.integers(1024, L0C)),
    order=st.integers(1, 2),
    double=st.tuples(*[st.booleans()] * 3),
    **operands,
)
def test_wishes(tiler: Tiler, base: Any, space: Any, order: int, double: Any, **case: Any) -> None:
    base_m, base_n = 16 * base[0], 16 * base[1]
    t = tiler(
        **words(**case),
        fix=(base_m, base_n, -1),
        space=(*space, -1, -1),
        traverse=(order,),
        double=double,
    )
    m, n, _ = case["shape"]
    c0 = 256 // BITS[case["dtype"]]
    unit_m = max(16, c0) if case["trans"][0] else 16
    unit_n = 16 if case["trans"][1] else max(16, c0)
    unit_k = c0 if case["trans"] == (0, 1) else max(16, c0)
    smallest = (up(base_m, unit_m) + up(base_n, unit_n)) * unit_k * BITS[case["dtype"]] // 8
    bias_bytes = 4 * base_n if case["bias"] else 0
    possible = (
        base_m <= up(m, unit_m)
        and base_n <= up(n, unit_n)
        and base_m * base_n * 4 <= space[1]
        and smallest + bias_bytes <= space[0]
        and bias_bytes <= BT
    )
    assert (t is not None) == possible
    if t is None:
        return
    check(t, case["dtype"], case["trans"], l1=space[0], l0c=space[1])
    assert (t["baseM"], t["baseN"]) == (base_m, base_n)
    assert t["iterateOrder"] == order - 1
    assert double[0] or t["depthA1"] == t["stepM"] * t["stepKa"]
    assert double[1] or t["depthB1"] == t["stepN"] * t["stepKb"]
    assert double[2] or t["dbL0C"] == 1


PRODUCT = {"a": (ND, HALF, 0), "b": (ND, HALF, 0), "c": (ND, FLOAT)}


def test_large_product_uses_the_chip(tiler: Tiler) -> None:
    """A large product uses all cores, fills L0C and L1, and has double buffers in L0."""
    t = tiler(**PRODUCT, shape=(2048, 2048, 2048), dim=(24,))
    assert t is not None
    assert t["usedCoreNum"] == 24
    assert t["shareL0CSize"] >= 0.9 * L0C
    assert (t["dbL0A"], t["dbL0B"]) == (2, 2)
    assert t["baseN"] * t["baseK"] * 2 * 2 >= L0B // 4
    assert t["shareL1Size"] >= 0.7 * L1
    share = t["singleCoreM"] * t["singleCoreN"]
    assert share * 24 <= 1.15 * 2048 * 2048


def test_recommended_block_for_one_core(tiler: Tiler) -> None:
    t = tiler(**PRODUCT, shape=(1024, 1024, 1024))
    assert t is not None
    assert {t["baseM"], t["baseN"]} == {128, 256}
    assert t["baseK"] == 64


@pytest.mark.parametrize("cores", [2, 4])
def test_equal_splits_go_along_m(tiler: Tiler, cores: int) -> None:
    t = tiler(**PRODUCT, shape=(512, 512, 128), dim=(cores,))
    assert t is not None
    assert t["nDim"] == 1 or cores > 2
    assert t["mDim"] >= t["nDim"]
    assert (t["singleCoreM"], t["singleCoreN"]) == (512 // t["mDim"], 512 // t["nDim"])


@pytest.mark.parametrize(("fix", "split"), [((128, 64, 128), (1, 2)), ((64, 128, 128), (2, 1))])
def test_splits_with_a_fixed_block(tiler: Tiler, fix: Any, split: Any) -> None:
    """With a fixed block, as in the toolkit, fewer blocks of a core count, and then the smaller sum
    of the blocks' sides over the parts of M and N."""
    t = tiler(**PRODUCT, shape=(512, 128, 128), dim=(2,), fix=fix)
    assert t is not None
    assert (t["mDim"], t["nDim"]) == split


@pytest.mark.parametrize("shape", [(256, 512, 192), (2304, 512, 300), (40, 64, 96)])
def test_three_times_three_blocks(tiler: Tiler, shape: tuple[int, int, int]) -> None:
    """With N_BUFFER_33, all of a core's A stays in L1, as at most 3 x 3 base blocks."""
    t = tiler(**PRODUCT, shape=shape, dim=(24,), config=(1, N_BUFFER_33))
    assert t is not None
    check(t, HALF, (0, 0))
    assert shape[0] % t["singleCoreM"] == shape[1] % t["singleCoreN"] == 0
    assert t["stepM"] == ceil(t["singleCoreM"], t["baseM"]) <= 3
    assert t["stepKa"] == t["stepKb"] == ceil(t["singleCoreK"], t["baseK"]) <= 3
    assert t["depthA1"] == t["stepM"] * t["stepKa"]
    assert t["depthB1"] in (t["stepKb"], 2 * t["stepKb"])
    why = tiler.why(**PRODUCT, shape=(48, 64, 49152), config=(1, N_BUFFER_33))
    assert "no base block fits into L0A" in why


def test_parts_of_k_are_equal(tiler: Tiler) -> None:
    t = tiler(**PRODUCT, shape=(16, 16, 1024), dim=(24,), splitk=(1,))
    assert t is not None
    assert t["singleCoreK"] < 1024
    assert 1024 % t["singleCoreK"] == 0


def test_sparse_steps_are_whole_fractals_of_kept_values(tiler: Tiler) -> None:
    product = {"a": (ND, INT8, 0), "b": (ND, INT8, 1), "c": (ND, INT32)}
    dense = tiler(**product, shape=(64, 64, 96))
    sparse = tiler(**product, shape=(64, 64, 96), sparse=(1,))
    assert dense is not None
    assert sparse is not None
    assert dense["baseK"] == 96
    assert sparse["baseK"] % 64 == 0


def test_hand_examples(tiler: Tiler) -> None:
    t = tiler(**PRODUCT, shape=(17, 128, 7168), org=(17, 4096, 8192, 7168), fix=(16, 128, 128))
    assert t is not None
    assert (t["M"], t["N"], t["Ka"], t["Kb"]) == (17, 4096, 8192, 7168)
    assert (t["singleCoreM"], t["singleCoreN"], t["singleCoreK"]) == (17, 128, 7168)
    assert (t["baseM"], t["baseN"], t["baseK"]) == (16, 128, 128)
    t = tiler(**PRODUCT, shape=(-1, -1, 100), org=(64, 48, 128, 128), dim=(1,))
    assert t is not None
    assert (t["singleCoreM"], t["singleCoreN"], t["singleCoreK"], t["Ka"]) == (64, 48, 100, 128)
    t = tiler(**PRODUCT, shape=(640, 640, 64), dim=(20,), single=(160, 320, -1))
    assert t is not None
    assert (t["mDim"], t["nDim"], t["usedCoreNum"]) == (4, 2, 8)
    t = tiler(**PRODUCT, shape=(640, 640, 64), dim=(4,), single=(64, 64, -1))
    assert t is not None  # each of the 4 cores computes several of the 100 parts
    assert (t["mDim"], t["nDim"], t["usedCoreNum"]) == (10, 10, 4)
    t = tiler(**PRODUCT, shape=(1000, 1000, 64), dim=(20,), align=(192, -1, -1))
    assert t is not None
    assert t["singleCoreM"] == 1000 or t["singleCoreM"] % 192 == 0
    t = tiler(
        **PRODUCT, shape=(1024, 1024, 64), dim=(20,), singlerange=(256, 512, -1, 128, 128, -1)
    )
    assert t is not None
    assert 128 <= t["singleCoreM"] <= 256
    assert 128 <= t["singleCoreN"] <= 512
    t = tiler(**PRODUCT, shape=(512, 512, 512), range=(64, 64, 64, -1, -1, -1))
    assert t is not None
    assert max(t["baseM"], t["baseN"], t["baseK"]) <= 64


REFUSED = [
    ("one data type", {"b": (ND, INT8, 0)}),
    ("C cannot have this type", {"c": (ND, INT32)}),
    ("bias", {"bias": (INT32,)}),
    ("neither SetShape", {"shape": (-1, -1, -1)}),
    ("SetDim", {"dim": (0,)}),
    ("SetShape", {"shape": (0, 16, 16)}),
    (
        "no split within",
        {"shape": (640, 640, 64), "dim": (4,), "singlerange": (64, 64) + (-1,) * 4},
    ),
    ("multiple of 16", {"fix": (17, 16, -1)}),
    ("not exceed the core's M", {"fix": (80, 16, -1)}),
    ("larger than the chip", {"space": (1 << 20, -1, -1, -1)}),
    ("no base block fits", {"space": (512, -1, -1, -1)}),
]


@pytest.mark.parametrize(("sentence", "wish"), REFUSED)
def test_refused(tiler: Tiler, sentence: str, wish: dict[str, Any]) -> None:
    assert sentence in tiler.why(**{**PRODUCT, "shape": (64, 64, 64), **wish})
