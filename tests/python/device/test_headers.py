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
    tiling = name.startswith("lib/") and "_tiling" in name and "/matmul/" not in name
    if name != header and (tiling or name.startswith(OP_HOST)):
        spoken.append("c++11")
    if name in C_HEADERS:
        spoken.append("c99")
    return spoken


def forwards(header: str) -> bool:
    """Whether a header of lib/ has one #include and nothing else: it compiles where that does."""
    if not header.startswith("include/lib/"):
        return False
    lines = (TWIN / header).read_text("utf-8").splitlines()
    code = [line for line in lines if line and not line.startswith(("//", "#ifndef", "#endif"))]
    return len(code) == 2 and code[0].startswith("#define") and code[1].startswith('#include "')


def compile_alone(job: tuple[tuple[str, ...], str]) -> str:
    """What the compiler says about a source that has the headers twice and nothing else."""
    group, standard = job
    compiler = ["cc", "-x", "c"] if standard == "c99" else ["c++", "-x", "c++"]
    include = [f"-I{TWIN / 'include'}", f"-I{TWIN}"]
    command = [*compiler, f"-std={standard}", *FLAGS, *include, "-"]
    unit = "".join(f'#include "{header.removeprefix("include/")}"\n' for header in group) * 2
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    return f"{', '.join(group)} as {standard}:\n{done.stderr}" if done.returncode else ""


def complaints(names: list[str]) -> list[str]:
    alone = [name for name in names if not forwards(name)]
    jobs = [((name,), standard) for name in alone for standard in languages(name)]
    for standard in ("c++17", "c++11"):
        for host in (False, True):  # names of either side clash
            group = tuple(
                n for n in names
                if forwards(n) and standard in languages(n) and ("tiling" in n) == host
            )  # fmt: skip
            jobs += [(group[i : i + 40], standard) for i in range(0, len(group), 40)]
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(compile_alone, jobs) if text]


def test_public_headers_compile_alone() -> None:
    assert complaints(headers("include")) == []


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["core", "device", "soc"])
def test_internal_headers_compile_alone(folder: str) -> None:
    assert complaints(headers(folder)) == []
