# SPDX-License-Identifier: Apache-2.0
"""`cannery package`: makes the file that installs a project's operators."""

from __future__ import annotations

import sys
from pathlib import Path

from cannery.cli import output
from cannery.cli.build import check_is_project
from cannery.package import PackageError, pack
from cannery.packages import calls_npu_op

__all__ = ["show"]


def show(tree: Path | None, out: Path, as_json: bool) -> None:
    """Packs a vendor tree into a .run file, and prints the file's path. `tree` may be a project."""
    if tree is None or (tree / "op_host").is_dir() or calls_npu_op(tree):
        tree = _only_tree(tree or Path())
    made = pack(tree, out).resolve()
    if as_json:
        output.print_json({"package": str(made)})
    else:
        sys.stdout.write(f"wrote {made}\n")


def _only_tree(project: Path) -> Path:
    """Returns the only vendor tree that the project's build left; raises CanneryError if there is
    none, or more than one.
    """
    vendors = project / "build" / "opp" / "vendors"
    trees = sorted(path.parent for path in vendors.glob("*/version.info"))
    if not trees:
        check_is_project(project)
        raise PackageError(f"{project.absolute()}: is not built yet; run `cannery build` first")
    if len(trees) > 1:
        raise PackageError(
            f"{vendors.absolute()}: expected one folder <vendor>, found "
            f"{', '.join(tree.name for tree in trees)}; name one of them"
        )
    return trees[0]
