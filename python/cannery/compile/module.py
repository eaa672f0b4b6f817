# SPDX-License-Identifier: Apache-2.0
"""cannery.load: every kernel of a source as a Python callable."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from cannery.compile.build import compile_kernel
from cannery.compile.entry import unmarked_kernels
from cannery.compile.kernel import Kernel
from cannery.compile.launch_syntax import kernel_names
from cannery.compile.process import start
from cannery.compile.request import Defines, make_request
from cannery.compile.source import read_source
from cannery.compile.toolchain import find_toolchain
from cannery.errors import CompileError

__all__ = ["KernelModule", "load"]

#: Matches a macro that contains `__global__`.
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*\b__global__\b", re.MULTILINE)
_LINE_MARK = re.compile(r'^# \d+ "((?:\\.|[^"\\])*)"[^\n]*\n', re.MULTILINE)


def _lines_of(preprocessed: str, file: str) -> str:
    """Returns the part of a preprocessed source that comes from one file."""
    _, *parts = _LINE_MARK.split(preprocessed)
    name = file.replace("\\", "\\\\").replace('"', '\\"')
    return "".join(text for at, text in zip(parts[::2], parts[1::2], strict=True) if at == name)


class KernelModule:
    """The kernels of a source: `module.add`, `module["space::add"]`, `module["scale<half, 3>"]`. A
    kernel is compiled when it is first used.
    """

    def __init__(
        self,
        path: Path,
        defines: Defines | None,
        include_dirs: Iterable[str | os.PathLike[str]],
        portable: bool,
        debug: bool,
    ) -> None:
        self._path = path
        self._portable = portable
        self._debug = debug
        self._defines = defines
        self._include_dirs = tuple(include_dirs)
        text = read_source(path, path.stem).text
        self._names = kernel_names(text)
        if not self._names or _MACRO.search(text) is not None:
            self._names |= self._made_by_macros()
        if not self._names:
            unmarked = unmarked_kernels(text, str(path))
            raise CompileError(
                "\n".join(unmarked)
                or f"{path}: no kernel in this file; expected a definition such as "
                "`__global__ __aicore__ void add(GM_ADDR x, ...) {...}`"
            )

    def _made_by_macros(self) -> dict[str, bool]:
        """Returns the kernels that the preprocessed source defines itself, not in headers."""
        toolchain = find_toolchain()
        request = make_request(self._path, "none", self._defines, self._include_dirs, None)
        options = [*toolchain.flags, *request.source_options(), "-DTWIN_LAUNCH_SITES"]
        done = start([*toolchain.command, *options, "-E", "-x", "c++", str(self._path)])
        return kernel_names(_lines_of(done.stdout, str(self._path)))

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of the kernels, in the order of the source. To use a template, add arguments to
        its name, unless ASCENDC_TPL_* declarations list its arguments.
        """
        return tuple(self._names)

    def __getitem__(self, name: str) -> Kernel:
        if not isinstance(name, str) or name.partition("<")[0].strip() not in self._names:
            known = ", ".join(f"{one}<...>" if self._names[one] else one for one in self._names)
            raise KeyError(f"no kernel {name!r} in {self._path}; it has {known}")
        options = {"portable": self._portable, "debug": self._debug}
        return compile_kernel(self._path, name, self._defines, self._include_dirs, **options)

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__") or name not in self._names:
            known = ", ".join(self._names)
            raise AttributeError(
                f"{self._path} has no kernel {name!r}; it has {known}", name=name, obj=self
            )
        return self[name]

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._names})

    def __repr__(self) -> str:
        return f"<cannery kernels of {self._path}: {', '.join(self._names)}>"


def load(
    file: str | os.PathLike[str],
    defines: Defines | None = None,
    include_dirs: Iterable[str | os.PathLike[str]] = (),
    portable: bool = True,
    debug: bool = False,
) -> KernelModule:
    """Returns the kernels of the source `file`, which is Ascend C with or without host code.

    defines, include_dirs, portable, debug: the same as for `compile_kernel`, which compiles each
    kernel when it is first used.

    Raises CompileError if there is no such file or no kernel in it.
    """
    if isinstance(include_dirs, str | os.PathLike):
        include_dirs = (include_dirs,)
    if not isinstance(file, str | os.PathLike):
        raise TypeError(f"file: expected a path, got {type(file).__name__}")
    return KernelModule(Path(file), defines, include_dirs, portable, debug)
