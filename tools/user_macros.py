# SPDX-License-Identifier: Apache-2.0
"""Writes headers that protect the twin's headers from the macros of kernels, such as `M` or `Fix`.

A macro of a kernel may have a name that the twin's headers use: `-D M=16`, or a #define before the
#include. A header of the twin first includes SET_ASIDE, which removes such macros. At its end, it
includes PUT_BACK, which defines the macros again. CHECKED does the same as SET_ASIDE, and also
reports macros with names that the toolkit's headers use. twin/headers.toml lists these names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

SET_ASIDE, PUT_BACK = "core/user_macros_aside.h", "core/user_macros_back.h"
CHECKED = "core/user_macros_checked.h"
#: A header that takes long to read. PUT_BACK includes it only if a macro was removed.
LIST = "core/user_macros_list.h"
#: The headers whose names are protected: headers that a kernel includes directly or indirectly.
SOURCES = (
    *("twin/core/*.h", "twin/device/*/*.h", "twin/core/*.def", "twin/device/*/*.def"),
    *("twin/include/*.h", "twin/include/lib/**/*.h", "twin/include/kernel_tiling/*.h"),
    *("twin/include/tiling/template*.h", "twin/include/unit_test/*.h"),
)
#: Generated headers for cannery's own #include lines. Each includes the named headers of the twin
#: without the macros of the kernel.
PROTECTED = {
    "core/protected_launch_site.h": (
        *("core/launch_site.h", "core/scalar_counters.h", "device/types/assignments.h"),
    ),
    "core/protected_edits.h": ("core/scalar_counters.h", "device/types/assignments.h"),
    "core/protected_export.h": ("core/kernel_export.h",),
    "core/protected_checks.h": ("core/arithmetic.h", "device/tensor/debugger.h"),
}
#: How deeply headers that remove macros can include each other. Only the outermost one removes
#: macros. A deeper #include is an error of the preprocessor.
DEPTH = 6
TOO_DEEP = (
    f"more than {DEPTH} headers of the twin that remove the macros of kernels include each other: "
    "increase DEPTH in tools/user_macros.py"
)
NO_CODE = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:\\\n|[^\n])*)", re.MULTILINE)
WORD = re.compile(r"(?<![\w.'])[A-Za-z_]\w*")
KEYWORDS = frozenset(re.findall(r"\w+", """
    alignas alignof and asm auto bool break case catch char char16_t char32_t class const const_cast
    constexpr continue decltype default defined delete do double dynamic_cast else enum explicit
    extern false final float for friend goto if inline int long mutable namespace new noexcept not
    nullptr operator or override private protected public register reinterpret_cast return short
    signed sizeof static static_assert static_cast struct switch template this thread_local throw
    true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
"""))  # fmt: skip
#: Macros of the standard library that the twin's headers use.
STANDARD = frozenset(re.findall(r"\w+", """
    EINVAL ERANGE INT32_MAX NULL UINT32_MAX UINT64_MAX UINT8_MAX UINTPTR_MAX errno offsetof stderr
    stdin stdout va_end va_start
"""))  # fmt: skip
#: Names that no kernel uses for a macro: the twin's own names, reserved names, names of members.
RESERVED = re.compile(r"_|twin|TWIN|Twin|CANNERY|\w*_\Z")


def names(texts: Iterable[str]) -> list[str]:
    """Returns the names in the code of the headers that may also be macros of a kernel. Leaves out
    the names that the headers themselves define or test as macros.
    """
    used: set[str] = set()
    macros: set[str] = set()
    for text in texts:
        code = NO_CODE.sub(" ", text)
        for directive in DIRECTIVE.finditer(code):
            words = WORD.findall(directive[2])
            if directive[1] == "define":
                macros.update(words[:1])
                used.update(words[1:])
            elif directive[1] in ("if", "ifdef", "ifndef", "elif", "undef"):
                macros.update(words)
        used.update(WORD.findall(DIRECTIVE.sub(" ", code)))
    return sorted(
        name for name in used - macros - KEYWORDS - STANDARD if RESERVED.match(name) is None
    )


def headers(root: Path, table: dict[str, Any]) -> dict[str, str]:
    """Returns the names and the texts of the headers.

    table: the section of twin/headers.toml.
    """
    paths = sorted({path for pattern in SOURCES for path in root.glob(pattern)})
    refused = table["refused"]["names"].split()
    known = names(path.read_text("utf-8") for path in paths)
    known = sorted({*known, *refused, *table["standard"]["names"].split()})
    protected = {
        name: "".join(f'#include "{each}"\n' for each in (SET_ASIDE, *inner, PUT_BACK))
        for name, inner in PROTECTED.items()
    }
    return {
        **protected,
        SET_ASIDE: "\n".join(_set_aside(known)) + "\n",
        PUT_BACK: "\n".join(_put_back()) + "\n",
        LIST: "\n".join(_list(known)) + "\n",
        CHECKED: "\n".join([*_refused(refused), f'#include "{SET_ASIDE}"']) + "\n",
    }


def _set_aside(known: list[str]) -> Iterator[str]:
    yield "#ifndef TWIN_MACROS_ASIDE\n#define TWIN_MACROS_ASIDE 1"
    for name in known:
        yield f'#ifdef {name}\n#pragma push_macro("{name}")\n#undef {name}'
        yield f"#define TWIN_ASIDE_{name}\n#define TWIN_ANY_ASIDE\n#endif"
    yield from _steps((depth, depth + 1) for depth in range(1, DEPTH))
    yield f"#else\n#error {TOO_DEEP}\n#endif"


def _list(known: list[str]) -> Iterator[str]:
    for name in known:
        yield f"#ifdef TWIN_ASIDE_{name}\n#undef TWIN_ASIDE_{name}"
        yield f'#pragma pop_macro("{name}")\n#endif'


def _put_back() -> Iterator[str]:
    yield "#if TWIN_MACROS_ASIDE == 1\n#undef TWIN_MACROS_ASIDE\n#ifdef TWIN_ANY_ASIDE"
    yield f'#undef TWIN_ANY_ASIDE\n#include "{LIST}"\n#endif'
    yield from _steps((depth + 1, depth) for depth in range(1, DEPTH))
    yield "#endif"


def _steps(depths: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yields the lines that change the depth: from the first number of a pair to the second."""
    for before, after in depths:
        yield f"#elif TWIN_MACROS_ASIDE == {before}\n#undef TWIN_MACROS_ASIDE"
        yield f"#define TWIN_MACROS_ASIDE {after}"


def _refused(refused: list[str]) -> Iterator[str]:
    # If a macro is defined twice, the compiler names the place of the first definition.
    for name in refused:
        yield f"#ifdef {name}\n#define {name} twin_needs_this_name"
        yield f"#error macro {name} is defined before an Ascend C header that uses this name"
        yield "#endif"
