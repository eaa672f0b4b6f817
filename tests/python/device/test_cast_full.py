# SPDX-License-Identifier: Apache-2.0
"""Tests conversions that test_vec_cast lacks: 4-, 8- and 64-bit integers, casts with a scale,
CastDeq, saturation modes, and scalar conversions."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import cannery

from .arithmetic_model import OPS, TYPES, Array, ExtCase, ExtMachine, read_nibbles
from .conftest import Compile
from .test_vec_cast import interesting
from .vector_machine import place, span
from .vector_model import DTYPES, MODES
from .vector_shapes import shapes

DIRECTED = ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC")
#: Rounding modes for each (dst, src), as listed for A2/A3 in the documentation of Cast.
PAIRS: dict[tuple[str, str], tuple[str, ...]] = {
    ("half", "int4b_t"): ("NONE",),
    ("half", "int8_t"): ("NONE",),
    ("half", "uint8_t"): ("NONE",),
    ("half", "int16_t"): ("NONE", *DIRECTED),
    ("int4b_t", "half"): ("NONE", *DIRECTED),
    ("int8_t", "half"): ("NONE", *DIRECTED),
    ("uint8_t", "half"): ("NONE", *DIRECTED),
    ("int16_t", "int32_t"): ("NONE",),
    ("int64_t", "int32_t"): ("NONE",),
    ("int32_t", "int64_t"): ("NONE",),
    ("float", "int64_t"): DIRECTED,
    ("int64_t", "float"): DIRECTED,
}
ROWS = [(dst, src, mode) for (dst, src), modes in PAIRS.items() for mode in modes]


@pytest.fixture(scope="session")
def ext(compile_device: Compile) -> ExtMachine:
    return ExtMachine(compile_device("arithmetic_ext", {f"OP_{op}": i for i, op in enumerate(OPS)}))


def inputs(src: str, dst: str, rng: np.random.Generator) -> Array:
    """Returns the inputs of test_vec_cast for types in DTYPES, or else integers of any size."""
    if src in DTYPES:
        return interesting(src, dst, rng)
    kind = TYPES[src]
    if kind.itemsize == 1:
        return np.tile(np.arange(256, dtype=np.uint8), 3).view(kind)
    shifted = rng.integers(-(2**63), 2**63, 4000) >> rng.integers(0, 64, 4000)
    ties = [(2**24 + odd) << up for odd in (1, 2, 3) for up in range(1, 38)]
    near = [2**power + d for power in range(63) for d in (-1, 0, 1)]
    exact = np.array([v for n in ties + near for v in (n, -n)] + [2**63 - 1, -(2**63)], np.int64)
    return np.concatenate([shifted, exact])


def operands(case: ExtCase, numbers: Array) -> list[Array]:
    """Returns dst and src as bytes; an int4b_t element takes half a byte."""
    sizes = [len(numbers) // 2 if t == "int4b_t" else 0 for t in (case.dtype, case.src_name)]
    dst = np.zeros(sizes[0] or len(numbers) * case.dst_type.itemsize, np.uint8)
    return [dst, numbers.view(np.uint8)[: sizes[1] or None]]


@pytest.mark.parametrize(("dst", "src", "mode"), ROWS)
def test_values(ext: ExtMachine, rng: np.random.Generator, dst: str, src: str, mode: str) -> None:
    for part in np.array_split(inputs(src, dst, rng), 9):
        numbers = np.ascontiguousarray(part[: len(part) // 2 * 2])
        case = ExtCase("Cast", dst, src, count=len(numbers), mode=mode)
        image, case = place(case, operands(case, numbers), rng)
        ext.compare(image, case)


@pytest.mark.parametrize(("dst", "src"), list(PAIRS))
def test_forms(ext: ExtMachine, rng: np.random.Generator, dst: str, src: str) -> None:
    widest = max(TYPES[dst].itemsize, TYPES[src].itemsize)
    quarter = "int4b_t" in (dst, src)
    for shape in shapes(min(widest, 4)).values():
        case = ExtCase("Cast", dst, src, mode=PAIRS[dst, src][-1], **shape)
        case = replace(case, repeats=min(case.repeats, 100))
        if widest == 8 and case.form != "count" and not case.counter:
            case = replace(case, low=case.low % 2**32 if "bits" in case.form else case.low % 33)
        if quarter:
            even = case.low & 0x5555_5555_5555_5555, case.high & 0x5555_5555_5555_5555
            by_bits = case.form in ("mask_bits", "register") and not case.counter
            low, high = [e * 3 for e in even] if by_bits else (case.low // 2 * 2, case.high)
            case = replace(case, low=low, high=high, count=case.count // 2 * 2)
        sizes = [span(case, i) * (case.dst_type, case.src_type)[i].itemsize for i in (0, 1)]
        blocks = [rng.integers(0, 256, size, dtype=np.uint8) for size in sizes]
        image, case = place(case, blocks, rng)
        ext.compare(image, case)


@pytest.mark.parametrize(("dst", "src"), list(PAIRS))
def test_other_modes_are_refused(ext: ExtMachine, dst: str, src: str) -> None:
    for mode, setting in itertools.product(
        sorted(set(MODES) - set(PAIRS[dst, src])), ("strict", "hardware")
    ):
        case = ExtCase("Cast", dst, src, count=8, mode=mode, src0=64)
        with cannery.use(mode=setting), pytest.raises(cannery.KernelError) as caught:
            ext.run(np.zeros(1024, np.uint8), case)
        assert caught.value.code == "T406"
        assert f"CAST_{mode}" in str(caught.value)


def test_int4_comes_in_pairs(ext: ExtMachine) -> None:
    odd = [
        ExtCase("Cast", "int4b_t", "half", count=63),
        ExtCase("Cast", "half", "int4b_t", form="mask_count", low=3),
        ExtCase("Cast", "half", "int4b_t", form="mask_bits", low=0b0110),
        ExtCase("Cast", "int4b_t", "half", form="register", low=3, high=2),
        ExtCase("Cast", "int4b_t", "half", form="register", counter=True, low=101),
    ]
    for case, setting in itertools.product(odd, ("strict", "hardware")):
        with cannery.use(mode=setting), pytest.raises(cannery.KernelError) as caught:
            ext.run(np.zeros(1024, np.uint8), replace(case, src0=512))
        assert caught.value.code == "T414"


@pytest.mark.parametrize("scale", [1.0, 0.1, 2.0**-24, 65504.0, -3.5])
def test_int32_to_half_is_scaled(ext: ExtMachine, rng: np.random.Generator, scale: float) -> None:
    numbers = np.concatenate([rng.integers(-70000, 70000, 800), inputs("int32_t", "half", rng)])
    for mode in MODES:  # every rounding mode gives the same result
        part = np.ascontiguousarray(rng.choice(numbers, 1500).astype(np.int32))
        case = ExtCase("Cast", "half", "int32_t", count=1500, mode=mode, deq=(1, scale, 0))
        image, case = place(case, operands(case, part), rng)
        ext.compare(image, case)
        ext.compare(image, replace(case, saturation=1))


def test_int32_to_half_needs_a_scale(ext: ExtMachine) -> None:
    case = ExtCase("Cast", "half", "int32_t", count=8, src0=64)
    for wrong in (case, replace(case, deq=(2, 1.0, 0))):
        with pytest.raises(cannery.KernelError) as caught:
            ext.run(np.zeros(1024, np.uint8), wrong)
        assert caught.value.code == "T410"
        assert "SetDeqScale((half)1.0)" in str(caught.value)


@pytest.mark.parametrize("dst", ["int8_t", "uint8_t"])
@pytest.mark.parametrize("kind", [2, 3])
@pytest.mark.parametrize("half_block", [0, 1])
def test_cast_deq(
    ext: ExtMachine, rng: np.random.Generator, dst: str, kind: int, half_block: int
) -> None:
    for shape in shapes(2).values():
        case = ExtCase("CastDeq", dst, "int16_t", flag=half_block, **shape)
        case = replace(
            case,
            repeats=min(case.repeats, 60),
            count=min(case.count, 3000),
            deq=(kind, float(rng.choice([1.0, 0.013, -0.5, 1.0009765625])), -9),
        )
        reach = max(1, case.repeats, case.count // 128 + 1, 8) * 32 * 17
        blocks = [rng.integers(0, 256, reach, dtype=np.uint8) for _ in range(2)]
        if max(case.blk) > 3:  # the shape "far" needs more bytes
            blocks = [rng.integers(0, 256, 20000, dtype=np.uint8) for _ in range(2)]
        blocks[1].view(np.int16)[::2] //= 100
        image, case = place(case, [*blocks, np.zeros(128, np.uint8)], rng)
        ext.compare(image, replace(case, deq_place=case.src1))


def test_cast_deq_errors(ext: ExtMachine) -> None:
    case = ExtCase("CastDeq", "int8_t", "int16_t", count=64, src0=1024)
    for deq in ((0, 0.0, 0), (1, 1.0, 0)):
        with pytest.raises(cannery.KernelError) as caught:
            ext.run(np.zeros(4096, np.uint8), replace(case, deq=deq))
        assert caught.value.code == "T410"


@pytest.mark.parametrize(
    ("dst", "src"),
    [
        *(("half", "float"), ("bfloat16_t", "float"), ("half", "int16_t")),
        *(("int8_t", "half"), ("uint8_t", "half"), ("int16_t", "half"), ("int4b_t", "half")),
        *(("int32_t", "half"), ("int16_t", "float"), ("int32_t", "float"), ("int64_t", "float")),
        *(("int16_t", "int32_t"), ("int32_t", "int64_t")),
    ],
)
def test_saturation_switches(ext: ExtMachine, rng: np.random.Generator, dst: str, src: str) -> None:
    """SaturationMode::FLOAT replaces infinities and NaN in half and bfloat16. With
    SaturationMode::CAST off, too large numbers become the low bits of their integers."""
    numbers = inputs(src, dst, rng)
    if numbers.dtype.kind == "f":  # no page says which integer an infinity becomes
        numbers = numbers[np.isfinite(numbers) if dst not in ("half", "bfloat16_t") else ...]
    numbers = np.ascontiguousarray(rng.permutation(numbers)[:4000])
    mode = "NONE" if src in ("int32_t", "int64_t") else "FLOOR"
    for saturation in (1, 2, 3):
        case = ExtCase("Cast", dst, src, count=4000, mode=mode, saturation=saturation)
        case = replace(case, count=len(numbers))
        image, case = place(case, operands(case, numbers), rng)
        ext.compare(image, case)


SCALARS = """
#include "kernel_operator.h"
using namespace AscendC;
static_assert(std::is_same<__bf16, bfloat16_t>::value && GetVecLen() == 0);
static_assert(static_cast<int>(PaddingMode::Compact) == 1);
constexpr half kThird = 1.0 / 3;
constexpr bfloat16_t kHuge = 3.2e38f;
static_assert(kThird.Bits() == 0x3555 && half(65520).Bits() == 0x7C00 && half(6e-8f).Bits() == 1);
static_assert(kThird + kThird == half(2.0f / 3) && float(-kThird) < 0 && float(kHuge) > 3e38f);
extern "C" __global__ __aicore__ void scalars(GM_ADDR in, GM_ADDR bits, GM_ADDR out) {
    auto x = (__gm__ float*)in;
    auto b = (__gm__ uint64_t*)bits;
    auto y = (__gm__ int64_t*)out;
    for (int i = 0; i < 64; i++, y += 20) {
        half h = ScalarCast<float, half, RoundMode::CAST_ODD>(x[i]);
        y[0] = *reinterpret_cast<uint16_t*>(&h);
        y[1] = ScalarCast<float, int32_t, RoundMode::CAST_RINT>(x[i]);
        y[2] = Cast<float, int32_t, RoundMode::CAST_FLOOR>(x[i]);
        y[3] = Cast<float, int32_t, RoundMode::CAST_CEIL>(x[i]);
        y[4] = Cast<float, int32_t, RoundMode::CAST_ROUND>(x[i]);
        y[5] = ScalarGetCountOfValue<1>(b[i]);
        y[6] = GetBitCount<0>(b[i]);
        y[7] = ScalarCountLeadingZero(b[i]);
        y[8] = CountBitsCntSameAsSignBit(static_cast<int64_t>(b[i]));
        y[9] = ScalarGetSFFValue<1>(b[i]);
        y[10] = GetSFFValue<0>(b[i]);
        SetCtrlSpr<48, 48>(i & 1);
        y[11] = GetCtrlSpr<48, 48>() * 2 + GetSaturationFlag<SaturationMode::FLOAT>();
        y[12] = bcnt1(b[i]);
        y[13] = bcnt0(b[i]);
        y[14] = clz(b[i]);
        y[15] = sflbits(static_cast<int64_t>(b[i]));
        y[16] = sff1(b[i]);
        y[17] = sff0(b[i]);
        y[18] = static_cast<int64_t>(sbitset0(b[i], i));
        y[19] = static_cast<int64_t>(sbitset1(b[i], i));
    }
}
"""


def _scalar_row(x: float, bits: int) -> list[int]:
    digits = f"{bits:064b}"
    same = len(digits) - len(digits[1:].lstrip(digits[0])) - 1
    saturated = np.clip([np.rint(x), np.floor(x), np.ceil(x), np.trunc(x + np.copysign(0.5, x))],
                        -(2**31), 2**31 - 1)  # fmt: skip
    return [
        *(0 if np.isnan(v) else int(v) for v in saturated),
        *(digits.count("1"), digits.count("0"), len(digits) - len(digits.lstrip("0"))),
        *(-1 if same == 63 else same, digits[::-1].find("1"), digits[::-1].find("0")),
    ]


def test_scalar_unit(rng: np.random.Generator) -> None:
    numbers = np.array([0.5, 1.5, 2.5, -0.5, -2.5, 3e9, -3e9, np.inf, -np.inf, np.nan, 3.14159],
                       np.float32)  # fmt: skip
    numbers = np.concatenate([numbers, rng.standard_normal(64 - len(numbers)) * 100])
    x = numbers.astype(np.float32)
    bits = rng.integers(0, 2**63, 64).astype(np.uint64) >> rng.integers(0, 64, 64).astype(np.uint64)
    bits[:7] = [0, 2**64 - 1, 0x0100000000000020, 0x1000000000000100, 2**63, 2**63 - 1, 1]
    out = np.zeros((64, 20), np.int64)
    cannery.compile_kernel(SCALARS, "scalars")(1, x, bits, out)
    with np.errstate(all="ignore"):
        want = [_scalar_row(float(v), int(b)) for v, b in zip(x, bits, strict=True)]
    np.testing.assert_array_equal(out[:, 1:11], want)
    halves = out[:, 0].astype(np.uint16).view(np.float16)
    inexact = np.isfinite(x) & (np.abs(x) < 65504) & (halves != x)
    assert (out[inexact, 0] % 2 == 1).all()
    assert (np.abs(halves[inexact] - x[inexact]) < np.spacing(np.abs(halves[inexact]))).all()
    assert halves[10] == np.float16(3.142578)  # the example in the documentation
    assert (out[:, 11] == [1, 2] * 32).all()
    # The device compiler's names of the same functions, then of those that change one bit.
    np.testing.assert_array_equal(out[:, 12:18], out[:, [5, 6, 7, 8, 9, 10]])
    bit = np.uint64(1) << np.arange(64, dtype=np.uint64)
    np.testing.assert_array_equal(out[:, 18], (bits & ~bit).view(np.int64))
    np.testing.assert_array_equal(out[:, 19], (bits | bit).view(np.int64))
    assert out[2, 7] == 7
    assert out[2, 8] == 6
    assert out[3, 9] == 8


def test_int4_tensor(compile_device: Compile) -> None:
    """Elements, views and sizes of LocalTensor<int4b_t> are right."""
    kernel = compile_device("int4_tensor")
    out = np.zeros(16, np.int32)
    packed = np.array([0x21, 0x83, 0xF0, 0x7E] * 8, np.uint8)
    kernel(1, packed, out, tiling=b"\0" * 8)
    nibbles = read_nibbles(packed, np.arange(64))
    assert out[:8].tolist() == nibbles[:8].tolist()
    assert out[8:12].tolist() == [64, 58, int(nibbles[6]), 32]
    assert read_nibbles(out[12:13].view(np.uint8), np.arange(4)).tolist() == [
        1,
        -5,
        7,
        *nibbles[3:4],
    ]
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, packed, out, tiling=b"\1" + b"\0" * 7)
    assert caught.value.code == "T414"
    assert "element 3" in str(caught.value)
