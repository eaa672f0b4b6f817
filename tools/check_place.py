# SPDX-License-Identifier: Apache-2.0
"""Checks that .venv and build were made at the present path of the checkout. Their scripts and
caches contain this path. After a move, the scripts do not start. After a copy, pip even installs
into the virtual environment of the other checkout.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

#: The path of the interpreter in the first lines of a script. pip puts it into quotes if it is long
#: or contains spaces.
_INTERPRETER = re.compile(r"""[!"' ](/[^"'\n]*)/\.venv/bin/python""")
_SOURCE = re.compile(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.+)$", re.MULTILINE)


def other_place(checkout: Path) -> str | None:
    """Returns the path for which .venv or build was made; None if it is the path `checkout`."""
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
