# SPDX-License-Identifier: Apache-2.0
"""Every header of the twin compiles alone, in the language of those who include it."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TWIN = ROOT / "twin"

#: Sources of op_host are C++11 on the toolkit's side.
OP_HOST = ("register/", "exe_graph/", "graph/", "platform/", "tiling/", "acl/", "aclnn/")
#: What C clients include.
C_HEADERS = ("acl/acl.h", "acl/acl_base.h", "acl/acl_rt.h")
FLAGS = ("-fsyntax-only", "-Wall", "-Werror", "-fdiagnostics-color=never")


def headers(*folders: str) -> list[str]:
    found = [path for folder in folders for path in (TWIN / folder).rglob("*.h")]
    return sorted(path.relative_to(TWIN).as_posix() for path in found)


def languages(header: str) -> list[str]:
    """Arguments of the compiler, one string per language that the header must speak."""
    name = header.removeprefix("include/")
    spoken = ["c++17"]
    if name != header and name.startswith(OP_HOST):
        spoken.append("c++11")
    if name in C_HEADERS:
        spoken.append("c99")
    return spoken


def compile_alone(job: tuple[str, str]) -> str:
    """What the compiler says about a source that has the header twice and nothing else."""
    header, standard = job
    compiler = ["cc", "-x", "c"] if standard == "c99" else ["c++", "-x", "c++"]
    include = [f"-I{TWIN / 'include'}", f"-I{TWIN}"]
    command = [*compiler, f"-std={standard}", *FLAGS, *include, "-"]
    name = header.removeprefix("include/")
    unit = f'#include "{name}"\n' * 2
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    return f"{header} as {standard}:\n{done.stderr}" if done.returncode else ""


def complaints(names: list[str]) -> list[str]:
    jobs = [(name, standard) for name in names for standard in languages(name)]
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(compile_alone, jobs) if text]


def test_public_headers_compile_alone() -> None:
    assert complaints(headers("include")) == []


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["core", "device", "soc"])
def test_internal_headers_compile_alone(folder: str) -> None:
    assert complaints(headers(folder)) == []
