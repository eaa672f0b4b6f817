# SPDX-License-Identifier: Apache-2.0
"""`cannery package`: makes the file that installs a project's operators."""

from __future__ import annotations

import sys
from pathlib import Path

from cannery.cli import output
from cannery.package import PackageError, pack

__all__ = ["show"]


def show(tree: Path | None, out: Path, as_json: bool) -> None:
    """Packs a vendor tree into a .run file and prints the file's path."""
    made = pack(tree or _only_tree(Path("build/opp/vendors")), out).resolve()
    if as_json:
        output.print_json({"package": str(made)})
    else:
        sys.stdout.write(f"wrote {made}\n")


def _only_tree(vendors: Path) -> Path:
    """Returns the only vendor tree in a folder; raises PackageError unless there is exactly one."""
    trees = sorted(path.parent for path in vendors.glob("*/version.info"))
    if len(trees) != 1:
        found = ", ".join(tree.name for tree in trees) or "nothing"
        raise PackageError(
            f"{vendors.absolute()}: expected exactly one folder <vendor>, found {found}; "
            "build the project first, or name the folder"
        )
    return trees[0]
