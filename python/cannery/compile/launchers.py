# SPDX-License-Identifier: Apache-2.0
"""Writes what `cannery cc` adds to the user's sources: a source that contains the compiled kernels,
and headers for the functions aclrtlaunch_<kernel>, as the toolkit's build makes them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from cannery.compile.hazard_comments import quoted
from cannery.compile.launch_syntax import Kernel, declaration_of_launcher

__all__ = ["carrier_source", "first_site", "write_headers"]


def write_headers(folder: Path, kernels: Iterable[Kernel]) -> None:
    """Writes a header for each function aclrtlaunch_<kernel>; an unchanged header is not written
    again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for kernel in kernels:
        if kernel.plain:
            guard = f"HEADER_ACLRTLAUNCH_{kernel.name.upper()}_H"
            text = (
                f"#ifndef {guard}\n#define {guard}\n"
                '#include "acl/acl.h"\n\n'
                "#ifndef ACLRT_LAUNCH_KERNEL\n"
                "#define ACLRT_LAUNCH_KERNEL(kernel_func) aclrtlaunch_##kernel_func\n#endif\n\n"
                f"{declaration_of_launcher(kernel)};\n\n#endif\n"
            )
            path = folder / f"aclrtlaunch_{kernel.name}.h"
            if not path.is_file() or path.read_text() != text:
                path.write_text(text)


def carrier_source(libraries: Sequence[tuple[int, Path]]) -> str:
    """Returns a C++ source that contains the libraries of kernels, each with the number of its
    launch, and registers them before main starts.
    """
    lines = ['#include "core/launch_site.h"', "namespace {"]
    rows = []
    hidden = '__attribute__((visibility("hidden")))'
    for number, (site, library) in enumerate(libraries):
        name = f"twin_library_{site}_{number}"
        path = quoted(str(library))
        lines += [
            f'extern "C" const unsigned char {name}[] {hidden};',
            f'extern "C" const unsigned char {name}_end[] {hidden};',
            f'asm(".pushsection .rodata\\n.balign 16\\n{name}: .incbin \\"{path}\\"\\n'
            f'{name}_end: .byte 0\\n.popsection");',
        ]
        rows.append(f"    {{{site}ull, {name}, {name}_end}},")
    lines += [
        "const twin::launch::Library kLibraries[] = {",
        *rows,
        "};",
        f"const bool kAdded = (twinAddLibraries(kLibraries, {len(libraries)}), true);",
        "}",
        # aclrtBinaryLoadFromFile looks for this name. Several objects of a program may define it.
        'extern "C" __attribute__((weak, visibility("default"))) const twin::launch::Libraries',
        f"    twin_carried_libraries{{kLibraries, {len(libraries)}}};",
    ]
    return "\n".join(lines) + "\n"


def first_site(path: Path) -> int:
    """Returns the number of a source's first launch, a hash that no other source has."""
    try:
        content = path.read_bytes()
    except OSError:
        content = b""
    name = os.fsencode(path.absolute())
    return int.from_bytes(hashlib.sha256(name + b"\0" + content).digest()[:6], "little") << 14
