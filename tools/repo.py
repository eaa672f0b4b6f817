# SPDX-License-Identifier: Apache-2.0
"""Lists of files and operators that the gates use."""

from __future__ import annotations

import subprocess
from pathlib import Path


def list_files(root: Path) -> list[str]:
    """Returns the relative paths of all files that are or could be committed, sorted.

    Outside a git checkout, as in an unpacked source archive, every file of the tree counts.
    """
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        names = listed.splitlines()
    except (OSError, subprocess.CalledProcessError):
        names = [path.relative_to(root).as_posix() for path in root.rglob("*")]
    return sorted({name for name in names if (root / name).is_file()})


def operators(root: Path) -> list[str]:
    """Returns the names of all operators in snake case."""
    return sorted(path.stem for path in (root / "op_proto").glob("*.toml"))
