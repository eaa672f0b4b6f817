# SPDX-License-Identifier: Apache-2.0
"""Reads the recording of a launch: its instructions, and which instruction wrote which element of
its arrays.
"""

from __future__ import annotations

import json
import operator
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.compile.coverage import COVERAGE, name_of
from cannery.errors import CanneryError

__all__ = ["UB_MAP", "Recording", "Writer", "read_dump", "recorded_files"]

Array = npt.NDArray[Any]

_PLACE = re.compile(r"(?P<label>.*)\+0x(?P<offset>[0-9a-f]+)\Z", re.DOTALL)
_NOBODY = -1
#: The environment variable that names the file for the maps of the local memories.
UB_MAP = "CANNERY_UB_MAP"
#: NumPy's names for C++ types. Every other C++ name is NumPy's name followed by _t.
_DTYPES = {"half": "float16", "float": "float32", "double": "float64", "bool": "uint8"}


def read_dump(file: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Returns the instructions in a file that `dump=` or CANNERY_DUMP has written as .jsonl, sorted
    by block, sub-block and program order. `pandas.DataFrame(read_dump(file))` accepts them.

    Each instruction has the fields of docs/twin-semantics.md, "The record of a launch"; `launch`,
    the number of its launch in the file; and `kernel`. If the dump has values, each entry of
    `ranges` has `crc32` and `first`: numbers, or hexadecimal digits if their type is not known.

    Raises CanneryError if the file is no dump or is cut short, ValueError for a .txt file.
    """
    path = Path(file)
    if path.suffix != ".jsonl":
        raise ValueError(
            f"file: expected FILE.jsonl, got {str(path)!r}; a .txt file is for reading"
        )
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as lines:
            return list(_records(lines))
    except OSError as error:
        raise CanneryError(f"file: {path} cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CanneryError(
            f"file: {path} is no dump of a launch, or is cut short ({error})"
        ) from None


def _records(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    launch, kernel = -1, ""
    for line in lines:
        fields = json.loads(line)
        if "launch" in fields:
            launch, kernel = launch + 1, fields["launch"]
        else:
            if launch < 0 or "opcode" not in fields:
                raise ValueError("a line belongs to no launch")
            for place in fields["ranges"]:
                if place.get("dtype"):
                    place["first"] = _numbers(place["dtype"], bytes.fromhex(place["first"]))
            yield {"launch": launch, "kernel": kernel, **fields}


def _numbers(name: str, data: bytes) -> list[float] | list[int]:
    if name == "int4b_t":
        nibbles = (each for byte in data for each in (byte & 15, byte >> 4))
        return [(nibble ^ 8) - 8 for nibble in nibbles]
    dtype = _bfloat16() if name == "bfloat16_t" else np.dtype(_DTYPES.get(name, name[:-2]))
    values = np.frombuffer(data, dtype)
    numbers: list[Any] = (values.astype(np.float64) if name == "bfloat16_t" else values).tolist()
    return numbers


def _bfloat16() -> np.dtype[Any]:
    import ml_dtypes

    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


@contextmanager
def recorded_files(
    dump: str | os.PathLike[str] | None, record: bool, coverage: bool
) -> Iterator[dict[str, Path]]:
    """Returns the files that the twin must write for a call, by the names of their variables. Files
    other than `dump` exist only within the `with` block.
    """
    if record and dump is not None:
        raise ValueError("record: with dump the file has the stream; read_dump reads it")
    files = {} if dump is None else {"CANNERY_DUMP": _dump_file(dump)}
    if not record and not coverage:
        yield files
        return
    with tempfile.TemporaryDirectory(prefix="cannery-") as name:
        folder = Path(name)
        files[COVERAGE] = folder / "coverage.json"
        if record:
            files |= {"CANNERY_DUMP": folder / "stream.jsonl", UB_MAP: folder / "map.jsonl"}
        yield files


def _dump_file(dump: str | os.PathLike[str]) -> Path:
    path = Path(dump).absolute()
    if path.suffix not in (".txt", ".jsonl"):
        raise ValueError(
            f"dump: expected a file name that ends in .txt or .jsonl, got {str(dump)!r}"
        )
    return path


@dataclass(frozen=True)
class Writer:
    """The instruction that was the last on its core to write an element."""

    core: str  #: for example "3 AIV"; the second vector core of block 3 is "3 AIV1"
    pipe: str
    opcode: str
    file: str
    line: int
    sequence: int  #: position in the program order of the core
    #: the last writers on other cores, whose order depends on the schedule
    others: tuple[Writer, ...] = ()


class Recording:
    """One recorded launch with its arrays."""

    def __init__(self, records: Sequence[dict[str, Any]], arrays: dict[str, Array]) -> None:
        """arrays: the arrays of the launch, by the kernel's names for them."""
        self._records = records
        self.arrays = arrays  #: the arrays, by the kernel's names for them
        self._written = {name: _Written(array.nbytes) for name, array in arrays.items()}
        for number, record in enumerate(records):
            for place in record["ranges"]:
                if place["write"] and place["memory"] == "GM":
                    self._note(number, record, place)

    def _note(self, number: int, record: dict[str, Any], place: dict[str, Any]) -> None:
        found = _PLACE.match(place["place"])
        name = found["label"].removeprefix("argument ") if found else ""
        if found is not None and name in self._written:
            self._written[name].note(number, _core(record), int(found["offset"], 16), place)

    def who_wrote(self, array: str | Array, element: int | tuple[int, ...]) -> Writer | None:
        """Returns the last writer of an element in the order of the dump (block, sub-block,
        program); None if no instruction wrote the element.
        """
        name = name_of("array", array, self.arrays)
        flat = self._index(name, element)
        written = self._written[name]
        width = self.arrays[name].itemsize
        numbers = dict(written.writers(flat * width, width))
        if not numbers:
            return None
        first, *rest = sorted(numbers.values(), reverse=True)
        return self._writer(first, tuple(self._writer(each) for each in rest))

    def _writer(self, number: int, others: tuple[Writer, ...] = ()) -> Writer:
        record = self._records[number]
        place = (record["pipe"], record["opcode"], record["file"], record["line"])
        return Writer(_core(record), *place, record["seq"], others)

    def _index(self, name: str, element: int | tuple[int, ...]) -> int:
        shape = self.arrays[name].shape
        try:
            if isinstance(element, tuple):
                return int(np.ravel_multi_index(_positive(element, shape), shape))
            return int(_positive((operator.index(element),), (self.arrays[name].size,))[0])
        except TypeError:
            raise TypeError(
                f"element: expected a whole number or a tuple of them, got {element!r}"
            ) from None
        except (ValueError, IndexError):
            raise IndexError(f"element: {element} is not in {name} of shape {shape}") from None


class _Written:
    """For each core that wrote to an array: the last instruction that wrote each byte."""

    def __init__(self, nbytes: int) -> None:
        self._nbytes = nbytes
        self._last: dict[str, npt.NDArray[np.int32]] = {}

    def note(self, number: int, core: str, begin: int, place: dict[str, Any]) -> None:
        if core not in self._last:
            self._last[core] = np.full(self._nbytes, _NOBODY, np.int32)
        last = self._last[core]
        for run in _runs(begin, place):
            last[run] = number

    def writers(self, begin: int, width: int) -> Iterator[tuple[str, int]]:
        for core, last in self._last.items():
            number = int(last[begin : begin + width].max(initial=_NOBODY))
            if number != _NOBODY:
                yield core, number


def _runs(begin: int, place: dict[str, Any]) -> Iterator[slice]:
    for repeat in range(place["repeats"]):
        for count in range(place["count"]):
            at = begin + repeat * place["repeat_stride"] + count * place["stride"]
            yield slice(at, at + place["bytes"])


def _core(record: dict[str, Any]) -> str:
    sub_block = record["sub_block"]
    return f"{record['block']} {record['core']}{sub_block or ''}"


def _positive(element: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the index counted from the start; a negative index counts from the end."""
    found = tuple(
        operator.index(at) + (extent if at < 0 else 0)
        for at, extent in zip(element, shape, strict=True)
    )
    if any(not 0 <= at < extent for at, extent in zip(found, shape, strict=True)):
        raise IndexError
    return found
