# SPDX-License-Identifier: Apache-2.0
"""Tests that C++ programs for a card compile with the options that `cannery flags` prints."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cannery.cli import flags

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("clients") / "weights"
    source = ROOT / "tests/fixtures/clients/weights.cpp"
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-Wall", "-Wextra", "-Werror"]
    command += [*flags.compile_flags(), str(source), "-o", str(program), *flags.link_flags()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


def run(program: Path, **env: str) -> list[str]:
    done = subprocess.run(
        [program], capture_output=True, text=True, check=False, env={**os.environ, **env}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_every_public_function_of_a_family_gives_the_same_bits(client: Path) -> None:
    assert run(client) == ["same 1", "1"]


def test_sentences_of_failures_are_printed_on_request(client: Path) -> None:
    printed = run(client, ASCEND_SLOG_PRINT_TO_STDOUT="1")
    assert printed[:2] == ["same 1", "1"]
    assert len(printed) == 3
    assert "WeightNzV2GetWorkspaceSize: w has dtype int8 in format FRACTAL_NZ" in printed[2]
    silent = run(client, ASCEND_SLOG_PRINT_TO_STDOUT="1", ASCEND_GLOBAL_LOG_LEVEL="4")
    assert silent == ["same 1", "1"]
