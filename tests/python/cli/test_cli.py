# SPDX-License-Identifier: Apache-2.0
"""Tests the command `cannery` as a user types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from typer.testing import CliRunner

import cannery
from cannery import cases
from cannery.cli.app import app
from cannery.cli.selection import Selection

from ..processes import run_cannery
from ..selection import rest_slow


def command(*arguments: str, status: int = 0) -> str:
    """Returns the command's output. The command must exit with `status`."""
    result = run_cannery(*arguments)
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout if status == 0 or "--json" in arguments else result.stderr


def document(*arguments: str, status: int = 0) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(command(*arguments, "--json", status=status))
    return parsed


def test_list() -> None:
    assert "swi_glu_grad" in command("list")
    (entry,) = [each for each in document("list")["operators"] if each["op"] == "swi_glu_grad"]
    assert entry["dtypes"] == ["float16", "bfloat16", "float32"]
    assert entry["socs"] == ["ascend910b", "ascend910_93"]
    assert (entry["inputs"], entry["attrs"]) == (["y_grad", "x"], ["dim"])


@pytest.mark.smoke
def test_run_small() -> None:
    text = command("run", "swi_glu_grad", "--size", "small")
    for word in ("float16", "bfloat16", "float32", "128 x 4096", "ok"):
        assert word in text
    assert "WRONG" not in text


def test_run_needs_no_word_more(monkeypatch: pytest.MonkeyPatch) -> None:
    from cannery.cli import run

    chosen: list[run.Selection] = []
    monkeypatch.setattr(run, "run", lambda selection, _: chosen.append(selection) or True)
    result = CliRunner().invoke(app, ["run"])
    assert result.exit_code == 0, result.output
    assert [selection.op for selection in chosen] == [None]


@pytest.mark.twin_only("counts the traffic of a launch")
def test_run_json_reports_errors_times_and_traffic() -> None:
    found = document("run", "SwiGluGrad", "--dtype", "bfloat16", "--size", "small")
    assert found["ok"]
    assert found["soc"] == "Ascend910B2"
    (result,) = found["results"]
    assert result["ideal_bytes"] == 128 * 4096 * 2 * 5 // 2
    moved = result["gm_read_bytes"] + result["gm_write_bytes"]
    assert result["ideal_bytes"] <= moved <= 1.05 * result["ideal_bytes"]
    assert result["gm_bytes_cross_checked"]
    assert 0 < result["worst_relative_error"] < result["worst_relative_limit"]
    assert result["twin_seconds"] > 0
    assert result["golden_seconds"] > 0
    assert 1 <= result["block_dim"] <= 48


@pytest.mark.twin_only("chooses a chip")
def test_run_custom_shape_dim_soc_and_seed() -> None:
    options = ("--shape", "6,10,7", "--dim", "1", "--dtype", "float32", "--soc", "Ascend910B4")
    found = document("run", "swi_glu_grad", *options, "--seed", "3")
    assert (found["ok"], found["soc"], found["seed"]) == (True, "Ascend910B4", 3)
    result = found["results"][0]
    assert (result["shape"], result["attrs"]) == ([6, 10, 7], {"dim": 1})
    same = document("run", "swi_glu_grad", "--shape", "6,10,7", "--attr", "dim=1", "--seed", "3")
    assert same["results"][2]["worst_relative_error"] == result["worst_relative_error"]


@pytest.mark.twin_only("counts the traffic of a launch")
def test_dump_shows_two_tiles_in_flight(tmp_path: Path) -> None:
    case = ("run", "swi_glu_grad", "--dtype", "bfloat16", "--size", "small")
    dump = tmp_path / "stream.jsonl"
    dump.write_text("old")
    found = document(*case, "--dump", str(dump))["results"][0]
    lines = [json.loads(line) for line in dump.read_text().splitlines()]
    records = [line for line in lines if "pipe" in line]
    moved = sum(
        each["bytes"] * each["count"]
        for record in records
        for each in record["ranges"]
        if each["memory"] == "GM" and record["opcode"] != "GET_TILING_DATA"
    )
    assert moved == found["gm_read_bytes"] + found["gm_write_bytes"]
    # The kernel loads the three operands of two tiles before its first vector instruction.
    first = [record for record in records if record["block"] == 0]
    start = next(i for i, record in enumerate(first) if record["pipe"] == "V")
    filled = {
        each["place"]
        for record in first[:start]
        for each in record["ranges"]
        if each["memory"] == "UB" and each["write"]
    }
    assert len(filled) == 6
    text = tmp_path / "stream.txt"
    command(*case, "--dump", str(text))
    assert "MTE2" in text.read_text()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nothing"], "OP: expected one of grouped_matmul_finalize_routing, "),
        (["swi_glu_grad", "--dtype", "int8"], "--dtype"),
        (["swi_glu_grad", "--size", "huge"], "--size"),
        (["--size", "huge"], "--size"),
        (["--dtype", "float64"], "--dtype"),
        (["--attr", "dim=1"], "--attr"),
        (["swi_glu_grad", "--attr", "dim"], "NAME=VALUE"),
        (["swi_glu_grad", "--attr", "dim=x"], "dim is a value like -1"),
        (["swi_glu_grad", "--attr", "axis=1"], "has dim"),
        (["swi_glu_grad", "--shape", "a,b"], "--shape"),
        (["swi_glu_grad", "--shape", "2,4", "--size", "small"], "exclude"),
        (["swi_glu_grad", "--soc", "Ascend910A"], "soc: "),
        (["swi_glu_grad", "--dump", "x.txt"], "--dump"),
        (["swi_glu_grad", "--dump", "x.bin", "--size", "small", "--dtype", "float16"], ".jsonl"),
    ],
)
def test_wrong_options_exit_with_2(arguments: list[str], word: str) -> None:
    assert word in command("run", *arguments, status=2)
    error = document("run", *arguments, status=2)
    assert not error["ok"]
    assert word in error["error"]["message"]


@pytest.mark.parametrize(
    ("shape", "dim", "status"),
    [("3,5", "-1", 561002), ("3,4", "7", 161002), ("()", "0", 161002), ("3,0", "1", 161002)],
)
def test_refused_calls_exit_with_1_and_the_status(shape: str, dim: str, status: int) -> None:
    options = ("--shape", shape, "--dim", dim, "--dtype", "float16")
    error = document("run", "swi_glu_grad", *options, status=1)["error"]
    assert error["status"] == status
    assert error["type"] == "AclnnError"


def test_a_mismatch_exits_with_1(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from typer.testing import CliRunner

    from cannery.cases.swi_glu_grad import SwiGluGradRun
    from cannery.cli.app import app

    def wrong(self: SwiGluGradRun) -> Any:
        result = cannery.swi_glu_grad(self.y_grad, self.x, self.dim)
        result[3, 5] += 1
        return {"x_grad": result}

    monkeypatch.setattr(SwiGluGradRun, "call", wrong)
    arguments = ["run", "swi_glu_grad", "--shape", "8,64", "--dtype", "float32"]
    found = CliRunner().invoke(app, arguments)
    assert found.exit_code == 1
    assert "WRONG" in found.stdout
    assert "first at (3, 5)" in found.stdout
    found = CliRunner().invoke(app, [*arguments, "--json"])
    assert (found.exit_code, json.loads(found.stdout)["results"][0]["mismatches"]) == (1, 1)


def test_doctor() -> None:
    assert "g++" in command("doctor")
    found = document("doctor")
    assert found["ok"]
    areas = {finding["area"] for finding in found["findings"]}
    areas -= {"operator packages"}  # areas that depend on the machine
    assert areas == {"machine", "compiler", "Python", "twin", "cache", "card (backend npu)"}


def test_doctor_tells_a_wrong_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_BACKEND", "bogus")
    assert "bogus" in document("doctor", status=2)["error"]["message"]


def test_doctor_names_a_compiler_that_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "'")
    assert "CXX is" in json.dumps(document("doctor", status=1))


def test_doctor_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    found = document("doctor", status=1)
    finding, clang = [each for each in found["findings"] if each["area"] == "compiler"]
    assert finding["state"] == "missing"
    assert "apt install g++" in finding["advice"]
    assert clang["state"] in ("found", "absent")


def test_flags() -> None:
    both = document("flags")
    assert "-lcust_opapi" in both["libs"]
    assert command("flags", "--cflags").split() == both["cflags"]
    assert command("flags", "--libs").split() == both["libs"]
    assert command("flags").split() == [*both["cflags"], *both["libs"]]
    assert command("flags", "--root").strip() == both["root"]


def examples() -> list[Path]:
    return sorted((Path(__file__).parents[3] / "examples").glob("*/main.cpp"))


@pytest.mark.parametrize("source", rest_slow(examples()), ids=lambda source: source.parent.name)
def test_a_cpp_client_builds_with_the_flags_and_runs(source: Path, tmp_path: Path) -> None:
    program = tmp_path / "client"
    flags = command("flags", "--cflags").split(), command("flags", "--libs").split()
    build = ["g++", "-std=c++11", *flags[0], str(source), "-o", str(program), *flags[1]]
    subprocess.run(build, check=True)
    done = subprocess.run([program], check=True, timeout=300, capture_output=True, text=True)
    assert done.stdout.endswith(": ok\n")


def test_no_command_shows_the_help() -> None:
    assert "doctor" in command("--help")


@pytest.mark.release
@pytest.mark.xdist_group("gigabytes")
@pytest.mark.parametrize(
    "op", ["swi_glu_grad", "moe_init_routing_v2_grad", "moe_token_permute_with_routing_map"]
)
def test_large_stays_within_12_gib(op: str) -> None:
    code = """
import resource, subprocess, sys
subprocess.run([sys.argv[1], *sys.argv[2:]], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
    program = str(Path(sys.executable).with_name("cannery"))
    case = [program, "run", op, "--size", "large", "--dtype", "bfloat16", "--json"]
    output = subprocess.run(
        [sys.executable, "-c", code, *case], capture_output=True, text=True, check=True
    ).stdout
    assert int(output.splitlines()[-1]) < 12 * 2**20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run swi_glu_grad --shape 1000000,10000000", "--shape 1000000,10000000: expected arrays"),
        ("profile swi_glu_grad --shape 1000000,10000000", "got float32[1000000,10000000], which"),
        ("run swi_glu_grad --shape 1000000000000,1000000000000", "got one of more than 2^63 B"),
        ("run moe_init_routing_v2_grad --shape 99999999999999999999,2,4", "more than 2^63 B"),
        ("run kernel.cpp --arg float32[1000000,1000000,1000000]", "--arg: expected arrays that"),
        ("run kernel.cpp --arg int8[1" + 64 * ",1" + "]", "--arg: expected at most 64 dimensions"),
    ],
)
def test_arrays_that_are_too_large(tmp_path: Path, words: str, message: str) -> None:
    (tmp_path / "kernel.cpp").write_text(
        '#include "kernel_operator.h"\n'
        'extern "C" __global__ __aicore__ void kernel(GM_ADDR x) { (void)x; }\n'
    )
    dtype = [] if "kernel" in words else ["--dtype", "float32"]
    done = run_cannery(*words.split(), *dtype, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "nable to allocate" not in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("run swi_glu_grad --hazards on", "--hazards: expected one of off, auto-sync, explicit"),
        ("run swi_glu_grad --hazards=", "--hazards: expected one of off, auto-sync, explicit"),
        ("run kernel.cpp --mode loose", "--mode: expected one of strict, hardware, pedantic, got"),
        ("run kernel.cpp --soc Ascend310", "--soc: expected one of Ascend910B1, "),
        ("profile swi_glu_grad --hazards on", "--hazards: expected one of off, auto-sync"),
        ("profile swi_glu_grad --soc Ascend310", "--soc: expected one of Ascend910B1, "),
        ("selftest --backend gpu", "--backend: expected one of twin, npu, got 'gpu'"),
    ],
)
def test_wrong_settings_name_their_option(tmp_path: Path, words: str, message: str) -> None:
    done = run_cannery(*words.split(), cwd=tmp_path)
    assert done.returncode == 2
    assert f"error: {message}" in done.stderr


def test_an_attribute_that_is_a_list() -> None:
    workloads = cast(cases.Workloads, SimpleNamespace(op="lists", attrs={}, lists=("sizes",)))
    with pytest.raises(ValueError, match=r"--attr: sizes of lists is a list, .*\n  try: a Python"):
        Selection(attrs=("sizes=1",))._parse_attrs(workloads)
