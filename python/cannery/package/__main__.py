# SPDX-License-Identifier: Apache-2.0
"""Runs `python -m cannery.package TREE OUT`, for builds before `cannery` itself is installed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from cannery.package.pack import PackageError, pack


def main() -> int:
    parser = argparse.ArgumentParser(prog="cannery.package", description=pack.__doc__)
    parser.add_argument("tree", type=Path, help="vendors/<vendor>, as a build leaves it")
    parser.add_argument("out", type=Path, help="folder for the package")
    arguments = parser.parse_args()
    try:
        made = pack(arguments.tree, arguments.out)
    except (OSError, PackageError) as error:
        print(f"package: {error}", file=sys.stderr)
        return 1
    print(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
