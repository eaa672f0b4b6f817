# SPDX-License-Identifier: Apache-2.0
"""Comments `// hazard-ok: CODE reason`, kept beside the code that they speak of: kernels run where
their sources are not. `python hazard_comments.py FOLDER HEADER` does it for an operator project.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

__all__ = ["comments_of", "kept_comments", "named_files"]

_MARK = re.compile(r"hazard-ok", re.IGNORECASE)
#: A file that the preprocessor has read; the system's headers have the flag 3.
_MARKER = re.compile(r'^# \d+ "((?:[^"\\\n]|\\.)+)"(?! .*\b3\b)', re.MULTILINE)
_SECTION = "twin_hazard_ok"


def kept_comments(sources: Iterable[tuple[str, str]]) -> str:
    """C++ that leaves the comments of `sources`, (name, text), in the object: a section that is not
    loaded (twin/core/kernel_image.cpp reads it), with name, line and text of each such line, and of
    each source its name with line 0.
    """
    fields = [
        field
        for name, text in sources
        for line, content in [(0, ""), *comments_of(text)]
        for field in (name, str(line), content)
    ]
    words = "".join(f'    "{_quoted(field)}\\\\000"\n' for field in fields)
    return (
        f'asm(".pushsection {_SECTION}, \\"\\", %progbits\\n.ascii \\""\n'
        f'{words}    "\\"\\n.popsection");\n'
    )


def comments_of(text: str) -> list[tuple[int, str]]:
    """Number and text of every line that has such a comment, or something like it."""
    if _MARK.search(text) is None:
        return []
    lines = enumerate(text.split("\n"), 1)
    return [(number, line.strip()) for number, line in lines if _MARK.search(line)]


def named_files(preprocessed: str) -> list[str]:
    """What a preprocessed source was made of, by the names that its calls know."""
    names = dict.fromkeys(_MARKER.findall(preprocessed))
    return [re.sub(r"\\(.)", r"\1", name) for name in names if not name.startswith("<")]


def _quoted(field: str) -> str:
    """For the assembler, inside a C++ string."""
    raw = field.encode("utf-8", "surrogateescape")
    plain = b" ()[]{}<>:;,.-_+=/*&|!#"
    return "".join(
        chr(byte) if (chr(byte).isalnum() and byte < 0x80) or byte in plain else f"\\\\{byte:03o}"
        for byte in raw
    )


def _write(folder: Path, header: Path) -> None:
    """The header for all kernel sources of a project, named from `folder` on."""
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".cpp", ".h", ".hpp"))
    sources = [
        (path.relative_to(folder).as_posix(), path.read_bytes().decode("utf-8", "surrogateescape"))
        for path in paths
    ]
    text = "// For the hazard checker.\n" + kept_comments(sources)
    header.parent.mkdir(parents=True, exist_ok=True)
    # Whatever includes it is not compiled anew for nothing.
    if not header.is_file() or header.read_bytes() != text.encode():
        header.write_bytes(text.encode())


if __name__ == "__main__":
    _write(Path(sys.argv[1]), Path(sys.argv[2]))
