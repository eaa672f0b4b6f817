# SPDX-License-Identifier: Apache-2.0
"""Stores comments `// hazard-ok: CODE reason` in the compiled kernel, because the sources may not
exist where the kernel runs. `python hazard_comments.py FOLDER HEADER` writes a header with the
comments of an operator project.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["comments_of", "kept_comments", "named_files", "quoted"]

_MARK = re.compile(r"hazard-ok", re.IGNORECASE)
#: Matches a line marker of the preprocessor, except for system headers, which have the flag 3.
_MARKER = re.compile(r'^# \d+ "((?:[^"\\\n]|\\.)+)"(?! .*\b3\b)', re.MULTILINE)
_SECTION = "twin_hazard_ok"


def kept_comments(sources: Iterable[tuple[str, str]]) -> str:
    """Returns C++ code that stores the comments of `sources`, pairs of name and text, in a section
    of the object file. twin/core/kernel_image.cpp reads this section from the file. Each entry has
    file name, line and text of a comment. Each source also has an entry with line 0 and no text.
    """
    fields = [
        field
        for name, text in sources
        for line, content in [(0, ""), *comments_of(text)]
        for field in (name, str(line), content)
    ]
    words = "".join(f'    "{quoted(field)}\\\\000"\n' for field in fields)
    return (
        f'asm(".pushsection {_SECTION}, \\"\\", %progbits\\n.ascii \\""\n'
        f'{words}    "\\"\\n.popsection");\n'
    )


def comments_of(text: str) -> list[tuple[int, str]]:
    """Returns number and text of every line with a hazard-ok comment, even a malformed one."""
    if _MARK.search(text) is None:
        return []
    lines = enumerate(text.split("\n"), 1)
    return [(number, line.strip()) for number, line in lines if _MARK.search(line)]


def named_files(preprocessed: str) -> list[str]:
    """Returns the names of the files in a preprocessed source, as debug information spells them."""
    names = dict.fromkeys(_MARKER.findall(preprocessed))
    return [re.sub(r"\\(.)", r"\1", name) for name in names if not name.startswith("<")]


def quoted(field: str) -> str:
    """Escapes `field` for a string literal of the assembler inside a C++ string literal."""
    raw = field.encode("utf-8", "surrogateescape")
    plain = b" ()[]{}<>:;,.-_+=/*&|!#"
    return "".join(
        chr(byte) if (chr(byte).isalnum() and byte < 0x80) or byte in plain else f"\\\\{byte:03o}"
        for byte in raw
    )


def _write(folder: Path, header: Path) -> None:
    """Writes a header with the comments of all sources below `folder`, by relative file names."""
    build = header.parent.parent  # the folder may contain the build folder
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix in (".cpp", ".h", ".hpp") and not path.is_relative_to(build)
    )
    sources = [
        (path.relative_to(folder).as_posix(), path.read_bytes().decode("utf-8", "surrogateescape"))
        for path in paths
    ]
    text = "// For the hazard checker.\n" + kept_comments(sources)
    header.parent.mkdir(parents=True, exist_ok=True)
    # An unchanged header is not written again, so that nothing is recompiled because of it.
    if not header.is_file() or header.read_bytes() != text.encode():
        header.write_bytes(text.encode())


if __name__ == "__main__":
    _write(Path(sys.argv[1]), Path(sys.argv[2]))
