# SPDX-License-Identifier: Apache-2.0
"""`cannery examples` must list and copy the examples, so that a reader of the README needs no
checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..processes import run_cannery

ROOT = Path(__file__).parents[3]
NAMES = sorted(path.parent.name for path in ROOT.glob("examples/*/README.md"))


def test_lists_all_with_their_titles(tmp_path: Path) -> None:
    done = run_cannery("examples", cwd=tmp_path, env={**os.environ, "COLUMNS": "120"})
    for name in NAMES:
        title = (ROOT / "examples" / name / "README.md").read_text().splitlines()[0].lstrip("# ")
        assert re.search(rf"^{name} +{re.escape(title)}", done.stdout, re.MULTILINE), done.stdout
    listed = json.loads(run_cannery("examples", "--json", cwd=tmp_path).stdout)["examples"]
    assert [each["name"] for each in listed] == NAMES
    assert list(tmp_path.iterdir()) == []


def test_copies_all_that_the_pages_name(tmp_path: Path) -> None:
    done = run_cannery("examples", "--all", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"(?<!catlass/)examples/[0-9]\w+(?:/[\w.]+)?", page.read_text())
        if "NN_" not in name
    }
    assert "examples/06_launch/saxpy.asc" in named
    assert sorted(name for name in named if not (tmp_path / name).exists()) == []
    for path in (ROOT / "examples").rglob("*"):
        assert (tmp_path / path.relative_to(ROOT)).exists()


def test_the_command_of_the_readme(tmp_path: Path) -> None:
    assert run_cannery("examples", "launch", cwd=tmp_path).returncode == 0
    assert [path.name for path in (tmp_path / "examples").iterdir()] == ["06_launch"]
    (words,) = re.findall("^    (cannery cc .*) && (.*)", (ROOT / "README.md").read_text(), re.M)
    done = run_cannery(*words[0].split()[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = subprocess.run([words[1]], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "0 of 131072 elements wrong: ok\n"


def test_the_prototype_of_the_pages_becomes_a_project(tmp_path: Path) -> None:
    section = (ROOT / "README.md").read_text().partition("## Your own operator")[2]
    commands = [line.strip() for line in section.partition("    cd my_ops")[0].splitlines()]
    commands = [line.partition(" #")[0] for line in commands if line.startswith("cannery ")]
    assert len(commands) == 2
    for command in commands:
        done = run_cannery(*command.split()[1:], cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "my_ops/op_proto/add_scaled.toml").is_file()
    page = (ROOT / "docs/projects.md").read_text()
    shown = page.partition("msopgen gen`:\n")[2].partition("\nThese commands")[0]
    assert json.loads(shown) == json.loads(
        (tmp_path / "examples/07_project/add_scaled.json").read_text()
    )


@pytest.mark.twin_only("the client is linked with the twin")
def test_a_client_finds_what_it_shares_with_others(tmp_path: Path) -> None:
    done = run_cannery("examples", "01_aclnn_client", "--out", "mine", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["folders"] == ["mine/01_aclnn_client"]
    folder = tmp_path / "mine" / "01_aclnn_client"
    (command,) = re.findall("^    (g\\+\\+ .*)$", (folder / "README.md").read_text(), re.M)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env={**os.environ, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith(": ok")
    # The first example has copied the shared folder; the second example uses the same folder.
    assert run_cannery("examples", "02", "--out", "mine", cwd=tmp_path).returncode == 2
    name = "moe_init_routing_v2_grad"
    assert run_cannery("examples", name, "--out", "mine", cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("lunch",), 2, "NAME: no example 'lunch'; did you mean 06_launch?"),
        (("06_lunch",), 2, "NAME: no example '06_lunch'; did you mean 06_launch?"),
        (("???",), 2, "NAME: no example '???'; expected 01_aclnn_client, 02_"),
        (("06_launch", "--out", "there"), 1, "there/06_launch: is there already; choose another"),
        (("06_launch", "--out", "file"), 1, "file: cannot be written: "),
    ],
)
def test_refused(tmp_path: Path, words: tuple[str, ...], status: int, said: str) -> None:
    (tmp_path / "there/06_launch").mkdir(parents=True)
    (tmp_path / "file").touch()
    done = run_cannery("examples", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith(f"error: {said}"), done.stderr


@pytest.mark.parametrize("words", [("nope",), ("nope", "--all"), ("--all", "launch", "nope")])
def test_an_unknown_name(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = run_cannery("examples", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert "NAME: no example 'nope'; expected 01_aclnn_client, " in done.stderr
    assert list(tmp_path.iterdir()) == []
