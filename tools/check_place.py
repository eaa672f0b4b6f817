# SPDX-License-Identifier: Apache-2.0
"""Checks that .venv and build were made for this place of the checkout. Their scripts and caches
contain its path: after a move they do not start, and a copied pip even installs into the virtual
environment of the other checkout.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

#: The interpreter in the first lines of a script. pip quotes a path that is long or has spaces.
_INTERPRETER = re.compile(r"""[!"' ](/[^"'\n]*)/\.venv/bin/python""")
_SOURCE = re.compile(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.+)$", re.MULTILINE)


def other_place(checkout: Path) -> str | None:
    """Returns the former path of the checkout; None if it is still there."""
    files = {checkout / ".venv/bin/pip": _INTERPRETER}
    files |= dict.fromkeys(checkout.glob("build/wheel-*/CMakeCache.txt"), _SOURCE)
    for file, pattern in files.items():
        found = pattern.search(file.read_text("utf-8", "replace")) if file.is_file() else None
        if found is not None and found[1] != str(checkout):
            return found[1]
    return None


if __name__ == "__main__":
    before = other_place(Path(__file__).resolve().parents[1])
    if before is not None:
        sys.exit(
            f"build.sh: this checkout was at {before} when it was built; run `./build.sh clean`, "
            "which removes .venv, build and build_out, then the same command again"
        )
