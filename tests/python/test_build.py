# SPDX-License-Identifier: Apache-2.0
"""build.sh must show progress and failures; one build of the twin serves all Python versions."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

PIP = """#!/usr/bin/env bash
[[ " $* " == *" --editable "* ]] || exit 0
for each in 1 2 3 4 5 6 7 8 9 10; do
    echo "  [$each/10] Building CXX object twin/file_$each.o"
done
if [ -n "${BREAK:-}" ]; then
    echo "  FAILED: twin/file_3.o"
    echo "  twin/file_3.cpp:4:5: error: expected ';'"
    exit 1
fi
"""


@pytest.fixture
def checkout(repository: Path, tmp_path: Path) -> Path:
    """Returns a folder with build.sh, and a pip that prints build steps but builds nothing."""
    shutil.copy(repository / "build.sh", tmp_path)
    (tmp_path / "tools").mkdir()
    shutil.copy(repository / "tools/check_place.py", tmp_path / "tools")
    (tmp_path / "locks").mkdir()
    (tmp_path / "locks" / "build.txt").write_text("")
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "pip").write_text(PIP)
    (programs / "pip").chmod(0o755)
    return tmp_path


def build(checkout: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["./build.sh", *(arguments or ("build", "-j1"))],
        cwd=checkout,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_build_shows_how_far_it_is(checkout: Path) -> None:
    done = build(checkout)
    assert done.returncode == 0, done.stderr
    for step in ("1 of 10 steps", "5 of 10 steps", "10 of 10 steps"):
        assert f"build.sh: {step}\n" in done.stderr
    assert "file_7.o" not in done.stderr
    assert "file_7.o" in (checkout / "build" / "build.log").read_text()


def test_a_build_that_fails_shows_why(checkout: Path) -> None:
    done = build(checkout, BREAK="1")
    assert done.returncode == 1
    assert "file_3.cpp:4:5: error: expected ';'" in done.stderr
    assert "file_7.o" not in done.stderr
    assert done.stderr.endswith("build/build.log has the whole output\n")


@pytest.mark.parametrize(
    "line",
    [
        "#!{}/.venv/bin/python3",
        """#!/bin/sh
'{quotes}exec' "{}/.venv/bin/python3" "$0" "$@\"""",
    ],
)
def test_a_checkout_that_was_moved(checkout: Path, line: str) -> None:
    """build.sh finds the old path in the scripts of the virtual environment."""
    pip = checkout / ".venv/bin/pip"
    pip.write_text(line.format("/home/ann/my cannery", quotes="''") + "\n")
    done = build(checkout)
    assert done.returncode == 1
    assert done.stderr == (
        "build.sh: this checkout was at /home/ann/my cannery when it was built; run `./build.sh "
        "clean`, which removes .venv, build and build_out, then the same command again\n"
    )
    assert build(checkout, "clean").returncode == 0
    assert not (checkout / ".venv").exists()


def test_a_build_folder_that_was_moved(checkout: Path) -> None:
    cache = checkout / "build/wheel-release/CMakeCache.txt"
    cache.parent.mkdir(parents=True)
    cache.write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={checkout.resolve()}\n")
    assert build(checkout).returncode == 0
    cache.write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/home/ann/cannery\n")
    done = build(checkout)
    assert done.returncode == 1
    assert "this checkout was at /home/ann/cannery when it was built; run `./build" in done.stderr


#: A replacement for pip. Like pip, it prints an error and ends if the user interrupts it.
INTERRUPTED = """#!/usr/bin/env bash
[[ " $* " == *" --editable "* ]] || exit 0
trap 'echo "ERROR: Operation cancelled by user"; exit 1' INT
echo "  [1/10] Building CXX object twin/file_1.o"
for each in {1..600}; do sleep 0.1; done
"""


def test_an_interrupted_build_says_how_to_go_on(checkout: Path) -> None:
    (checkout / ".venv/bin/pip").write_text(INTERRUPTED)
    with subprocess.Popen(
        ["./build.sh", "build"],
        cwd=checkout,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # If a shell has started the tests in the background, SIGINT may be ignored. Restore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert any("1 of 10 steps" in line for line in lines)
        os.killpg(process.pid, signal.SIGINT)
        said = "".join(lines)
    assert process.returncode == 130
    assert said.endswith("build.sh: interrupted; the same command continues the build\n")
    assert "FAILED" not in said


def test_a_package_for_a_card_is_made_by_cannery_package(checkout: Path) -> None:
    python = checkout / ".venv/bin/python"
    python.write_text('#!/bin/sh\necho "PYTHONPATH=$PYTHONPATH $*"\n')
    python.chmod(0o755)
    done = build(checkout, "package", "--soc=ascend910b,ascend910_93")
    assert done.returncode == 0, done.stderr
    wanted = "-B -m cannery package . --soc ascend910b,ascend910_93 --out build_out"
    assert done.stdout.splitlines()[-1] == f"PYTHONPATH=python {wanted}"
    done = build(checkout, "build", "--soc=ascend910b")
    assert done.returncode == 2
    assert "--soc belongs to package" in done.stderr


def commands(repository: Path, build: Path, python: Path) -> dict[str, Any]:
    """Configures a build for `python` and returns the compile command of each source."""
    site = sysconfig.get_path("purelib")
    pybind = subprocess.run(
        [sys.executable, "-m", "pybind11", "--cmakedir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    configure = ["cmake", "-G", "Ninja", "-S", str(repository), "-B", str(build)]
    options = [f"-DPython_EXECUTABLE={python}", f"-Dpybind11_DIR={pybind}", "-DCANNERY_UNITS=OFF"]
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        [*configure, *options],
        env={**os.environ, "PATH": programs, "PYTHONPATH": site},
        check=True,
        capture_output=True,
        timeout=300,
    )
    entries = json.loads((build / "compile_commands.json").read_text())
    return {entry["file"]: entry["command"] for entry in entries}


@pytest.mark.release
def test_only_the_native_module_depends_on_the_python(repository: Path, tmp_path: Path) -> None:
    other = tmp_path / "other-python"
    venv.create(other, with_pip=False, symlinks=False)
    first = commands(repository, tmp_path / "build", Path(sys.executable))
    second = commands(repository, tmp_path / "build", other / "bin" / "python")
    assert len(first) > 200
    native = str(repository / "python" / "src")
    headers = sysconfig.get_path("include")
    for file, command in first.items():
        if not file.startswith(native):
            assert second[file] == command
            assert headers not in command
    assert headers in first[f"{native}/module.cpp"]


def test_the_build_folder_is_not_per_python_version(repository: Path) -> None:
    line = next(
        each
        for each in (repository / "pyproject.toml").read_text().splitlines()
        if each.startswith("build-dir")
    )
    assert "tag}" not in line
    assert "python" not in line.partition("#")[0]


def test_generators_leave_unchanged_files_alone(repository: Path, tmp_path: Path) -> None:
    """A second run of the generators changes no file, so that nothing is compiled again."""

    def generate() -> dict[Path, int]:
        opgen = [sys.executable, "-B", str(repository / "python/cannery/opgen")]
        proto = ["--proto", str(repository / "op_proto"), "--out", str(tmp_path / "operators")]
        subprocess.run([*opgen, *proto], check=True)
        errors = [sys.executable, "-B", str(repository / "tools" / "error_codes.py")]
        made = ["--table", str(tmp_path / "table.inc"), "--json", str(tmp_path / "errors.json")]
        subprocess.run([*errors, *made], check=True)
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        return {path: path.stat().st_mtime_ns for path in files}

    before = generate()
    assert len(before) > 20
    assert generate() == before
