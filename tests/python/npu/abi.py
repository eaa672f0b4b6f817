# SPDX-License-Identifier: Apache-2.0
"""Writes the declarations of our acl headers as a C++ file, which compiles with other acl
headers only if their declarations agree with ours."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_FUNCTION = re.compile(
    r"^ACL_FUNC_VISIBILITY\s+([^;]*?\b(\w+)\([^;]*\));", re.MULTILINE | re.DOTALL
)
_ENUM = re.compile(r"typedef enum\s*\w*\s*\{(.*?)\}", re.DOTALL)
_STRUCT = re.compile(r"typedef (?:struct|union)\s*\w*\s*\{[^}]*\}\s*(\w+);", re.DOTALL)
_NUMBER = re.compile(
    r"^(?:#define\s+(ACL_(?!\w+_VERSION)\w+)\s+\d\w*|static const int\s+(ACL_\w+)\s*=)",
    re.MULTILINE,
)


class Headers:
    """The functions, numbers and structures that some of our headers declare."""

    def __init__(self, paths: Iterable[Path]) -> None:
        text = "\n".join(_COMMENT.sub("", path.read_text("utf-8")) for path in paths)
        #: Declarations by name, without visibility macros.
        self.functions = {name: " ".join(found.split()) for found, name in _FUNCTION.findall(text)}
        enumerators = [
            entry.split("=")[0].strip() for body in _ENUM.findall(text) for entry in body.split(",")
        ]
        constants = ["".join(pair) for pair in _NUMBER.findall(text)]
        self.numbers = [name for name in (*enumerators, *constants) if name]
        self.structs = _STRUCT.findall(text)

    def values(self, include: Path, folder: Path) -> dict[str, int]:
        """Compiles and runs a program that prints every number and the size of every structure."""
        rows = [f'show("{name}", {name});' for name in self.numbers]
        rows += [f'show("{name}", sizeof({name}));' for name in self.structs]
        source, program = folder / "values.cpp", folder / "values"
        source.write_text(
            '#include <cstdio>\n#include "acl/acl.h"\n'
            "static void show(const char* name, long long value) {\n"
            '    std::printf("%s %lld\\n", name, value);\n}\n'
            "int main() {\n" + "\n".join(rows) + "\n}\n"
        )
        subprocess.run(["g++", f"-I{include}", str(source), "-o", str(program)], check=True)
        done = subprocess.run([program], capture_output=True, text=True, check=True)
        return {name: int(value) for name, value in map(str.split, done.stdout.splitlines())}

    def assertions(self, values: dict[str, int], leave_out: Iterable[str] = ()) -> str:
        """Returns a C++ file of static assertions about functions, numbers and structures."""
        lines = ['#include <type_traits>\n#include "acl/acl.h"', "namespace ours {"]
        functions = {name: self.functions[name] for name in self.functions if name not in leave_out}
        lines += [f"{declaration};" for declaration in functions.values()]
        lines.append("}  // namespace ours")
        for name in functions:
            lines.append(
                f"static_assert(std::is_same<decltype(&ours::{name}), decltype(&::{name})>::value, "
                f'"{name}");'
            )
        for name in self.numbers:
            lines.append(f'static_assert({name} == {values[name]}, "{name}");')
        for name in self.structs:
            lines.append(f'static_assert(sizeof({name}) == {values[name]}, "{name}");')
        return "\n".join(lines) + "\n"


def complaints(source: Path, *include: Path) -> str:
    """Compiles the file and returns the messages, which are empty if the headers agree."""
    command = ["g++", "-std=c++11", "-fsyntax-only", "-w", *(f"-I{path}" for path in include)]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    return done.stderr
