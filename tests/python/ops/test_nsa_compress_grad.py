# SPDX-License-Identifier: Apache-2.0
"""Compares NsaCompressGrad on the twin with its golden: windows, sequences, shapes, strides and
values."""

from __future__ import annotations

import mmap
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery
from cannery import golden
from cannery.testing import assert_close, normal, strided_outputs, with_strides

Array = npt.NDArray[Any]
Inputs = tuple[Array, Array, Array]

DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
FLOAT_EPS = 2.0**-23
_MAP_NORESERVE = 0x4000  # on Linux; Python has the name mmap.MAP_NORESERVE only since 3.13


def make(
    rows: int,
    heads: int,
    dim: int,
    sizes: dict[str, int],
    ends: Any = None,
    dtype: Any = np.float16,
    seed: int = 0,
) -> Inputs:
    """Returns random output_grad, input and weight with a standard normal distribution."""
    rng = np.random.default_rng(seed)
    block, stride = sizes["compress_block_size"], sizes["compress_stride"]
    windows = len(golden.nsa_compress_windows(rows, ends, block, stride))
    return (
        normal(rng, (windows, heads, dim), dtype),
        normal(rng, (rows, heads, dim), dtype),
        normal(rng, (block, heads), dtype),
    )


def sizes_of(block: int, stride: int) -> dict[str, int]:
    return {"compress_block_size": block, "compress_stride": stride}


def check(inputs: Inputs, sizes: dict[str, int], ends: Any = None) -> tuple[Array, Array]:
    """Returns the operator's results, after a check that they agree with the float64 golden."""
    before = [array.tobytes() for array in inputs]
    got = cannery.nsa_compress_grad(*inputs, ends, **sizes)
    assert before == [array.tobytes() for array in inputs]
    agree(got, inputs, sizes, ends)
    return got


def agree(
    got: tuple[Array, Array], inputs: Inputs, sizes: dict[str, int], ends: Any = None
) -> None:
    want = golden.nsa_compress_grad(*inputs, ends, **sizes)
    scale = golden.nsa_compress_grad_scale(*inputs, ends, **sizes)
    for result, like, reference, terms in zip(got, inputs[1:], want, scale, strict=True):
        assert (result.shape, result.dtype) == (like.shape, like.dtype)
        assert_close(result, reference, like.dtype, terms)
        # This bound is tighter than assert_close: one rounding to the dtype, an error of float sums
        # relative to their terms, and 2**-25 for subnormal numbers.
        limit = (
            np.abs(reference) * ROUNDING[like.dtype.name] * 1.001 + terms * 4 * FLOAT_EPS + 2.0**-25
        )
        wide = result.astype(np.float64)
        assert np.all((np.abs(wide - reference) <= limit) | np.isinf(wide))


@pytest.mark.smoke
@pytest.mark.parametrize("name", DTYPES)
def test_worked_example(name: str) -> None:
    dtype = DTYPES[name]
    x = np.broadcast_to(np.arange(50)[:, None, None] / 8, (50, 1, 16)).astype(dtype)
    weight = (np.arange(32)[:, None] / 16).astype(dtype)
    output_grad = np.ones((2, 1, 16), dtype)
    output_grad[1] = -0.5
    input_grad, weight_grad = check((output_grad, x, weight), sizes_of(32, 16))
    t = np.arange(50)
    expected = np.where(t < 32, t / 16, 0) - np.where((t >= 16) & (t < 48), (t - 16) / 32, 0)
    np.testing.assert_array_equal(input_grad[:, 0, 3].astype(np.float64), expected)
    assert expected[31] == 1.46875
    assert expected[47] == -0.96875
    np.testing.assert_array_equal(weight_grad[:, 0].astype(np.float64), np.arange(32) - 16.0)


# Public test cases, and lengths just below and above the limits where one more window fits.
SEQUENCES = [
    (272, [0, 120, 140, 272], 32, 16),
    (272, [0, 128, 272], 32, 16),
    (49, [0, 5, 49], 32, 16),
    *((length, None, 64, 48) for length in (64, 64 + 47, 64 + 48, 64 + 96)),
    (63 + 64, [63, 127], 64, 32),
    (300, [0, 0, 100, 100, 131, 300, 300], 32, 16),
    (300, [96, 97, 129], 32, 16),
    (400, [33], 32, 16),
    (200, [200, 200], 128, 112),
    (500, [130, 260, 500], 128, 16),
    (5000, None, 48, 32),
    (700, list(range(35, 701, 35)), 32, 16),
]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize(("rows", "ends", "block", "stride"), SEQUENCES, ids=str)
def test_sequences(rows: int, ends: Any, block: int, stride: int, name: str) -> None:
    sizes = sizes_of(block, stride)
    inputs = make(rows, 4, 64, sizes, ends, DTYPES[name])
    input_grad, _ = check(inputs, sizes, ends)
    covered = np.zeros(rows, bool)
    for start in golden.nsa_compress_windows(rows, ends, block, stride):
        covered[start : start + block] = True
    assert not input_grad[~covered].view(np.uint16).any()


@pytest.mark.parametrize(("rows", "ends", "windows"), [
    (272, [0, 120, 140, 272], 13), (272, [0, 128, 272], 15), (49, [0, 5, 49], 1),
])  # fmt: skip
def test_public_cases(rows: int, ends: list[int], windows: int) -> None:
    sizes = sizes_of(32, 16)
    heads, dim = (64, 128) if windows == 15 else (128, 192)
    inputs = make(rows, heads, dim, sizes, ends)
    assert len(inputs[0]) == windows
    check(inputs, sizes, ends)


@pytest.mark.parametrize("heads", [1, 3, 4, 5, 17, 24, 64, 128])
@pytest.mark.parametrize("dim", [16, 48, 64, 128, 192, 256])
def test_heads_and_dims(heads: int, dim: int) -> None:
    block, stride = [(32, 16), (128, 16), (48, 32)][(heads + dim) % 3]
    sizes = sizes_of(block, stride)
    dtype = list(DTYPES.values())[(heads + dim // 16) % 2]
    rows = 260 if heads * dim < 8192 else 160
    ends = [5, rows - 10]
    check(make(rows, heads, dim, sizes, ends, dtype), sizes, ends)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize(("block", "stride"), [
    (block, stride) for block in (32, 48, 80, 128) for stride in (16, 32, block - 16)
    if stride < block
])  # fmt: skip
def test_blocks_and_strides(block: int, stride: int, name: str) -> None:
    sizes = sizes_of(block, stride)
    ends = [block - 1, 700, 1001]
    check(make(1003, 2, 64, sizes, ends, DTYPES[name]), sizes, ends)


def test_thousands_of_sequences() -> None:
    rng = np.random.default_rng(4)
    ends = np.sort(rng.integers(0, 9001, 5000))
    ends[:40] = 0
    sizes = sizes_of(32, 16)
    check(make(9000, 2, 32, sizes, ends.tolist()), sizes, ends)
    lengths = rng.choice([0, 1, 31, 32, 33, 47, 48, 80], 2500)
    ends = np.cumsum(lengths)
    check(make(int(ends[-1]) + 9, 1, 16, sizes, ends), sizes, tuple(int(end) for end in ends))


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_float16_sums_beyond_its_range_become_infinite() -> None:
    sizes = sizes_of(32, 16)
    output_grad, x, weight = make(64, 1, 16, sizes)
    output_grad[...], weight[...], x[...] = 300, 200, 1
    input_grad, weight_grad = check((output_grad, x, weight), sizes)
    assert np.isinf(input_grad[16:48].astype(np.float32)).all()
    assert np.isfinite(input_grad[:16].astype(np.float32)).all()
    assert np.isfinite(weight_grad.astype(np.float32)).all()


def test_cancelling_terms() -> None:
    sizes = sizes_of(32, 16)
    output_grad, x, weight = make(2048, 2, 64, sizes)
    output_grad[1::2] = -output_grad[: len(output_grad) // 2 * 2 : 2]
    x[...] = x[:16].repeat(128, axis=0).reshape(128, 16, 2, 64).swapaxes(0, 1).reshape(x.shape)
    check((output_grad, x, weight), sizes)


@pytest.mark.parametrize("where", ["outputGrad", "input", "weight"])
def test_nan_stays_where_its_window_is(where: str) -> None:
    sizes = sizes_of(32, 16)
    inputs = make(400, 3, 80, sizes, [100, 300])
    index = ["outputGrad", "input", "weight"].index(where)
    inputs[index][(7, 1, 70) if index < 2 else (7, 1)] = np.nan
    got = cannery.nsa_compress_grad(*inputs, [100, 300], **sizes)
    want = golden.nsa_compress_grad(*inputs, [100, 300], **sizes)
    for result, reference in zip(got, want, strict=True):
        np.testing.assert_array_equal(np.isnan(result.astype(np.float32)), np.isnan(reference))
    assert any(np.isnan(reference).any() for reference in want)


def test_what_lies_outside_all_windows_does_not_matter() -> None:
    sizes = sizes_of(32, 16)
    ends = [20, 100, 100, 131]
    output_grad, x, weight = make(150, 2, 64, sizes, ends)
    before = check((output_grad, x, weight), sizes, ends)
    x[:20] = x[100:131] = np.nan
    x[131:] = np.inf
    after = cannery.nsa_compress_grad(output_grad, x, weight, ends, **sizes)
    assert [a.tobytes() for a in after] == [b.tobytes() for b in before]


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("rows", [70, 1111])
def test_every_chip_gives_the_same_input_grad(rows: int, name: str) -> None:
    sizes = sizes_of(32, 16)
    inputs = make(rows, 3, 48, sizes, [rows // 2, rows], DTYPES[name])
    ends = [rows // 2, rows]
    reference, _ = check(inputs, sizes, ends)
    weight_grads: dict[int, bytes] = {}
    for soc in cannery.settings.SOCS:
        with cannery.use(soc=soc):
            input_grad, weight_grad = check(inputs, sizes, ends)
        assert input_grad.tobytes() == reference.tobytes()
        cores = 40 if soc.endswith(("B3", "B4", "B4-1", "9362", "9372")) else 48
        assert weight_grads.setdefault(cores, weight_grad.tobytes()) == weight_grad.tobytes()
    assert set(weight_grads) == {40, 48}


@pytest.mark.parametrize("name", DTYPES)
def test_determinism(name: str) -> None:
    sizes = sizes_of(128, 16)
    inputs = make(2100, 5, 48, sizes, [600, 2099], DTYPES[name])
    reference = [array.tobytes() for array in check(inputs, sizes, [600, 2099])]
    for threads in (1, 2):
        for order in (0, 1, 2, 123456789):
            with cannery.use(threads=threads, core_order=order):
                got = cannery.nsa_compress_grad(*inputs, [600, 2099], **sizes)
            assert [array.tobytes() for array in got] == reference


def test_every_declared_row_and_chip_family_is_tested() -> None:
    from cannery.cli.catalog import operators

    (model,) = [each for each in operators() if each["snake"] == "nsa_compress_grad"]
    assert set(model["inputs"][0]["dtypes"]) == set(DTYPES)
    assert model["socs"] == ["ascend910b", "ascend910_93"]


class TestStrides:
    """Results are right if inputs and outputs are views with strides."""

    sizes = sizes_of(48, 16)
    ends = (70, 210)

    def inputs(self, heads: int = 3, dim: int = 32) -> Inputs:
        return make(220, heads, dim, self.sizes, self.ends)

    @pytest.mark.parametrize("reverse", [False, True])
    @pytest.mark.parametrize("gap", [1, 2, 3])
    def test_outputs(self, gap: int, reverse: bool) -> None:
        inputs = self.inputs()
        reference = check(inputs, self.sizes, self.ends)
        with strided_outputs(gap, reverse=reverse):
            got = cannery.nsa_compress_grad(*inputs, self.ends, **self.sizes)
            assert [a.tobytes() for a in got] == [b.tobytes() for b in reference]
        if gap > 1 or reverse:
            assert not any(array.flags.c_contiguous for array in got)

    def test_output_rows_apart(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Outputs may have gaps between whole rows or heads. The kernel then uses faster copies."""
        inputs = self.inputs(20, 64)
        reference = check(inputs, self.sizes, self.ends)
        for gaps in ((2, 1, 1), (1, 2, 1), (1, 1, 2)):

            def allocate(shape: tuple[int, ...], dtype: Any, gaps: Any = gaps) -> Array:
                chosen = gaps if len(shape) == 3 else gaps[1:]
                return with_strides(np.zeros(shape, dtype), tuple(range(len(shape))), chosen)

            monkeypatch.setattr("cannery.outputs.allocate", allocate)
            got = cannery.nsa_compress_grad(*inputs, self.ends, **self.sizes)
            assert [a.tobytes() for a in got] == [b.tobytes() for b in reference]

    def test_inputs(self) -> None:
        inputs = self.inputs()
        reference = check(inputs, self.sizes, self.ends)
        views = (
            with_strides(inputs[0], (2, 0, 1), (1, 2, 3)),
            with_strides(inputs[1], (1, 0, 2), (1, 1, 2)),
            with_strides(inputs[2], (1, 0), (3, 1)),
        )
        got = cannery.nsa_compress_grad(*views, self.ends, **self.sizes)
        assert [a.tobytes() for a in got] == [b.tobytes() for b in reference]
        flipped = [array[::-1].copy()[::-1] for array in inputs]
        got = cannery.nsa_compress_grad(*flipped, self.ends, **self.sizes)
        assert [a.tobytes() for a in got] == [b.tobytes() for b in reference]

    @pytest.mark.release
    @pytest.mark.slow  # 64 GiB of addresses, of which few pages are used
    def test_strides_beyond_32_bits(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sizes = sizes_of(32, 16)
        inputs = make(40, 2, 16, sizes)
        reference = check(inputs, sizes)
        step = 2**31 + 3

        def allocate(shape: tuple[int, ...], dtype: Any) -> Array:
            if len(shape) == 2:
                return np.empty(shape, dtype)
            flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
            memory = mmap.mmap(-1, 2 * (15 * step + 80), flags=flags)
            elements = np.frombuffer(memory, np.float16)
            return np.lib.stride_tricks.as_strided(elements, shape, (4, 2, 2 * step))

        monkeypatch.setattr("cannery.outputs.allocate", allocate)
        got = cannery.nsa_compress_grad(*inputs, **sizes)
        assert [a.tobytes() for a in got] == [b.tobytes() for b in reference]


@st.composite
def calls(draw: st.DrawFn) -> tuple[Inputs, dict[str, int], list[int] | None]:
    """Draws calls with any sizes within the operator's limits, sequences of any length, unused rows
    and any strides."""
    block = 16 * draw(st.integers(2, 8))
    sizes = sizes_of(block, 16 * draw(st.integers(1, block // 16 - 1)))
    lengths = draw(st.lists(st.integers(0, 4 * block), max_size=6))
    ends = [int(end) for end in np.cumsum([*lengths, block])]
    rows = ends[-1] + draw(st.integers(0, 40))
    heads = draw(st.sampled_from([1, 2, 3, 4, 7, 16, 19]))
    dim = 16 * draw(st.integers(1, 16 if heads < 8 else 4))
    chosen = draw(st.sampled_from([None, ends]))
    dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
    arrays = []
    for array in make(rows, heads, dim, sizes, chosen, dtype, draw(st.integers(0, 2**32))):
        order = tuple(draw(st.permutations(range(array.ndim))))
        gaps = tuple(draw(st.integers(1, 2)) for _ in range(array.ndim))
        arrays.append(with_strides(array, order, gaps) if draw(st.booleans()) else array)
    return (arrays[0], arrays[1], arrays[2]), sizes, chosen


@pytest.mark.release
@given(calls(), st.integers(1, 3), st.booleans())
@settings(max_examples=60)
def test_random_calls(
    call: tuple[Inputs, dict[str, int], list[int] | None], gap: int, reverse: bool
) -> None:
    with strided_outputs(gap, reverse=reverse):
        check(*call)


@pytest.mark.release
@pytest.mark.xdist_group("gigabytes")
@pytest.mark.parametrize("name", DTYPES)
def test_many_heads_and_rows(name: str) -> None:
    sizes = sizes_of(32, 16)
    check(make(2048, 128, 192, sizes, None, DTYPES[name]), sizes)
    check(make(16384, 4, 192, sizes, [9000, 9001, 16000], DTYPES[name]), sizes, [9000, 9001, 16000])
