# SPDX-License-Identifier: Apache-2.0
"""A compiled kernel as a Python callable."""

from __future__ import annotations

import os
import tempfile
import threading
import warnings
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery import _runtime
from cannery.compile.arrays import check_array, type_warning
from cannery.compile.call import Call, copy_of, values_setting
from cannery.compile.coverage import (
    COVERAGE,
    Coverage,
    Outputs,
    coverage_of,
    read_coverage,
)
from cannery.compile.parameters import Parameter, encode, read_parameters
from cannery.compile.recording import UB_MAP, Recording, Writer, read_dump, recorded_files
from cannery.compile.ub_map import UbMap, read_ub_map
from cannery.errors import CanneryError, CompileError, KernelError, KernelWarning, TwinOnlyError
from cannery.settings import DEFAULT_HAZARDS, current_backend

__all__ = ["NULL", "Kernel", "kernel_of", "only_one"]

#: An argument for a kernel's pointer: the kernel gets a null pointer, as for an absent input.
NULL = object()

Array = npt.NDArray[Any]

_PARAM_INVALID = 107000


class Kernel:
    """A compiled kernel. Calling the object launches the kernel and waits for its end."""

    def __init__(
        self, libraries: tuple[Path, ...], name: str, arguments: tuple[str, ...] = ()
    ) -> None:
        self.libraries = libraries  #: one library for each kind of core that the kernel uses
        self.library = libraries[0]  #: the library to load; the twin finds the other one
        self.name = name
        self.arguments = arguments  #: names of the parameters, if the source has them
        self._parameters: tuple[Parameter, ...] = ()
        self._native: Any = None
        self._recording: Recording | None = None
        self._coverage: tuple[Coverage, ...] | None = None
        self._map: UbMap | None = None
        self._last: Call | None = None
        self._calls: dict[int, Call] = {}  #: the last call with each tiling key, even if it failed
        #: positions and dtypes of arguments that a warning has named
        self._warned: set[tuple[int, np.dtype[Any]]] = set()

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
        dump_values: int | None = None,
        record: bool = False,
        outputs: Iterable[str | Array] | None = None,
    ) -> None:
        """Runs `block_dim` blocks on `arguments`, given in the kernel's parameter order.

        arguments: for a pointer, a C-contiguous array, which the kernel reads and writes in place;
        writing to an array that is not writable is an error. For a number, a Python number. For a
        struct, bytes, a structured array or a ctypes struct.
        workspace: bytes of device memory, filled with NaNs, whose address follows the arguments; 0:
        no such argument.
        tiling: bytes whose device address is the last argument; empty: no such argument.
        tiling_key: the number that TILING_KEY_IS compares with.
        dump: a .txt or .jsonl file for this launch's instruction stream; an old file is replaced.
        dump_values: number of first elements that the dump shows of each operand, with a CRC-32 of
        all elements. Inputs are read before the instruction runs, outputs after the instruction.
        record: stores the stream for `who_wrote` and `coverage`; otherwise they run the call again.
        outputs: arrays, or their names in the kernel, that the kernel must write completely. They
        are filled with a pattern before the launch. If `outputs` is given, even as an empty list,
        the call stores what `coverage` returns.

        Raises KernelError if the kernel fails, IncompleteOutputError if the kernel leaves elements
        of `outputs` unwritten, and TypeError or ValueError for wrong arguments.
        Issues a KernelWarning, once per argument and dtype, if the kernel uses an array as another
        type than the array's dtype.
        """
        call = Call.of(block_dim, arguments, workspace, tiling, tiling_key)
        packed = self._packed(call, arguments)
        if dump_values is not None and dump is None:
            raise ValueError("dump_values: expected with dump, a file for them")
        values = {} if dump_values is None else values_setting(dump_values)
        required = None if outputs is None else Outputs(outputs, self._arrays_of(arguments))
        self._recording, self._last, self._map, self._coverage = None, None, None, None
        self._calls.pop(call.key, None)  # makes this call the last entry
        self._calls[call.key] = call
        with recorded_files(dump, record, coverage=required is not None) as files:
            native = self._native_for(call, files)
            if required is not None:  # only now: a refused call must not change its arrays
                required.fill()
            mistakes = self._launch(native, packed, call, files, values)
            self._read_records(files, record, self._arrays_of(arguments))
        self._last = call
        for position, element in mistakes:
            self._warn(position, element, arguments[position].dtype)
        for position, value in enumerate(arguments):
            if isinstance(value, np.ndarray) and value.dtype.kind == "c":
                self._warn(position, None, value.dtype)
        if required is not None:
            required.check(self.name, self.coverage())

    def who_wrote(self, array: str | Array, element: int | tuple[int, ...]) -> Writer | None:
        """Returns the last instruction that wrote an element of an argument in the last call:
        `k.who_wrote(out, (3, 5)).line`. Returns None if no instruction wrote it.

        If the call did not have `record=True`, it is run again on copies of its arrays as they are
        now. The result can be wrong if the addresses that the kernel writes depend on data that the
        kernel has overwritten.

        array: the array that was passed, or its name in the kernel.   element: an index in the flat
        array, or an index for each dimension. If several cores wrote the element, the last one in
        the order of blocks is returned, with the other ones as `.others`.
        """
        return self._recorded().who_wrote(array, element)

    def coverage(self, *arrays: str | Array) -> tuple[Coverage, ...]:
        """Returns, for each of these arrays of the last call, the elements that no core wrote and
        the elements that several cores wrote. Without arguments, returns this for each array that
        the call wrote to. Like `who_wrote`, this function runs the call again, unless the call had
        `outputs` or `record=True`.
        """
        if self._coverage is None:
            with tempfile.TemporaryDirectory(prefix="cannery-") as folder:
                file = Path(folder) / "coverage.json"
                arguments = self._again(self._finished(), {COVERAGE: file})
                self._coverage = read_coverage(file, self._arrays_of(arguments))
        if not arrays:
            return self._coverage
        known = self._arrays_of(self._finished().given(self.name))
        return tuple(coverage_of(each, known, self._coverage) for each in arrays)

    def ub_map(
        self,
        block_dim: int | None = None,
        *arguments: Any,
        workspace: int = 0,
        tiling: bytes = b"",
        tiling_key: int | None = None,
    ) -> UbMap:
        """Returns which queues and buffers had which part of the local memories, and what was free:
        `print(k.ub_map())`, `k.ub_map().save("map.svg")`.

        Without arguments, the map shows the last call; with only `tiling_key`, the last call with
        this key. This call runs again on copies of its arrays as they are now, unless it is the
        last call and had `record=True`. With arguments, the kernel runs on copies of the arrays.

        If the kernel fails, the map shows the moment of the failure, with the message as `.error`.
        """
        if block_dim is not None:
            key = 0 if tiling_key is None else tiling_key
            call = Call.of(block_dim, arguments, workspace, tiling, key)
            self._packed(call, arguments)
            return self._map_of(call)
        if arguments or workspace or tiling:
            raise TypeError("block_dim: expected with arguments, workspace or tiling, got None")
        call = self._called(tiling_key)
        if self._map is None or call is not self._last:
            return self._map_of(call)
        return self._map

    def _read_records(self, files: dict[str, Path], record: bool, arrays: dict[str, Array]) -> None:
        """Reads the files that the twin has written about a call."""
        if record:
            self._recording = Recording(read_dump(files["CANNERY_DUMP"]), arrays)
            self._map = read_ub_map(files[UB_MAP])[0]
        if COVERAGE in files:
            self._coverage = read_coverage(files[COVERAGE], arrays)

    def _called(self, key: int | None) -> Call:
        if not self._calls:
            raise CanneryError(
                f"kernel {self.name!r}: no call yet; ub_map(block_dim, arguments, ...) takes what "
                "a call takes, and runs on copies of its arrays"
            )
        if key is None:
            return list(self._calls.values())[-1]
        if key not in self._calls:
            known = ", ".join(map(str, self._calls))
            raise ValueError(f"tiling_key: expected one that was called with ({known}), got {key}")
        return self._calls[key]

    def _map_of(self, call: Call) -> UbMap:
        with tempfile.TemporaryDirectory(prefix="cannery-") as folder:
            file = Path(folder) / "map.jsonl"
            try:
                self._again(call, {UB_MAP: file})
            except KernelError:
                if not file.is_file() or file.stat().st_size == 0:  # the launch did not begin
                    raise
            return read_ub_map(file)[0]

    def _again(self, call: Call, files: dict[str, Path]) -> tuple[Any, ...]:
        """Runs the call again on copies of its arrays; returns the original arguments."""
        arguments = call.given(self.name)
        copies = tuple(copy_of(value) for value in arguments)
        packed = self._packed(call, copies)
        self._launch(self._native_for(call, files), packed, call, files)
        return arguments

    def _recorded(self) -> Recording:
        if self._recording is None:
            with tempfile.TemporaryDirectory(prefix="cannery-") as folder:
                file = Path(folder) / "stream.jsonl"
                arguments = self._again(self._finished(), {"CANNERY_DUMP": file})
                self._recording = Recording(read_dump(file), self._arrays_of(arguments))
        return self._recording

    def _finished(self) -> Call:
        if self._last is None:
            raise CanneryError(f"kernel {self.name!r}: no call has come to its end yet")
        return self._last

    def _arrays_of(self, arguments: tuple[Any, ...]) -> dict[str, Array]:
        return {
            str(self._argument(position)): value
            for position, value in enumerate(arguments)
            if isinstance(value, np.ndarray)
        }

    def _packed(self, call: Call, arguments: tuple[Any, ...]) -> list[tuple[Any, int]]:
        """Returns the arguments, each with its offset in the bytes that the launch passes."""
        parameters = self._takes()
        last = [name for name in ("workspace", "tiling") if getattr(call, name)]
        given = len(arguments) + len(last)
        if given > len(parameters):  # the types of surplus arguments mean nothing
            self._check_number(given)
        packed = []
        end = 0
        for position, value in enumerate(arguments):
            where = f"argument {self._argument(position)} of kernel {self.name}"
            known = parameters[position : position + 1]
            parameter = known[0] if known else Parameter("pointer", 8, -(-end // 8) * 8)
            if parameter.is_array and value is NULL:
                packed.append((bytes(8), parameter.offset))
            elif parameter.is_array:
                check_array(where, value, last)
                packed.append((value, parameter.offset))
            else:
                packed.append((encode(where, parameter, value), parameter.offset))
            end = parameter.offset + parameter.bytes
        self._check_number(given)
        return packed

    def _check_number(self, given: int) -> None:
        """Raises KernelError for a wrong number of arguments. The launch cannot check the
        number, because the launch gets only bytes: a missing value may look like padding.
        """
        expected = len(self._takes())
        if expected and given != expected:
            raise KernelError(
                f"T602 wrong number of arguments: kernel {self.name} takes {expected} arguments "
                f"({', '.join(self.arguments)}), got {given}\n"
                "  try: one for each parameter; the workspace and the tiling data, where they are "
                "given, are the last",
                _PARAM_INVALID,
            )

    def _argument(self, position: int) -> str | int:
        return self.arguments[position] if position < len(self.arguments) else position

    def _warn(self, position: int, element: str | None, dtype: np.dtype[Any]) -> None:
        """Warns once that the kernel uses an array of `dtype` as `element`. None: any element type
        of a kernel is wrong, because the numbers are complex.
        """
        if (position, dtype) in self._warned:
            return
        self._warned.add((position, dtype))
        where = f"of kernel {self.name}"
        text = type_warning(self._argument(position), where, element, dtype)
        warnings.warn(text, KernelWarning, stacklevel=3)

    def _takes(self) -> tuple[Parameter, ...]:
        """Returns the kernel's parameters. If the parameters are not known, returns an empty tuple;
        then every argument is an array.
        """
        self._open()
        return self._parameters

    def _launch(
        self,
        native: Any,
        packed: Any,
        call: Call,
        files: dict[str, Path],
        how: dict[str, str] | None = None,
    ) -> list[tuple[int, str]]:
        """Launches the kernel. Returns the positions of arrays that the kernel uses as another
        type, with the name of this type.

        native: the result of `_native_for`.   files: settings whose values are files that the twin
        writes.   how: other settings.
        """
        settings = self._settings(files, how or {})
        done: list[tuple[int, str]] = native.launch(packed, *call.rest(), settings)
        return done

    def _settings(self, files: dict[str, Path], how: dict[str, str]) -> dict[str, str | bytes]:
        """Returns the settings of a launch, and empties the files that the twin writes."""
        for file in files.values():
            file.write_bytes(b"")
        settings: dict[str, str | bytes] = {name: os.fsencode(file) for name, file in files.items()}
        settings |= how
        if not os.environ.get("CANNERY_HAZARDS"):
            settings["CANNERY_HAZARDS"] = DEFAULT_HAZARDS
        return settings

    def _native_for(self, call: Call, files: dict[str, Path]) -> Any:
        """Returns the loaded kernel for this call. Raises TwinOnlyError if the chosen backend
        cannot run the kernel, or does not write these files.
        """
        del call, files  # The twin has one binary for all tiling keys, and writes all files.
        return self._open()

    def _open(self) -> Any:
        native = _runtime.native()
        if current_backend() != "twin":
            raise TwinOnlyError(
                f"kernel {self.name!r} was compiled for the twin; a card has others"
            )
        if self._native is None:
            # If only one of two libraries exists, the kernel would run on one kind of core alone.
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


# The child process of a fork makes a new lock, because the old lock may stay locked for ever.
os.register_at_fork(after_in_child=_renew_lock)


def only_one(kernel: Kernel, *more: Hashable) -> Kernel:
    """Returns the first kernel that was made of the same libraries, so that the runtime loads each
    binary once.
    """
    with _loaded_lock:
        return _loaded.setdefault((kernel.libraries, *more), kernel)


def kernel_of(libraries: tuple[Path, ...], name: str, arguments: tuple[str, ...]) -> Kernel:
    return only_one(Kernel(libraries, name, arguments))
