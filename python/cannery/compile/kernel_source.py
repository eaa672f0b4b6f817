# SPDX-License-Identifier: Apache-2.0
"""Prepares a source so that its kernels are compiled without its launches. The build of an operator
calls `python -m cannery.compile.kernel_source SOURCE COPY`, which writes the result to COPY.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from cannery.compile.hazard_comments import kept_comments, named_files
from cannery.compile.launch_syntax import has_launches, without_launches
from cannery.compile.manifest import read_regular
from cannery.opgen import literals

__all__ = ["comments_of_files", "has_host_code", "kernel_source"]

#: A source with launches is also a host program if it includes one of these headers. If it includes
#: none of them, it may be an operator's source.
_HOST_HEADER = re.compile(r'^\s*#\s*include\s*["<](acl/|tiling/|iostream)', re.MULTILINE)


def has_host_code(text: str) -> bool:
    """Returns whether the source is a host program of its own that contains kernels."""
    return "<<<" in text and has_launches(text) and _HOST_HEADER.search(text) is not None


def kernel_source(text: str, label: str) -> str:
    """Returns the text to compile. Launches in it do nothing; messages name lines of `label`."""
    head = ""
    if "<<<" in text and has_launches(text):
        head = "#define TWIN_MIXED_UNIT\n" if has_host_code(text) else ""
        head += '#include "core/protected_launch_site.h"\n'
        text = without_launches(text)
    # The text may end in a backslash, which removes the first line end after the text.
    return f"{head}#line 1 {literals.cpp(label)}\n{text}\n\n"


def comments_of_files(preprocessed: str, own: Path) -> str:
    """Returns code that stores the hazard-ok comments of the user's files, because the files may
    not exist where the program runs.

    own: the folder of the twin's headers.
    """
    sources = []
    for name in named_files(preprocessed):
        content = None if own in Path(name).parents else read_regular(name)
        if content is not None and b"hazard-ok" in content.lower():
            sources.append((name, content.decode("utf-8", "surrogateescape")))
    return kept_comments(sources)


if __name__ == "__main__":
    source, copy = map(Path, sys.argv[1:])
    text = source.read_bytes().decode("utf-8", "surrogateescape")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(kernel_source(text, str(source)).encode("utf-8", "surrogateescape"))
