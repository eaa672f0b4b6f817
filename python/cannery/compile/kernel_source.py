# SPDX-License-Identifier: Apache-2.0
"""Prepares a source so that its kernels are compiled without its launches. The build of an operator
calls `python -m cannery.compile.kernel_source SOURCE FOLDER [INCLUDE_DIR...]`, which writes a copy
of the source with checks of fields to FOLDER, copies of headers, and a list of headers for make.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from cannery.compile.launch_syntax import has_launches, without_launches
from cannery.compile.source_copies import copies_of
from cannery.opgen import literals

__all__ = ["has_host_code", "kernel_source"]

#: A source with launches is also a host program if it includes one of these headers. If it includes
#: none of them, it may be an operator's source.
_HOST_HEADER = re.compile(r'^\s*#\s*include\s*["<](acl/|tiling/|iostream)', re.MULTILINE)


def has_host_code(text: str) -> bool:
    """Returns whether the source is a host program of its own that contains kernels."""
    return "<<<" in text and has_launches(text) and _HOST_HEADER.search(text) is not None


def kernel_source(text: str, label: str, head: str = "") -> str:
    """Returns the text to compile, after the lines in `head`. Launches in it do nothing; messages
    name lines of `label`.
    """
    if "<<<" in text and has_launches(text):
        head += "#define TWIN_MIXED_UNIT\n" if has_host_code(text) else ""
        head += '#include "core/protected_launch_site.h"\n'
        text = without_launches(text)
    # The text may end in a backslash, which removes the first line end after the text.
    return f"{head}#line 1 {literals.cpp(label)}\n{text}\n\n"


def _copy(source: Path, folder: Path, include_dirs: list[str]) -> None:
    text = source.read_bytes().decode("utf-8", "surrogateescape")
    copies = copies_of(text, str(source.parent), include_dirs)
    # A copy may need the copy of a header that it did not need before.
    read = " ".join(re.sub(r"([\s#:\\])", r"\\\1", path) for path in sorted(copies.read))
    written = {
        **copies.headers,
        source.name: kernel_source(copies.text, str(source), copies.head),
        f"{source.name}.d": f"{folder / source.name}: {read}\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in written.items():
        # Several processes may write the copy of a header.
        part = folder / f"{name}.{os.getpid()}"
        part.write_bytes(content.encode("utf-8", "surrogateescape"))
        os.replace(part, folder / name)


if __name__ == "__main__":
    _copy(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
