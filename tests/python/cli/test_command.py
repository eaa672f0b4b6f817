# SPDX-License-Identifier: Apache-2.0
"""Tests the help of all commands, `cannery list`, and tables that fit the terminal's width."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cannery

from ..processes import run_cannery
from ..selection import rest_slow

PROGRAM = str(Path(sys.executable).with_name("cannery"))


def run(*arguments: str, status: int = 0, columns: int = 80) -> str:
    result = run_cannery(*arguments, env={**os.environ, "COLUMNS": str(columns)})
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


def document(*arguments: str) -> Any:
    return json.loads(run(*arguments, "--json"))


@pytest.mark.parametrize(
    "command",
    [[], ["run"], ["list"], ["explain"], ["flags"], ["doctor"], ["package"], ["new"], ["cc"]],
    ids=str,
)
def test_short_and_long_help(command: list[str]) -> None:
    assert run(*command, "-h") == run(*command, "--help")


def test_help_loses_no_words() -> None:
    """Help shows whole words, and words in brackets, which rich could read as markup."""
    text = " ".join(run("cc", "-h").replace("│", " ").split())
    assert "Usage: cannery cc [OPTIONS] FILE..." in text
    assert "the options of g++ and clang++: -o PROGRAM, -c, -shared" in text
    assert "…" not in run("new", "-h")


def test_version_and_module() -> None:
    assert run("--version") == f"cannery {cannery.__version__}\n"
    done = subprocess.run(
        [sys.executable, "-m", "cannery", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"cannery {cannery.__version__}\n"
    done = subprocess.run(
        [sys.executable, "-m", "cannery", "list", "x"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("name", ["nsa_compress_grad", "NsaCompressGrad"])
def test_list_describes_an_operator(name: str) -> None:
    text = run("list", name)
    for word in (
        *("output_grad: float16, bfloat16, shape (M, N, D)", "aclnnNsaCompressGrad"),
        *("compress_stride", "act_seq_len=None", "may be absent", "attribute act_seq_len_type"),
        "Rows that no window covers get 0.",
    ):
        assert word in text
    found = document("list", name)
    assert found["op"] == "nsa_compress_grad"
    assert found["signature"].startswith("(output_grad, input, weight, act_seq_len=None, *, ")
    assert "windows" in found["doc"]


def test_long_lines_of_an_operator_go_on_further_in() -> None:
    text = run("list", "swi_glu_grad")
    assert "dimension dim\n  halved\n    Gradient" in text


def test_list_of_a_stranger_names_the_operators() -> None:
    text = run("list", "softmax", status=2)
    assert "OP: expected one of" in text
    assert "swi_glu_grad" in text
    assert "those of a project are known in its folder" in text


@pytest.mark.parametrize("command", ["list", "run", "profile"])
def test_a_misspelled_operator_gets_one_suggestion(command: str) -> None:
    text = run(command, "swi_glu_grd", status=2)
    assert "OP: no operator 'swi_glu_grd'; did you mean swi_glu_grad?" in text
    assert "nsa_compress_grad" not in text


@pytest.mark.parametrize("code", ["T107", "t107"])
def test_explain(code: str) -> None:
    text = run("explain", code)
    for word in ("T107 Tensor too small", "Way out: ", "On the chip: ", "strict mode", "507035"):
        assert word in text
    found = document("explain", code)
    assert (found["code"], found["strict"]) == ("T107", True)


@pytest.mark.release
def test_explain_knows_every_code_of_the_page(repository: Path) -> None:
    page = (repository / "docs" / "errors.md").read_text()
    listed = run("explain").splitlines()
    codes = [each["code"] for each in document("explain")["codes"]]
    assert [line.split()[0] for line in listed] == codes
    assert codes == [line[4:] for line in page.splitlines() if line.startswith("### T")]
    for code in codes:
        assert run_here(code)


def run_here(code: str) -> str:
    from typer.testing import CliRunner

    from cannery.cli.app import app

    found = CliRunner().invoke(app, ["explain", code])
    assert found.exit_code == 0, found.output
    return found.output


@pytest.mark.parametrize("code", ["T999", "T199", "107", "", "T", "T107 "])
def test_explain_of_no_code(code: str) -> None:
    text = run("explain", code, status=2)
    assert "CODE: expected" in text
    assert "`cannery explain` lists all" in text


@pytest.mark.parametrize("columns", rest_slow([80, 100]))
@pytest.mark.parametrize(
    "arguments",
    [
        ("list",),
        ("explain",),
        ("explain", "T405"),
        ("doctor",),
        ("run", "moe_token_permute_with_routing_map", "--size", "small"),
        pytest.param(("run", "--size", "small"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_output_fits_the_terminal(arguments: tuple[str, ...], columns: int) -> None:
    lines = run(*arguments, columns=columns).splitlines()
    assert max(map(len, lines)) <= columns
    assert not any("…" in line for line in lines)


def test_errors_of_kernels_have_their_place_in_json(capsys: Any) -> None:
    from cannery.cli.error_fields import error_fields
    from cannery.errors import from_status

    error = from_status(507035, "k", "T103 x\n  at k.cpp:17 Run   core 3 AIV, block 3 of 8")
    fields = error_fields(error)
    assert (fields["code"], fields["file"], fields["line"]) == ("T103", "k.cpp", 17)
    assert fields["core"] == "3 AIV"
