# SPDX-License-Identifier: Apache-2.0
"""Prints the packages that pip has to install for a purpose, from pyproject.toml, one per line.

build: to build cannery and run its tests. lint: for CI's checks of the sources.
--lock writes locks/PURPOSE.txt instead, for every Python from 3.10 on. This file has the exact
version and the hashes of each package, also of indirectly needed packages. --lock needs uv (pip
install uv).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10 has no TOML parser, but pip contains one
    from pip._vendor import tomli as tomllib

#: Without these entries, scikit-build-core would use the tools of the system if it finds them.
BUILD_TOOLS = ("cmake>=3.20", "ninja>=1.10")
#: The lock file of "lint" uses the versions of "build", so all packages fit into one environment.
PURPOSES = ("build", "lint")


def requirements(root: Path, purpose: str) -> list[str]:
    config: dict[str, Any] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    project = config["project"]
    if purpose == "lint":
        return list(project["optional-dependencies"]["lint"])
    test = project["optional-dependencies"]["test"]
    return [*config["build-system"]["requires"], *BUILD_TOOLS, *test, *project["dependencies"]]


def lock(root: Path, purpose: str) -> None:
    before = PURPOSES[: PURPOSES.index(purpose)]
    command = ["uv", "pip", "compile", "-", "--universal", "--python-version", "3.10"]
    command += ["--generate-hashes", "--no-annotate", "--quiet"]
    command += [word for name in before for word in ("--constraint", f"locks/{name}.txt")]
    command += ["--custom-compile-command", f"python tools/requirements.py --lock {purpose}"]
    command += ["--output-file", f"locks/{purpose}.txt"]
    text = "\n".join(requirements(root, purpose)) + "\n"
    subprocess.run(command, input=text, text=True, check=True, cwd=root)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--lock", action="store_true")
    parser.add_argument("purpose", choices=PURPOSES)
    arguments = parser.parse_args(argv)
    if arguments.lock:
        lock(arguments.root, arguments.purpose)
    else:
        print("\n".join(requirements(arguments.root, arguments.purpose)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
