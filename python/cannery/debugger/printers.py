# SPDX-License-Identifier: Apache-2.0
"""Prints tensors, queues and numbers of a kernel in gdb; gdb's `source` loads this file. If the
twin finds an error, gdb shows the kernel's own line.

gdb's own Python, of any version, runs this file. So the file uses only the standard library and
gdb. It reads memory and calls no function of the program, so it also works for a core dump.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Any

import gdb
import gdb.xmethod

_NAME = re.compile(r"(?:AscendC::)?(\w+)(?:<|\Z)")
#: Start of the name of the stack frame whose variable `twinDebugger` has data for this file.
_VIEW_FRAME = "twin_export::TwinWay::TwinCall"
_ERROR = "twin::Fail"
#: Settings of gdb: a breakpoint may be in code that is not loaded yet; gdb must not download files.
_SETTINGS = (
    "set breakpoint pending on",
    "set debuginfod enabled off",
    "set print thread-events off",
    "set print static-members off",
    "set print elements 16",
)
#: The end of the path of the header that calls the kernel. The path before it is the folder of the
#: twin's headers.
_EXPORT_HEADER = "/core/kernel_export.h"
#: The folder of the twin's headers; empty before the first kernel runs.
_headers: list[str] = []


def _view() -> Any:
    """Returns the twin's data about the stopped core (debugger.h); None if no kernel runs."""
    frame = gdb.newest_frame()
    while frame is not None:
        if (frame.name() or "").startswith(_VIEW_FRAME):
            return frame.read_var("twinDebugger")
        frame = frame.older()
    return None


def _vector(value: Any) -> Iterator[Any]:
    """Yields the elements of a std::vector."""
    at, end = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
    while at != end:
        yield at.dereference()
        at += 1


def _read(address: int, count: int) -> bytes:
    return bytes(gdb.selected_inferior().read_memory(address, count)) if count else b""


def _word(name: Any) -> str:
    return str(name).rpartition("::")[2]


def _elements_of(size: int, kind: Any) -> int:
    """Returns how many elements `size` bytes contain. Two elements of int4b_t share a byte."""
    return size * (2 if "int4b_t" in str(kind) else 1) // int(kind.sizeof)


class Elements:
    """The elements of a tensor that are in mapped memory.

    written: address of the marks of the bytes (WatchedCore in core/watched_core.h); 0: no marks.
    pattern: the bytes that the twin repeated to fill the memory before the kernel ran.
    """

    def __init__(
        self, address: int, kind: Any, count: int, written: int = 0, pattern: bytes = b""
    ) -> None:
        self._address, self._kind, self._count = address, kind, count
        self._nibbles = _elements_of(1, kind) == 2
        self._unwritten = b""
        if written != 0:
            size = self._offset(count)
            marks, held = _read(written, size), _read(address, size)
            # A kernel can also write through a pointer, which sets no mark. Such a byte counts as
            # written if its value differs from the pattern.
            self._unwritten = bytes(
                not marks[at] and held[at] == pattern[at % len(pattern)] for at in range(size)
            )

    def _offset(self, index: int) -> int:
        return (index + 1) // 2 if self._nibbles else index * int(self._kind.sizeof)

    def _never_written(self, index: int) -> bool:
        first, end = self._offset(index & ~1 if self._nibbles else index), self._offset(index + 1)
        return bool(self._unwritten) and all(self._unwritten[first:end])

    def value(self, index: int) -> Any:
        """Returns an element; raises gdb.MemoryError if it is in unmapped memory."""
        if self._nibbles:
            nibble = _read(self._address + index // 2, 1)[0] >> (index % 2 * 4) & 15
            return nibble - 16 if nibble > 7 else nibble
        value = (gdb.Value(self._address).cast(self._kind.pointer()) + index).dereference()
        value.fetch_lazy()
        # A byte is printed as a number, not as a character.
        is_byte = self._kind.sizeof == 1 and value.type.strip_typedefs().code == gdb.TYPE_CODE_INT
        return int(value) if is_byte else value

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < self._count:
            raise gdb.GdbError(f"index {index}: the tensor has {self._count} elements")
        return "never written" if self._never_written(index) else self.value(index)

    def shown(self) -> Iterator[tuple[str, Any]]:
        """Yields at most one element more than gdb shows. Consecutive elements that nothing has
        written become one text.
        """
        most = gdb.parameter("print elements")
        index = texts = 0
        while index < self._count and (most is None or texts <= most):
            end = index
            while end < self._count and self._never_written(end):
                end += 1
            try:
                several = f"never written ({end - index} elements)"
                yield str(index), several if end > index + 1 else self[index]
            except gdb.MemoryError:
                return
            index, texts = max(end, index + 1), texts + 1


class LocalTensor:
    """Prints a LocalTensor: its memory, offset and buffer, then the first elements."""

    def __init__(self, value: Any) -> None:
        address = value["address_"]
        self._kind = value.type.strip_typedefs().template_argument(0)
        self._begin, self._bytes = int(address["bufferAddr"]), int(address["dataLen"])
        self._count = _elements_of(self._bytes, self._kind)
        self._position = int(address["logicPos"])
        self._view = _view()

    def _memory(self) -> Any:
        positions = self._view["memoryOf"]
        last = positions.type.range()[1]
        return positions[self._position] if self._position <= last else None

    def to_string(self) -> str:
        head = f"LocalTensor<{_word(self._kind)}>, {self._count} elements"
        memory = None if self._view is None else self._memory()
        if memory is None or _word(memory) == "Gm":
            return f"{head} in no local memory"
        place = f"{head} at {_word(memory).upper()}+0x{self._begin:x}"
        for buffer in _vector(self._view["watched"]["buffers"].dereference()):
            inside = 0 <= self._begin - int(buffer["begin"]) < int(buffer["bytes"])
            if buffer["memory"] == memory and inside:
                kind = buffer["kind"].string()
                return f"{place}, {kind} #{int(buffer['queue'])} slot {int(buffer['slot'])}"
        return place

    def elements(self) -> Elements:
        memory = None if self._view is None else self._memory()
        at = 0 if memory is None else int(memory)
        start = 0 if memory is None else int(self._view["core"]["memory"][at])
        if start == 0 or self._begin + self._bytes > int(self._view["core"]["memoryBytes"][at]):
            return Elements(0, self._kind, 0)
        watched, phase = self._view["watched"], self._begin % 4
        written = int(watched["written"][at]) + self._begin
        pattern = struct.pack("<I", int(watched["poison"]))
        pattern = pattern[phase:] + pattern[:phase]
        return Elements(start + self._begin, self._kind, self._count, written, pattern)

    def children(self) -> Iterator[tuple[str, Any]]:
        return self.elements().shown()

    def display_hint(self) -> str:
        return "array"


class GlobalTensor:
    """Prints a GlobalTensor: its argument and offset, then the first elements."""

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
        head = f"GlobalTensor<{_word(self._kind)}>"
        if self._address == 0:
            return f"{head} without SetGlobalBuffer"
        if not self._label:
            return f"{head} at 0x{self._address:x}, in nothing that the launch knows"
        size = f", {self._size} elements" if self._size else ""
        return f"{head}{size} at {self._label}+0x{self._offset:x}"

    def elements(self) -> Elements:
        held = _elements_of(self._left, self._kind)
        count = min(held, self._size) if self._size else held
        return Elements(self._address, self._kind, count)

    def children(self) -> Iterator[tuple[str, Any]]:
        return self.elements().shown()

    def display_hint(self) -> str:
        return "array"


class Queue:
    """Prints a TQue: its position, number and depth, then the state of each buffer."""

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
    """Prints a TBuf: its size and address."""

    def __init__(self, value: Any) -> None:
        self._buffer, self._bytes = value["buffer_"], int(value["bytes_"])

    def to_string(self) -> str:
        try:
            return f"TBuf of {self._bytes} B at 0x{int(self._buffer['address']):x}"
        except gdb.MemoryError:
            return "TBuf without InitBuffer"


class Pipe:
    """Prints a TPipe: how many bytes of each memory its buffers use."""

    def __init__(self, value: Any) -> None:
        self._state = value["state_"]

    def to_string(self) -> str:
        ends = self._state["nextAddress"]
        names = [each.name.rpartition("::")[2] for each in gdb.lookup_type("twin::Memory").fields()]
        used = [f"{name.upper()} {int(ends[at])} B" for at, name in enumerate(names) if ends[at]]
        taken = ", ".join(used) or "nothing"
        return f"TPipe, {int(self._state['bufferCount'])} buffers: {taken}"


class Half:
    """Prints a half, a number in IEEE binary16."""

    def __init__(self, value: Any) -> None:
        self._bits = int(value["bits_"])

    def to_string(self) -> str:
        (number,) = struct.unpack("<e", struct.pack("<H", self._bits))
        return f"{number:.5g}"


class Bfloat16:
    """Prints a bfloat16_t, whose bits are the upper half of a float."""

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


class ElementWorker(gdb.xmethod.XMethodWorker):  # type: ignore[misc]
    """Makes `print a[3]` print an element of tensor a; in a kernel, a[3] is a view."""

    def get_arg_types(self) -> Any:
        return gdb.lookup_type("long")

    def get_result_type(self, tensor: Any, index: Any) -> Any:
        return self(tensor, index).type

    def __call__(self, tensor: Any, index: Any) -> Any:
        if tensor.type.code == gdb.TYPE_CODE_PTR:
            tensor = tensor.dereference()
        return gdb.Value(_printer(tensor).elements()[int(index)])


class ElementMatcher(gdb.xmethod.XMethodMatcher):  # type: ignore[misc]
    def match(self, kind: Any, method: str) -> Any:
        found = _NAME.match(kind.strip_typedefs().tag or "")
        tensor = found is not None and found[1] in ("LocalTensor", "GlobalTensor")
        return ElementWorker() if tensor and method == "operator[]" else None


def _frames() -> Iterator[tuple[Any, str]]:
    """Yields the stack frames, newest first, with their source files ("" if unknown)."""
    frame = gdb.newest_frame()
    while frame is not None:
        table = frame.find_sal().symtab
        yield frame, "" if table is None else table.filename
        frame = frame.older()


def _kernel_frame() -> Any:
    """Returns the newest stack frame in the kernel's own code."""
    for frame, file in _frames():
        if file and not any(file.startswith(folder) for folder in _headers):
            return frame
    return None


def _learn_headers() -> None:
    """Makes gdb's `step` skip functions in the twin's headers from now on."""
    for _, file in _frames():
        if file.endswith(_EXPORT_HEADER) and not _headers:
            _headers.append(file.removesuffix(_EXPORT_HEADER))
            for depth in (1, 2, 3):
                gdb.execute(f"skip -gfi {_headers[0]}{'/*' * depth}", to_string=True)


def _stopped(event: Any) -> None:
    """Prints which core is stopped; selects the kernel's line if the twin has found an error."""
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
    """Sets breakpoints at the first call of `kernel`, whose library is not loaded yet, and at
    errors that the twin finds.
    """
    for command in (*_SETTINGS, f"tbreak {kernel}", f"break {_ERROR}"):
        gdb.execute(command, to_string=True)


def leave() -> None:
    """For gdb without a terminal: ends gdb with the program's exit status, or with 0 if the program
    still runs.
    """
    gdb.execute("set confirm off")
    status = gdb.convenience_variable("_exitcode")
    gdb.execute(f"quit {0 if status is None else int(status)}")


gdb.pretty_printers.append(_printer)
gdb.xmethod.register_xmethod_matcher(None, ElementMatcher("elements of tensors"))
gdb.events.stop.connect(_stopped)
