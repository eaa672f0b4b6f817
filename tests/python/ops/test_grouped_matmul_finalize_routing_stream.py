# SPDX-License-Identifier: Apache-2.0
"""Tests the instruction stream of GroupedMatmulFinalizeRouting: how often the kernel reads weights,
which cores wait for each other, and whether a core waits for each flag that is set."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery.cli.stats import record

from .grouped_matmul_cases import check, make

Record = dict[str, Any]


def stream(arguments: dict[str, Any], folder: Path) -> list[Record]:
    """Returns the instructions of one call from the dump, without the record of the launch."""
    dump = folder / "stream.jsonl"
    with record(dump):
        cannery.grouped_matmul_finalize_routing(**arguments)
    records = map(json.loads, dump.read_text(encoding="utf-8").splitlines())
    return [each for each in records if "launch" not in each]


def gm_bytes(records: list[Record], name: str, *, write: bool = False) -> int:
    return sum(
        r["bytes"] * r["count"]
        for each in records
        for r in each["ranges"]
        if r["memory"] == "GM" and r["write"] == write and name in r["place"]
    )


def of_cube(records: list[Record]) -> list[Record]:
    return [each for each in records if each["core"] == "AIC"]


def of_vector(records: list[Record]) -> list[Record]:
    return [each for each in records if each["core"] == "AIV"]


def test_decoding_reads_the_weights_of_the_experts_with_rows_once(tmp_path: Path) -> None:
    for counts in ([8, 0, 1, 15, 0, 16], [32, 0, 64], [3, 20, 0, 63]):
        arguments = make(counts, k=512, n=1032, bs=4)
        with_rows = np.count_nonzero(counts)
        once = arguments["w"].nbytes // len(counts) * with_rows
        assert gm_bytes(of_cube(stream(arguments, tmp_path)), "input w") == once


def test_panels_of_an_expert_share_the_digits_in_l1(tmp_path: Path) -> None:
    """48 panels of 256 columns: each of the 24 cube cores has two, and reads the digits once."""
    records = of_cube(stream(make([40], k=512, n=48 * 256, bs=4), tmp_path))
    assert gm_bytes(records, "workspace") == 24 * 2 * 40 * 512 // 2


def test_a_core_reads_the_list_of_groups_at_most_twice(tmp_path: Path) -> None:
    records = stream(make([3] * 64, k=192, n=72, bs=4), tmp_path)
    for kind in (of_cube, of_vector):
        last = [each for each in kind(records) if each["block"] == 23]
        cores = len({each["sub_block"] for each in last})
        assert gm_bytes(last, "group_list") <= cores * 2 * 8 * 65  # one more tells that it ends


@pytest.mark.parametrize("k", [2048, 4096])
def test_many_rows_read_weights_seldom_where_l1_holds_them(k: int, tmp_path: Path) -> None:
    """The 24 cores begin and end in the middle of tiles, so a core reads a panel up to 4 times."""
    arguments = make([64 * 11] * 8, k=k, n=264, bs=4)
    panels = 8 * (2 if k <= 2048 else 3)
    read = gm_bytes(of_cube(stream(arguments, tmp_path)), "input w")
    times = read / arguments["w"].nbytes
    assert 1 <= times <= 1 + 4 * 24 / panels  # without L1, each of the 11 tiles would read them


def test_unpacked_weights_have_one_row_of_sums_for_a_row_of_x(tmp_path: Path) -> None:
    """With 1024 rows or more, cube cores read x itself, and weights that vector cores unpacked."""
    for rows, unpacked in ((1024, True), (1023, False)):
        records = stream(make([rows], k=320, n=520, bs=4), tmp_path)
        sums = [each for each in of_cube(records) if each["opcode"] == "Fixpipe"]
        bytes_of_a_digit = 4 * rows * 528  # each panel is rounded up to 16 columns
        written = gm_bytes(sums, "workspace", write=True)
        assert (written == bytes_of_a_digit) if unpacked else (written >= 2 * bytes_of_a_digit)
        assert (gm_bytes(of_cube(records), "input w") == 0) == unpacked
        assert (gm_bytes(of_cube(records), "input x") > 0) == unpacked


def test_vector_cores_load_weights_into_l2_in_whole_granules(tmp_path: Path) -> None:
    """Rows of weights have 516 B, so most do not start at multiples of 128 B, but all reads of the
    vector cores do. If all rows start there and there are few rows, vector cores read no weights.
    """
    weights = of_vector(stream(make([3], k=16384, n=1032, bs=1), tmp_path))
    ranges = [r for each in weights for r in each["ranges"] if r["place"].startswith("input w")]
    assert len(ranges) > 24
    for r in ranges:
        assert int(r["place"].split("+")[1].split()[0], 0) % 128 == 0
        assert r["bytes"] % 128 == 0
    assert gm_bytes(of_vector(stream(make([3], k=2048, n=1024, bs=1), tmp_path)), "input w") == 0
    assert gm_bytes(of_vector(stream(make([17], k=2048, n=1024, bs=1), tmp_path)), "input w") > 0


def test_vector_cores_leave_out_the_first_rows_that_the_cube_core_loads(tmp_path: Path) -> None:
    """Here, each cube core loads all its weights before there are digits."""
    records = stream(make([3], k=4096, n=520, bs=1), tmp_path)
    assert gm_bytes(of_vector(records), "input w") == 0


def test_cores_have_equal_shares_of_few_rows(tmp_path: Path) -> None:
    """One row has 16 steps of k (64 rows of weights) and one panel: 16 cores have a step each. One
    block adds up the parts of the sum over k, and adds the sum to y."""
    records = stream(make([1], k=1024, n=1024, bs=1), tmp_path)
    loads = Counter(each["block"] for each in records if gm_bytes([each], "input w"))
    assert sorted(loads.values()) == [1] * 16
    assert gm_bytes(records, "output y", write=True) == 4 * 1024 * (1 + 1)


def test_cores_end_at_about_the_same_time_if_experts_have_very_different_rows() -> None:
    """A panel of weights costs more per row of x if its expert has few rows."""
    with cannery.profile(keep=1) as p:
        cannery.grouped_matmul_finalize_routing(**make([2400, 1200, 800, 600], k=1024, n=2048))
    ends = [core["end"] for core in p.launches[0].cores]
    assert sum(ends) / len(ends) >= 0.9 * max(ends)


def test_bytes_of_the_other_tensors(tmp_path: Path) -> None:
    arguments = make([20, 0, 12], m=40, k=256, n=520, bs=6, shared=3)
    arguments["row_index"] = arguments["row_index"] % 5
    arguments["row_index"][::4] = -1
    records = stream(arguments, tmp_path)
    hit = np.count_nonzero(arguments["row_index"][:32] >= 0)
    assert gm_bytes(records, "input x") == 32 * 256  # 8 rows without an expert are not read
    assert gm_bytes(records, "input shared_input") == arguments["shared_input"].nbytes
    assert gm_bytes(records, "output y", write=True) == 4 * 520 * (6 + hit)
    assert gm_bytes(records, "output y") == 0
    assert all(gm_bytes(records, f"input {name}", write=True) == 0 for name in arguments)


def test_rows_of_the_same_token_are_added_up_before_they_are_added_to_y(tmp_path: Path) -> None:
    """Each of two vector cores adds one row for all rows of a tile, not one for each row."""
    n = 13 * 256
    arguments = make([40, 25, 1], k=256, n=n, bs=1)
    written = gm_bytes(stream(arguments, tmp_path), "output y", write=True)
    assert written == 4 * n * (1 + 2 + 2 + 1)
    arguments["row_index"][[5, 6, 7, 39]] = [-1, 7, 7, 1]  # two rows and one, not in y
    check(arguments)
    ends = 2  # the first core adds rows 0 to 4 and 8 to 19, the second core rows 20 to 38
    written = gm_bytes(stream(arguments, tmp_path), "output y", write=True)
    assert written == 4 * n * (1 + ends + 1 + 2 + 1)


def test_the_cube_cores_start_on_the_weights_before_there_are_digits(tmp_path: Path) -> None:
    records = stream(make([20, 9], k=2048, n=520, bs=4), tmp_path)
    for block in range(3):
        mine = [each for each in records if each["core"] == "AIC" and each["block"] == block]
        waits = [each["seq"] for each in mine if each["opcode"] == "CrossCoreWait"]
        loads = [each["seq"] for each in mine if gm_bytes([each], "input w")]
        before = [seq for seq in loads if seq < waits[0]]
        assert len(before) >= min(4, len(loads)) >= 1


Core = tuple[int, str, int]


def core_of(each: Record) -> Core:
    return (each["block"], each["core"], each["sub_block"])


def cross_flags(records: list[Record]) -> dict[Core, dict[str, Counter[int]]]:
    """Counts for each core how often it sets and waits for each flag between cores."""
    found: dict[Core, dict[str, Counter[int]]] = {}
    for each in records:
        flags = found.setdefault(core_of(each), {"set": Counter(), "wait": Counter()})
        if each["opcode"] in ("CrossCoreSet", "CrossCoreWait"):
            flags["set" if each["opcode"] == "CrossCoreSet" else "wait"][each["cross_flag"]] += 1
    return found


def test_cube_cores_never_wait_for_y(tmp_path: Path) -> None:
    records = stream(make([70, 9], k=512, n=520, bs=4), tmp_path)
    assert not any("SyncAll" in each["opcode"] for each in records)
    writes = (each for each in records if gm_bytes([each], "output y", write=True))
    first = next(each for each in writes if not each["atomic"])
    of_y = next(
        each["cross_flag"]
        for each in records
        if each["opcode"] == "CrossCoreSet"
        and core_of(each) == core_of(first)
        and each["seq"] > first["seq"]
    )
    for (_, kind, _), flags in cross_flags(records).items():
        assert flags["wait"][of_y] == (1 if kind == "AIV" else 0)


@pytest.mark.parametrize("counts", [[0], [1], [5, 0, 130], [1] * 70, [1500, 700]], ids=str)
def test_every_flag_that_is_set_is_waited_for(counts: list[int], tmp_path: Path) -> None:
    records = stream(make(counts, m=max(1, sum(counts)), k=320, n=520), tmp_path)
    local: Counter[tuple[Core, str, int]] = Counter()
    for each in records:
        if "flag" in each:
            key = (core_of(each), each["flag"], each["flag_id"])
            local[key] += 1 if each["flag_set"] else -1
    assert set(local.values()) == {0}
    cross = cross_flags(records)
    for (block, kind, sub_block), flags in cross.items():
        if kind == "AIC":
            continue
        cube = cross[block, "AIC", 0]
        assert sub_block in (0, 1)
        # Flags between the cube core and its vector cores have equal counts. All other flags are
        # between vector cores.
        among = set(flags["set"]) - set(cube["wait"])
        assert all(flags["set"][flag] == count for flag, count in cube["wait"].items())
        assert all(flags["wait"][flag] == count for flag, count in cube["set"].items())
        assert among == set(flags["wait"]) - set(cube["set"])
        assert all(flags["set"][flag] == flags["wait"][flag] for flag in among)


@pytest.mark.parametrize(
    ("counts", "n", "shared"),
    [([1100], 4104, 100), ([70, 3], 4104, 60), ([9, 20], 1032, 20)],
    ids=["unpacked", "many rows", "few rows"],
)
def test_the_kernel_orders_all_accesses_itself(counts: list[int], n: int, shared: int) -> None:
    """A vector core uses the same bytes of UB for weights or digits, for rows of y, and for tiles.
    Several rows of shared_input fill both buffers of each."""
    with cannery.use(hazards="explicit"):
        check(make(counts, k=192, n=n, bs=2 * shared, shared=shared))


def test_tiles_wait_for_at_most_a_few_slots(tmp_path: Path) -> None:
    """The cube core is at most four tiles ahead of its vector cores, then it waits for a slot."""
    records = stream(make([64 * 11] * 10, k=192, n=72, bs=4), tmp_path)
    mine = [each for each in records if each["core"] == "AIC" and each["block"] == 0]
    ahead = most = 0
    for each in mine:
        if each["opcode"] == "Fixpipe":
            ahead += 1
            most = max(most, ahead)
        elif each["opcode"] == "CrossCoreWait" and ahead:
            ahead -= 1
    assert most == 4
    assert ahead == 0
