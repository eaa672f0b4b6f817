# SPDX-License-Identifier: Apache-2.0
"""Every header of the twin must compile alone, in the languages of the sources that include it."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TWIN = ROOT / "twin"
sys.path.insert(0, str(ROOT / "tools"))

import twin_headers  # noqa: E402

#: Headers for sources of op_host, which the toolkit compiles as C++11.
OP_HOST = (
    *("register/", "exe_graph/", "graph/", "platform/", "tiling/", "acl/", "aclnn/", "opdev/"),
    "securec.h",
)
#: Names of host headers start with one of these prefixes, or they contain "tiling".
HOST_NAMES = ("exe_graph/", "ge/", "graph", "gnode.h", "op_", "platform/", "runtime/")
#: Headers that C programs include.
C_HEADERS = ("acl/", "securec.h")
#: Headers that only include another header of the twin. One compilation tests 40 such headers.
ALIASES = {name for name, _, _ in twin_headers.aliases(twin_headers.load(ROOT))}
FLAGS = ("-fsyntax-only", "-Wall", "-Werror", "-fdiagnostics-color=never")


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the headers that are generated from a table."""
    folder = tmp_path_factory.mktemp("include")
    twin_headers.write(ROOT, folder)
    return folder


def headers(root: Path, folder: str) -> list[str]:
    """Returns the headers below a folder of `root`, as #include names them."""
    base = root / folder if folder == "include" else root
    return sorted(path.relative_to(base).as_posix() for path in (root / folder).rglob("*.h"))


def is_host(name: str) -> bool:
    return "tiling" in name or name.startswith(HOST_NAMES)


def languages(name: str) -> list[str]:
    """Returns the language standards in which the header must compile."""
    spoken = ["c++17"]
    tiling = name.startswith("lib/") and "_tiling" in name and "/matmul/" not in name
    if tiling or name.startswith(OP_HOST):
        spoken.append("c++11")
    if name.startswith(C_HEADERS):
        spoken.append("c99")
    return spoken


def compile_alone(group: tuple[str, ...], standard: str, written: Path) -> str:
    """Compiles a source that includes each header twice; returns the errors, or "" if none."""
    compiler = ["cc", "-x", "c"] if standard == "c99" else ["c++", "-x", "c++"]
    include = [f"-I{TWIN / 'include'}", f"-I{written}", f"-I{TWIN}"]
    # Kernel headers have parameters that only the toolkit uses, so -Wextra would warn.
    more = [] if standard == "c++17" else ["-Wextra"]
    command = [*compiler, f"-std={standard}", *FLAGS, *more, *include, "-"]
    unit = "".join(f'#include "{name}"\n' for name in group) * 2
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    return f"{', '.join(group)} as {standard}:\n{done.stderr}" if done.returncode else ""


def complaints(names: list[str], written: Path) -> list[str]:
    alone = [name for name in names if name not in ALIASES]
    jobs = [((name,), standard) for name in alone for standard in languages(name)]
    for standard in ("c++17", "c++11"):
        for host in (False, True):  # host and device headers define the same names
            group = tuple(
                name for name in names
                if name in ALIASES and standard in languages(name) and is_host(name) == host
            )  # fmt: skip
            jobs += [(group[i : i + 40], standard) for i in range(0, len(group), 40)]
    with ThreadPoolExecutor(2) as pool:
        return [text for text in pool.map(lambda job: compile_alone(*job, written), jobs) if text]


@pytest.mark.release
def test_public_headers_compile_alone(written: Path) -> None:
    names = [*headers(TWIN, "include"), *headers(written, ".")]
    assert set(names) >= ALIASES
    assert complaints(names, written) == []


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["core", "device", "soc"])
def test_internal_headers_compile_alone(folder: str, written: Path) -> None:
    assert complaints(headers(TWIN, folder), written) == []
