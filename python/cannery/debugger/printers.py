# SPDX-License-Identifier: Apache-2.0
"""Prints tensors, queues and numbers of a kernel in gdb; load it there with `source`. If the twin
finds an error, gdb shows the kernel's own line.

gdb's own Python runs this file, whichever version that is, so it uses only the standard library and
gdb. It reads memory and calls no function, so it works for a core dump as well as for a process.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

import gdb

_NAME = re.compile(r"(?:AscendC::)?(\w+)(?:<|\Z)")
#: The frame that has the twin's view (twin/device/tensor/debugger.h).
_VIEW_FRAME = "twin_export::Way::Call"
_ERROR = "twin::Fail"
#: Breakpoints may wait for code that is not loaded yet; gdb does not ask or download anything.
_SETTINGS = (
    "set breakpoint pending on",
    "set debuginfod enabled off",
    "set print thread-events off",
    "set print static-members off",
    "set print elements 16",
)
#: A file in the frame below the kernel's; the folder before this part of its path has the twin's
#: headers.
_EXPORT_HEADER = "/core/kernel_export.h"
#: That folder, once a kernel has been seen.
_headers: list[str] = []


def _view() -> Any:
    """Returns the twin's view of the stopped core; None if no kernel runs."""
    frame = gdb.newest_frame()
    while frame is not None:
        if (frame.name() or "").startswith(_VIEW_FRAME):
            return frame.read_var("debugger")
        frame = frame.older()
    return None


def _vector(value: Any) -> Iterator[Any]:
    """Returns the elements of a std::vector."""
    at, end = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
    while at != end:
        yield at.dereference()
        at += 1


def _word(enumerator: Any) -> str:
    return str(enumerator).rpartition("::")[2]


def _short(kind: Any) -> str:
    return str(kind).rpartition("::")[2]


def _elements(address: int, kind: Any, count: int) -> Iterator[tuple[str, Any]]:
    """The elements, up to one more than gdb shows; they end at memory that is not mapped."""
    if "int4b_t" in str(kind):
        return  # two elements share a byte
    shown = gdb.parameter("print elements")
    pointer = gdb.Value(address).cast(kind.pointer())
    for index in range(count if shown is None else min(count, shown + 1)):
        value = (pointer + index).dereference()
        try:
            value.fetch_lazy()
        except gdb.MemoryError:
            return
        # A byte is printed as a number, not as a character.
        is_byte = kind.sizeof == 1 and value.type.strip_typedefs().code == gdb.TYPE_CODE_INT
        yield str(index), int(value) if is_byte else value


class LocalTensor:
    """Shows memory, offset and owner, then the first elements."""

    def __init__(self, value: Any) -> None:
        address = value["address_"]
        self._kind = value.type.strip_typedefs().template_argument(0)
        self._begin, self._bytes = int(address["bufferAddr"]), int(address["dataLen"])
        self._position = int(address["logicPos"])
        self._view = _view()

    def _memory(self) -> Any:
        positions = self._view["memoryOf"]
        last = positions.type.range()[1]
        return positions[self._position] if self._position <= last else None

    def _count(self) -> int:
        in_pairs = "int4b_t" in str(self._kind)
        return int(self._bytes * (2 if in_pairs else 1) // self._kind.sizeof)

    def to_string(self) -> str:
        head = f"LocalTensor<{_short(self._kind)}>, {self._count()} elements"
        memory = None if self._view is None else self._memory()
        if memory is None or _word(memory) == "Gm":
            return f"{head} in no local memory"
        place = f"{head} at {_word(memory).upper()}+0x{self._begin:x}"
        for buffer in _vector(self._view["core"]["buffers"]):
            inside = 0 <= self._begin - int(buffer["begin"]) < int(buffer["bytes"])
            if buffer["memory"] == memory and inside:
                kind = buffer["kind"].string()
                return f"{place}, {kind} #{int(buffer['queue'])} slot {int(buffer['slot'])}"
        return place

    def children(self) -> Iterator[tuple[str, Any]]:
        memory = None if self._view is None else self._memory()
        if memory is None:
            return
        core = self._view["core"]
        start = int(core["memory"][int(memory)])
        if start != 0 and self._begin + self._bytes <= int(core["memoryBytes"][int(memory)]):
            yield from _elements(start + self._begin, self._kind, self._count())

    def display_hint(self) -> str:
        return "array"


class GlobalTensor:
    """Shows argument and offset, then the first elements."""

    def __init__(self, value: Any) -> None:
        self._kind = value.type.strip_typedefs().template_argument(0)
        self._address, self._size = int(value["address_"]), int(value["bufferSize_"])
        self._label, self._offset, self._left = "", 0, 0
        view = _view()
        for each in _vector(view["launch"]["gm"]) if view is not None else ():
            begin, size = int(each["begin"]), int(each["bytes"])
            if begin <= self._address < begin + size:
                self._label = each["label"]["_M_dataplus"]["_M_p"].string()
                self._offset = self._address - begin
                self._left = begin + size - self._address

    def to_string(self) -> str:
        head = f"GlobalTensor<{_short(self._kind)}>"
        if self._address == 0:
            return f"{head} without SetGlobalBuffer"
        if not self._label:
            return f"{head} at 0x{self._address:x}, in nothing that the launch knows"
        size = f", {self._size} elements" if self._size else ""
        return f"{head}{size} at {self._label}+0x{self._offset:x}"

    def children(self) -> Iterator[tuple[str, Any]]:
        held = self._left // int(self._kind.sizeof)
        count = min(held, self._size) if self._size else held
        yield from _elements(self._address, self._kind, count)

    def display_hint(self) -> str:
        return "array"


class Queue:
    """Shows name, number and depth, then the state of each buffer."""

    def __init__(self, value: Any) -> None:
        self._state, self._traits = value["state_"], value["kTraits"]

    def to_string(self) -> str:
        name = self._traits["name"].string()
        state = self._state
        if int(state["first"]) == 0:
            return f"{name} queue without InitBuffer"
        return (
            f"{name} #{int(state['id'])} of depth {int(self._traits['depth'])}, "
            f"{int(state['used'])} enqueued, "
            f"{int(state['bufferCount'])} x {int(state['bufferBytes'])} B"
        )

    def children(self) -> Iterator[tuple[str, Any]]:
        first = self._state["first"]
        for index in range(int(self._state["bufferCount"]) if int(first) else 0):
            buffer = (first + index).dereference()
            try:
                place = f"{_word(buffer['state'])} at 0x{int(buffer['address']):x}"
            except gdb.MemoryError:  # the queue is not initialised yet
                return
            yield f"slot {index}", place


class Buffer:
    """Shows a TBuf."""

    def __init__(self, value: Any) -> None:
        self._buffer, self._bytes = value["buffer_"], int(value["bytes_"])

    def to_string(self) -> str:
        try:
            return f"TBuf of {self._bytes} B at 0x{int(self._buffer['address']):x}"
        except gdb.MemoryError:
            return "TBuf without InitBuffer"


class Pipe:
    """Shows how much of each memory a TPipe has handed out."""

    def __init__(self, value: Any) -> None:
        self._state = value["state_"]

    def to_string(self) -> str:
        ends = self._state["nextAddress"]
        names = [each.name.rpartition("::")[2] for each in gdb.lookup_type("twin::Memory").fields()]
        used = [f"{name.upper()} {int(ends[at])} B" for at, name in enumerate(names) if ends[at]]
        taken = ", ".join(used) or "nothing"
        return f"TPipe, {int(self._state['bufferCount'])} buffers: {taken}"


class Half:
    """Shows a number in IEEE binary16."""

    def __init__(self, value: Any) -> None:
        self._bits = int(value["bits_"])

    def to_string(self) -> str:
        (number,) = struct.unpack("<e", struct.pack("<H", self._bits))
        return f"{number:.5g}"


class Bfloat16:
    """Shows a number that is the high half of a float."""

    def __init__(self, value: Any) -> None:
        self._bits = int(value["bits_"])

    def to_string(self) -> str:
        (number,) = struct.unpack("<f", struct.pack("<I", self._bits << 16))
        return f"{number:.4g}"


_PRINTERS = {
    "LocalTensor": LocalTensor,
    "GlobalTensor": GlobalTensor,
    "TQue": Queue,
    "TQueBind": Queue,
    "TBuf": Buffer,
    "TPipe": Pipe,
    "half": Half,
    "bfloat16_t": Bfloat16,
}


def _printer(value: Any) -> Any:
    kind = value.type.strip_typedefs()
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return None
    found = _NAME.match(kind.tag or "")
    made = _PRINTERS.get(found[1]) if found else None
    return None if made is None else made(value)


def _frames() -> Iterator[tuple[Any, str]]:
    """Returns the frames from the newest one on, with their files if these are known."""
    frame = gdb.newest_frame()
    while frame is not None:
        table = frame.find_sal().symtab
        yield frame, "" if table is None else table.filename
        frame = frame.older()


def _kernel_frame() -> Any:
    """Returns the newest frame in the kernel's own code."""
    for frame, file in _frames():
        if file and not any(file.startswith(folder) for folder in _headers):
            return frame
    return None


def _learn_headers() -> None:
    """Makes `step` go over functions in the twin's headers from now on."""
    for _, file in _frames():
        if file.endswith(_EXPORT_HEADER) and not _headers:
            _headers.append(file.removesuffix(_EXPORT_HEADER))
            for depth in (1, 2, 3):
                gdb.execute(f"skip -gfi {_headers[0]}{'/*' * depth}", to_string=True)


def _stopped(event: Any) -> None:
    """Prints which core is stopped; if the twin has found an error, it selects the kernel's
    line.
    """
    view = _view()
    if view is None or int(view["core"]) == 0:
        return
    _learn_headers()
    core = view["core"]
    place = f"core {int(core['coreIdx'])} {_word(core['kind']).upper()}"
    place += f", block {int(core['blockIdx'])} of {int(core['blockNum'])}"
    if int(core["taskRation"]) > 1:
        place += f", subBlockIdx {int(core['subBlockIdx'])}"
    gdb.write(f"[{place}]\n")
    frame = _kernel_frame()
    if frame is not None and (gdb.newest_frame().name() or "").startswith(_ERROR):
        frame.select()
        gdb.write("[the twin has found an error here; `continue` has it say which]\n")
        gdb.execute("frame")


def stop_in(kernel: str) -> None:
    """Stops at the first entry of `kernel`, whose library is not loaded yet, and at errors of the
    twin. `step` goes over calls of Ascend C.
    """
    for command in (*_SETTINGS, f"tbreak {kernel}", f"break {_ERROR}"):
        gdb.execute(command, to_string=True)


def leave() -> None:
    """Ends gdb with the program's status, or 0 if the program still runs, for users without a
    terminal.
    """
    gdb.execute("set confirm off")
    status = gdb.convenience_variable("_exitcode")
    gdb.execute(f"quit {0 if status is None else int(status)}")


gdb.pretty_printers.append(_printer)
gdb.events.stop.connect(_stopped)
