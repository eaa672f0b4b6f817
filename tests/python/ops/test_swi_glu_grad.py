# SPDX-License-Identifier: Apache-2.0
"""Compares SwiGluGrad on the twin with its golden: dtypes, shapes, dims, strides and values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cannery
from cannery import golden
from cannery.testing import assert_close, normal, with_strides

Array = npt.NDArray[Any]

DTYPES = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32}

# Sizes around a block of 32 B, sizes from models, a single row, and less than a block.
SHAPES = [
    *[((rows, 2 * c), -1) for c in (1, 7, 15, 16, 17, 63, 65) for rows in (1, 3, 50)],
    ((40, 2 * 3904), -1),
    ((2, 2 * 28672), -1),
    ((1, 2 * 28672), 1),
    ((2,), 0),
    ((2 * 1003,), 0),
    ((2 * 1003,), -1),
    ((2, 1), 0),
    ((1, 2), 1),
    ((6, 5), 0),
    ((6, 5), -2),
    ((3, 4, 5), 1),
    ((7, 2, 1001), 1),
    ((5, 1, 2, 3, 1, 2, 7, 4), -1),
    ((5, 1, 2, 3, 1, 2, 7, 4), 0 - 6),
    ((4, 1, 2, 3, 1, 2, 7, 3), 0),
    ((4, 1, 2, 3, 1, 2, 7, 3), -8),
    ((2, 2, 1, 2, 3, 1, 3011, 1), 3),
    # Rows of a few bytes; rows that are no multiple of 32 B; many tiles for each block.
    ((10000, 2), 1),
    ((10000, 6), 1),
    ((100000, 2), -1),
    ((5001, 2 * 17), -1),
    ((3001, 2 * 63), -1),
    ((1000, 2 * 64), -1),
    ((4097, 1022), -1),
    ((101, 2050), -1),
    ((999, 4098), -1),
]

EDGES = [0.0, -0.0, 20, -20, 88, -88, 89, -89, 100, -100, np.inf, -np.inf, np.nan, -1.2784645]


def halved(shape: tuple[int, ...], dim: int) -> tuple[int, ...]:
    result = list(shape)
    result[dim] //= 2
    return tuple(result)


def make(shape: tuple[int, ...], dim: int, dtype: Any, seed: int = 0) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return normal(rng, halved(shape, dim), dtype), normal(rng, shape, dtype)


def check(y_grad: Array, x: Array, dim: int) -> Array:
    """Returns the operator's result, after a check that it agrees with the float64 golden."""
    before = y_grad.tobytes(), x.tobytes()
    got = cannery.swi_glu_grad(y_grad, x, dim)
    assert (got.shape, got.dtype) == (x.shape, x.dtype)
    assert got.flags.c_contiguous
    assert before == (y_grad.tobytes(), x.tobytes())
    want = golden.swi_glu_grad(y_grad, x, dim)
    assert_close(got, want, x.dtype, golden.swi_glu_grad_scale(y_grad, x, dim))
    return got


@pytest.mark.smoke
@pytest.mark.parametrize("name", DTYPES)
def test_worked_example(name: str) -> None:
    dtype = DTYPES[name]
    x = np.array([[0, 1, -2, 3], [4, -1, 0.5, 2]], dtype)
    got = check(np.array([[1, 2], [-1, 0.5]], dtype), x, -1)
    expected = golden.swi_glu_grad(np.array([[1, 2], [-1, 0.5]]), x.astype(np.float64))
    np.testing.assert_allclose(
        got.astype(np.float64),
        expected.astype(dtype).astype(np.float64),
        rtol=0 if name != "float32" else 3e-7,
        atol=0 if name != "float32" else 1e-7,
    )


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize(("shape", "dim"), SHAPES, ids=str)
def test_shapes_and_dims(shape: tuple[int, ...], dim: int, name: str) -> None:
    check(*make(shape, dim, DTYPES[name]), dim)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("soc", cannery.settings.SOCS)
def test_every_chip_gives_the_same_bits(soc: str, name: str) -> None:
    y_grad, x = make((67, 2 * 333), -1, DTYPES[name])
    reference = check(y_grad, x, -1)
    with cannery.use(soc=soc):
        assert cannery.swi_glu_grad(y_grad, x).tobytes() == reference.tobytes()


def test_every_declared_row_and_chip_family_is_tested(repository: Any) -> None:
    from cannery.cli.catalog import operators

    (model,) = [each for each in operators() if each["snake"] == "swi_glu_grad"]
    assert set(model["inputs"][1]["dtypes"]) == set(DTYPES)
    assert model["socs"] == ["ascend910b", "ascend910_93"]
    for family, prefix in (("ascend910b", "Ascend910B"), ("ascend910_93", "Ascend910_93")):
        assert any(soc.startswith(prefix) for soc in cannery.settings.SOCS), family


@pytest.mark.parametrize("name", DTYPES)
def test_edge_values_follow_the_operators_own_arithmetic(name: str) -> None:
    dtype = DTYPES[name]
    grid = np.array(np.meshgrid(EDGES, [0, 1, -2.5, np.inf, np.nan], [1, -3, np.inf]))
    a, b, g = (part.reshape(1, -1).astype(dtype) for part in grid)
    x = np.concatenate([a, b], axis=1)
    got = cannery.swi_glu_grad(g, x)
    want = golden.swi_glu_grad(g, x, precision="float32", out_dtype=np.float32)
    assert_close(got, want, dtype, golden.swi_glu_grad_scale(g, x))


@pytest.mark.parametrize("name", DTYPES)
def test_around_the_zero_of_the_first_half(name: str) -> None:
    dtype = DTYPES[name]
    a = np.linspace(-1.2785, -1.2784, 4096).astype(dtype)
    x = np.concatenate([a, np.full(4096, 3, dtype)])
    check(np.ones(4096, dtype), x, 0)


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_float16_products_beyond_its_range_become_infinite() -> None:
    a = np.full(100, 20, np.float16)
    x = np.concatenate([a, np.full(100, 300, np.float16)])
    gradient = np.full(100, -4000, np.float16)
    got = check(gradient, x, 0)
    assert np.all(got == -np.inf)


@pytest.mark.parametrize("gradient", [0.0, -0.0, 0.5, -0.875])
def test_bfloat16_multiplies_by_the_gradient_before_b(gradient: float) -> None:
    # The derivative of SiLU at 2.4 is 1.0998, so its product with the largest bfloat16 is beyond
    # float32.
    largest = ml_dtypes.finfo(ml_dtypes.bfloat16).max
    x = np.array([2.4] * 100 + [largest] * 50 + [-largest] * 50, ml_dtypes.bfloat16)
    y_grad = np.full(100, gradient, ml_dtypes.bfloat16)
    got = check(y_grad, x, 0)
    assert np.all(np.isfinite(got.astype(np.float32)))
    want = golden.swi_glu_grad(y_grad, x, 0, precision="float32")
    assert np.all(np.isfinite(want.astype(np.float32)))


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")
def test_denormal_float16_inputs() -> None:
    rng = np.random.default_rng(5)
    tiny = rng.integers(1, 1024, 2000).astype(np.uint16).view(np.float16)
    x = np.concatenate([tiny, np.full(2000, 1000, np.float16)])
    check(np.full(2000, 60, np.float16), x, 0)


@pytest.mark.parametrize("name", DTYPES)
def test_determinism(name: str) -> None:
    y_grad, x = make((203, 2 * 777), -1, DTYPES[name])
    reference = check(y_grad, x, -1).tobytes()
    for threads in (1, 2):
        for order in (0, 1, 2, 123456789):
            with cannery.use(threads=threads, core_order=order):
                assert cannery.swi_glu_grad(y_grad, x).tobytes() == reference


@st.composite
def calls(draw: st.DrawFn) -> tuple[Array, Array, int]:
    """Draws arrays of any rank, dim, dtype and memory layout."""
    rank = draw(st.integers(1, 8))
    dim = draw(st.integers(-rank, rank - 1))
    largest = {1: 3000, 2: 80, 3: 24}.get(rank, 5)
    shape = [draw(st.integers(1, largest)) for _ in range(rank)]
    shape[dim] *= 2
    dtype = DTYPES[draw(st.sampled_from(sorted(DTYPES)))]
    arrays = []
    for array in make(tuple(shape), dim, dtype, draw(st.integers(0, 2**32))):
        order = tuple(draw(st.permutations(range(rank))))
        gaps = tuple(draw(st.integers(1, 3)) for _ in range(rank))
        arrays.append(with_strides(array, order, gaps) if draw(st.booleans()) else array)
    return arrays[0], arrays[1], dim


@given(calls())
def test_random_calls(call: tuple[Array, Array, int]) -> None:
    check(*call)


@pytest.mark.release
@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("seed", range(3))
def test_large_rows_and_many_rows(name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(3):
        rows, c = int(rng.integers(1, 3000)), int(rng.integers(1, 3000))
        check(*make((rows, 2 * c), -1, DTYPES[name], seed), -1)
