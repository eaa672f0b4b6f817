# SPDX-License-Identifier: Apache-2.0
"""A compiled kernel as a Python callable."""

from __future__ import annotations

import operator
import os
import reprlib
import threading
import warnings
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from cannery import _runtime
from cannery.compile.parameters import Parameter, encode, read_parameters
from cannery.errors import CompileError, KernelWarning, TwinOnlyError
from cannery.ops.arguments import check_numbers
from cannery.settings import current_backend

__all__ = ["Kernel", "kernel_of", "only_one"]

_MAX_BLOCKS = 2**32 - 1
_MAX_BYTES = 2**63 - 1
_MAX_KEY = 2**64 - 1
_NUMPY_TYPES = {
    "half": "np.float16",
    "bfloat16_t": "ml_dtypes.bfloat16",
    "float": "np.float32",
    "int32_t": "np.int32",
    "uint32_t": "np.uint32",
}


class Kernel:
    """A kernel that `compile_kernel` has made. Calling it launches it and waits for its end."""

    def __init__(
        self, libraries: tuple[Path, ...], name: str, arguments: tuple[str, ...] = ()
    ) -> None:
        self.libraries = libraries  #: one for each kind of core that it runs on
        self.library = libraries[0]  #: the one to load, which finds the other
        self.name = name
        self.arguments = arguments  #: names of the parameters, where the source has them
        self._parameters: tuple[Parameter, ...] = ()
        self._native: Any = None
        self._warned: set[int] = set()  #: arguments that a warning has named

    def __reduce__(self) -> tuple[object, ...]:
        return (kernel_of, (self.libraries, self.name, self.arguments))

    def __repr__(self) -> str:
        return f"<cannery kernel {self.name} from {self.library.name}>"

    def __call__(
        self,
        block_dim: int,
        *arguments: Any,
        workspace: int = 0,
        tiling: bytes = b"",
        tiling_key: int = 0,
        dump: str | os.PathLike[str] | None = None,
    ) -> None:
        """Runs `block_dim` blocks on `arguments`, given in the kernel's parameter order.

        arguments: for a pointer an array, C-contiguous and written in place; the kernel may write
        those that are writable, writing another one is an error. For a number a Python number, for
        a struct its bytes, a structured array or a ctypes struct.
        workspace: bytes of device memory, filled with 0xCB, whose address follows the arguments; 0:
        no such argument.
        tiling: bytes whose device address comes last; empty: no such argument.
        tiling_key: what TILING_KEY_IS compares with.
        dump: file for this launch's instruction stream, .txt for reading or .jsonl; overwritten.

        Raises KernelError when the kernel fails, TypeError or ValueError for arguments it cannot be
        given. Warns, once for each argument, when the kernel takes an array of float64 for another
        type (KernelWarning).
        """
        blocks = _count("block_dim", block_dim, 1, _MAX_BLOCKS)
        packed = self._packed(arguments)
        workspace_bytes = _count("workspace", workspace, 0, _MAX_BYTES)
        key = _count("tiling_key", tiling_key, 0, _MAX_KEY)
        target = b"" if dump is None else self._dump_file(dump)
        mistakes = self._launch(packed, blocks, workspace_bytes, _tiling_bytes(tiling), key, target)
        for position, element in mistakes:
            self._warn(position, element)

    def _packed(self, arguments: tuple[Any, ...]) -> list[tuple[Any, int]]:
        """Each with its offset in what the launch passes."""
        parameters = self._takes()
        packed = []
        end = 0
        for position, value in enumerate(arguments):
            where = f"argument {self._argument(position)} of kernel {self.name}"
            known = parameters[position : position + 1]
            # One too many follows the others; the launch refuses it by their number.
            parameter = known[0] if known else Parameter("pointer", 8, -(-end // 8) * 8)
            if parameter.is_array:
                _check_array(where, value)
                packed.append((value, parameter.offset))
            else:
                packed.append((encode(where, parameter, value), parameter.offset))
            end = parameter.offset + parameter.bytes
        return packed

    def _argument(self, position: int) -> str | int:
        return self.arguments[position] if position < len(self.arguments) else position

    def _warn(self, position: int, element: str) -> None:
        if position in self._warned:
            return
        self._warned.add(position)
        name = self._argument(position)
        array = name if isinstance(name, str) else "array"
        numpy_type = _NUMPY_TYPES[element]
        warnings.warn(
            f"argument {name} of kernel {self.name} is an array of float64, NumPy's default, but "
            f"the kernel takes it for GlobalTensor<{element}>\n"
            f"  try: {array}.astype({numpy_type}), for an output np.empty(shape, {numpy_type})",
            KernelWarning,
            stacklevel=3,
        )

    def _dump_file(self, dump: str | os.PathLike[str]) -> bytes:
        """Its name for the runtime; the file is empty then."""
        path = Path(dump).absolute()
        if path.suffix not in (".txt", ".jsonl"):
            raise ValueError(
                f"dump: expected a file name that ends in .txt or .jsonl, got {str(dump)!r}"
            )
        path.write_bytes(b"")
        return os.fsencode(path)

    def _takes(self) -> tuple[Parameter, ...]:
        """Where none are known, everything is an array."""
        self._open()
        return self._parameters

    def _launch(self, *arguments: Any) -> list[tuple[int, str]]:
        """Arrays that the kernel took for another type, by position."""
        done: list[tuple[int, str]] = self._open().launch(*arguments)
        return done

    def _open(self) -> Any:
        native = _runtime.native()
        if current_backend() != "twin":
            raise TwinOnlyError(
                f"kernel {self.name!r} was compiled for the twin; a card has others"
            )
        if self._native is None:
            # Half of a kernel would run, too: without the other kind of core.
            for library in self.libraries:
                if not library.is_file():
                    raise CompileError(
                        f"kernel {self.name!r} is no longer in the cache ({library}); call "
                        "compile_kernel again"
                    )
            self._parameters = read_parameters(self.library)
            self._native = native.Kernel(os.fsencode(self.library), self.name, False)
        return self._native


_loaded: dict[Hashable, Kernel] = {}
_loaded_lock = threading.Lock()


def _renew_lock() -> None:
    global _loaded_lock
    _loaded_lock = threading.Lock()


# Another thread may hold it when the process is forked.
os.register_at_fork(after_in_child=_renew_lock)


def only_one(kernel: Kernel, *more: Hashable) -> Kernel:
    """The first that was given for the same libraries: the runtime then loads each binary once."""
    with _loaded_lock:
        return _loaded.setdefault((kernel.libraries, *more), kernel)


def kernel_of(libraries: tuple[Path, ...], name: str, arguments: tuple[str, ...]) -> Kernel:
    return only_one(Kernel(libraries, name, arguments))


def _check_array(where: str, array: Any) -> None:
    check_numbers(where, array)
    if not array.flags.c_contiguous:
        raise ValueError(
            f"{where}: expected a C-contiguous array, got strides {array.strides} "
            f"for shape {array.shape}; a kernel sees bare memory, so pass np.ascontiguousarray(...)"
        )
    if not array.flags.aligned:
        raise ValueError(f"{where}: expected elements at multiples of {array.itemsize} bytes")


def _count(name: str, value: Any, low: int, high: int) -> int:
    try:
        # An array has __index__ as well, which refuses all but one element.
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{name}: expected a whole number, got {reprlib.repr(value)}")
    if not low <= number <= high:
        raise ValueError(f"{name}: expected {low} to {high}, got {number}")
    return number


def _tiling_bytes(tiling: Any) -> bytes:
    """Bytes and everything with a buffer of its own, such as a structured array or a ctypes
    struct.
    """
    try:
        return bytes(memoryview(tiling))
    except TypeError:
        raise TypeError(f"tiling: expected bytes, got {type(tiling).__name__}") from None
