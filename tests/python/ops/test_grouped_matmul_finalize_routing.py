# SPDX-License-Identifier: Apache-2.0
"""Compares GroupedMatmulFinalizeRouting on the twin with its golden: groups, shapes and values."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cannery

from .grouped_matmul_cases import bias_of, check, make, scale_words

GROUPS = {
    "one group": [7],
    "one row": [1],
    "counts of no round number": [17, 33, 5],
    "round counts": [16, 64, 32],
    "empty at both ends": [0, 0, 9, 21, 0],
    "empty between": [3, 0, 0, 8],
    "all rows to the last": [0, 0, 0, 40],
    "no row at all": [0, 0],
    "64 groups of one row": [1] * 64,
    "one large group": [130, 1],
}


@pytest.mark.smoke
@pytest.mark.parametrize("counts", GROUPS.values(), ids=GROUPS.keys())
def test_groups(counts: list[int]) -> None:
    arguments = make(counts, m=max(1, sum(counts)))
    as_counts = check(arguments)
    sums = np.cumsum(arguments["group_list"])
    as_sums = check({**arguments, "group_list": sums, "group_list_type": 0})
    assert as_counts.tobytes() == as_sums.tobytes()


@pytest.mark.parametrize(
    ("k", "n"), [(192, 72), (192, 80), (256, 128), (320, 136), (512, 1000), (2048, 264), (1024, 72)]
)
def test_shapes(k: int, n: int) -> None:
    check(make([19, 0, 40, 3], k=k, n=n, bs=16, shared=7))


def test_longest_rows() -> None:
    check(make([3, 2], k=18432, n=72))


@pytest.mark.parametrize("k", [1984, 2048, 2112, 4032, 4096, 4160, 6208])
def test_more_rows_than_one_pass_over_the_weights(k: int) -> None:
    """Weights stay in L1: as panels of 256 columns up to k = 2048, of 128 columns up to 4096."""
    check(make([130, 5, 65], k=k, n=392, bs=16))


@pytest.mark.parametrize("rows", [1, 2, 7, 8, 9, 31, 32, 33, 40, 48, 56, 63, 64, 65, 127, 129])
def test_rows_of_an_expert(rows: int) -> None:
    """Results are right where the number of rows changes how the kernel distributes tiles."""
    check(make([rows], k=256, n=1032, bs=4))


@pytest.mark.slow
def test_columns_beyond_the_stride_of_a_copy() -> None:
    check(make([3, 70], k=192, n=131_080 + 8, bs=2))


def test_an_expert_of_several_units() -> None:
    check(make([4500, 3, 8200], k=192, n=72, bs=64))


@pytest.mark.parametrize("k", [192, 576, 1984, 2048])
@pytest.mark.parametrize("n", [72, 264, 1000])
def test_unpacked_weights(k: int, n: int) -> None:
    """With so many rows per expert, the vector cores unpack the weights to 8 bits."""
    check(make([1100, 0, 17, 3000], k=k, n=n, bs=16))


@pytest.mark.parametrize("k", [2112, 3072, 4160, 7168, 18432])
@pytest.mark.parametrize("n", [72, 200])
def test_unpacked_weights_with_a_large_k(k: int, n: int) -> None:
    """Panels of weights are narrower, or the sums over k have several parts."""
    check(make([1600, 0, 2700], k=k, n=n, bs=16))


@pytest.mark.parametrize("n", [1032, 1288, 2056, 2304])
@pytest.mark.parametrize("rows", [1, 17, 70])
def test_rows_of_weights_that_start_anywhere(n: int, rows: int) -> None:
    """The vector cores load weights into L2 before the cube cores; the result stays the same."""
    check(make([rows, 0, 3], k=2048, n=n, bs=2))


@pytest.mark.release
@pytest.mark.xdist_group("gigabytes")
def test_as_many_rows_as_there_may_be() -> None:
    check(make([131_072 - 40, 0, 30], m=131_072, k=192, n=72, bs=16_384, shared=2048))


def test_shape_of_a_model() -> None:
    check(make([5, 0, 11], k=2048, n=7168, bs=4, shared=4))


def test_256_experts() -> None:
    counts = np.zeros(256, np.int64)
    counts[[0, 7, 100, 255]] = [2, 1, 5, 3]
    check(make(counts.tolist(), n=72))


@pytest.mark.parametrize("slack", [1, 15, 100])
def test_rows_behind_the_last_group_are_ignored(slack: int) -> None:
    arguments = make([9, 4], m=13 + slack)
    got = check(arguments)
    arguments["x"] = arguments["x"].copy()
    arguments["x"][13:] = 99
    arguments["logit"] = arguments["logit"].copy()
    arguments["logit"][13:] = np.nan
    assert check(arguments).tobytes() == got.tobytes()


def test_more_rows_in_the_groups_than_there_are() -> None:
    check(make([9, 4, 6], m=11))
    check(make([9, 4, 2**40], m=20))
    check({**make([9, 4, 6], m=11), "group_list": np.array([9, 13, 19]), "group_list_type": 0})


def test_all_rows_to_one_token() -> None:
    for target in (0, 4):
        arguments = make([60, 0, 41], bs=5)
        arguments["row_index"] = np.full(101, target)
        check(arguments)


def test_tokens_without_a_row_have_the_shared_row_or_zero() -> None:
    arguments = make([12, 3], bs=9, shared=3, shared_input_offset=4, shared_input_weight=0.5)
    arguments["row_index"] = np.full(15, 8)
    got = check(arguments)
    assert not got[:4].any()
    assert not got[7].any()
    half = arguments["shared_input"].astype(np.float32) * np.float32(0.5)
    assert got[4:7].tobytes() == half.tobytes()


@pytest.mark.parametrize("weight", [0.0, 1.0, 0.5, -1.0, 0.3])
@pytest.mark.parametrize("offset", [0, 3, 6])
def test_shared_rows(offset: int, weight: float) -> None:
    check(make([8, 8], bs=8, shared_input_offset=offset, shared_input_weight=weight))


def test_rows_to_tokens_that_are_not_there_are_skipped() -> None:
    arguments = make([20, 20], bs=6)
    index = arguments["row_index"].copy()
    index[::3] = np.resize([-1, 6, -(2**63), 2**63 - 1, 2**32, 2**31], len(index[::3]))
    check({**arguments, "row_index": index})
    check({**arguments, "row_index": np.full(40, 6)})


BORDERS = (-128, -127, -17, -16, -15, -9, -8, -1, 0, 1, 7, 8, 15, 16, 127)


@pytest.mark.parametrize("times", [1, 70], ids=["digits", "unpacked"])
@pytest.mark.parametrize("weight", [-8, -1, 0, 7])
def test_borders_of_digits_are_exact(weight: int, times: int) -> None:
    """Results at the limits of int4 are exact, because all factors are powers of two."""
    k, n, m = 192, 72, times * len(BORDERS)
    weights = np.full((1, k, n), weight, np.int8)
    factors = np.full((1, n), 2.0**-9)
    arguments = make([m], weights=weights, bs=m, shared=1)
    arguments |= {
        "x": np.repeat(np.array(times * BORDERS, np.int8)[:, None], k, axis=1),
        "scale": scale_words(factors),
        "bias": bias_of(weights, factors),
        "pertoken_scale": np.ones(m, np.float32),
        "logit": np.ones(m, np.float32),
        "row_index": np.arange(m),
        "shared_input": np.zeros((1, n), ml_dtypes.bfloat16),
    }
    got = check(arguments)
    want = np.array(times * BORDERS, np.float32) * np.float32(weight * k * 2.0**-9)
    assert np.array_equal(got, np.repeat(want[:, None], n, axis=1))


@pytest.mark.parametrize("low_high", [(-10, 10), (-1, 0), (127, 127)])
def test_small_and_equal_activations(low_high: tuple[int, int]) -> None:
    low, high = low_high
    x = np.random.default_rng(3).integers(low, high + 1, (33, 2048)).astype(np.int8)
    check(make([20, 13], k=2048, n=264, x=x))


def test_without_bias_the_constant_of_the_digits_is_missing() -> None:
    arguments = make([10, 7])
    check({**arguments, "bias": np.zeros_like(arguments["bias"])})


def test_zero_logits() -> None:
    arguments = make([10, 7], logit=np.zeros(17, np.float32), shared=5)
    shared = arguments["shared_input"].astype(np.float32)
    assert np.array_equal(check(arguments), shared)


def test_negative_factors() -> None:
    arguments = make([10, 7])
    check({**arguments, "logit": -arguments["logit"]})
    words = arguments["scale"] | (1 << 31)
    check({**arguments, "scale": words})


def test_bits_of_the_scale_that_the_chip_does_not_read() -> None:
    arguments = make([10, 7])
    got = check(arguments)
    noise = np.random.default_rng(1).integers(0, 1 << 13, arguments["scale"].shape)
    quantised = 1 << 46  # flag that TransQuantParam sets in its words
    assert check({**arguments, "scale": arguments["scale"] | noise}).tobytes() == got.tobytes()
    assert check({**arguments, "scale": arguments["scale"] | quantised}).tobytes() == got.tobytes()


@settings(max_examples=25)
@given(st.data())
def test_random_calls(data: st.DataObject) -> None:
    counts = data.draw(st.lists(st.sampled_from([0, 1, 2, 15, 16, 17, 40]), min_size=1, max_size=6))
    bs = data.draw(st.integers(1, 12))
    arguments = make(
        counts,
        m=sum(counts) + data.draw(st.integers(0 if sum(counts) else 1, 5)),
        k=64 * data.draw(st.integers(3, 9)),
        n=8 * data.draw(st.integers(9, 40)),
        bs=bs,
        shared=data.draw(st.integers(1, 4)),
        seed=data.draw(st.integers(0, 2**32 - 1)),
        shared_input_weight=data.draw(st.sampled_from([1.0, -0.25, 0.0])),
    )
    room = arguments["output_bs"] - len(arguments["shared_input"])
    arguments["shared_input_offset"] = data.draw(st.integers(0, room))
    if data.draw(st.booleans()):
        arguments |= {"group_list": np.cumsum(arguments["group_list"]), "group_list_type": 0}
    check(arguments)


_ANY_INT64 = st.sampled_from(
    [-(2**63), -(2**62), -5, -1, 0, 1, 2, 6, 16, 17, 2**31, 2**32 + 3, 2**62, 2**63 - 1]
)


@settings(max_examples=25)
@given(
    st.lists(_ANY_INT64, min_size=1, max_size=5),
    st.lists(_ANY_INT64, min_size=19, max_size=19),
    st.integers(0, 1),
)
def test_any_values_in_lists_and_indices(groups: list[int], index: list[int], kind: int) -> None:
    """Each value of an integer tensor gives a defined result and no access out of bounds."""
    arguments = make([19] + [0] * (len(groups) - 1), bs=3)
    arguments |= {"group_list": np.array(groups), "group_list_type": kind}
    check({**arguments, "row_index": np.array(index)})


@pytest.mark.parametrize(
    ("sums", "counts"),
    [
        ([-5, 2**63 - 1], [0, 20]),
        ([-(2**63), 2**63 - 1], [0, 20]),
        ([0, -(2**63), 2**63 - 1], [0, 0, 20]),
        ([4, -(2**63), 0, -1, 7], [4, 0, 16, 0, 0]),
        ([-(2**63), 3 - 2**63, 2, 20], [0, 3, 17, 0]),
    ],
    ids=str,
)
def test_differences_of_sums_beyond_64_bits(sums: list[int], counts: list[int]) -> None:
    arguments = make(counts, m=20)
    by_counts = check(arguments)
    by_sums = check({**arguments, "group_list": np.array(sums), "group_list_type": 0})
    assert by_sums.tobytes() == by_counts.tobytes()


def test_same_bits_in_hardware_mode() -> None:
    arguments = make([70, 0, 3], k=320, n=200, bs=6)
    with cannery.use(mode="hardware"):
        in_hardware = check(arguments)
    assert in_hardware.tobytes() == check(arguments).tobytes()


@pytest.mark.parametrize("counts", [[70, 0, 33, 5, 90], [2000, 0, 1500]], ids=str)
def test_same_bits_on_any_number_of_threads_and_in_any_order(counts: list[int]) -> None:
    arguments = make(counts, k=512, n=520, bs=6)
    results = set()
    choices: list[dict[str, Any]] = [{"threads": 1}, {"threads": 2}]
    choices += [{"threads": 2, "core_order": seed} for seed in (1, 2, 3)]
    for choice in choices:
        with cannery.use(**choice):
            results.add(cannery.grouped_matmul_finalize_routing(**arguments).tobytes())
    assert len(results) == 1


@pytest.mark.parametrize("soc", ["Ascend910B1", "Ascend910B4", "Ascend910_9391", "Ascend910_9362"])
def test_chips(soc: str) -> None:
    with cannery.use(soc=soc):
        check(make([70, 0, 33, 5], k=320, n=520, bs=6))


def test_every_declared_row_and_chip_family_is_tested() -> None:
    from cannery.cli.catalog import operators

    (model,) = [each for each in operators() if each["snake"] == "grouped_matmul_finalize_routing"]
    arguments = make([3])
    declared = {each["name"]: each["dtypes"] for each in model["inputs"]}
    assert declared == {name: [arguments[name].dtype.name] for name in declared}
    assert model["socs"] == ["ascend910b", "ascend910_93"]
