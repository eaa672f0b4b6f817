# SPDX-License-Identifier: Apache-2.0
"""Reads symbols, relocations and debug information of a compiled kernel: its functions, also the
inlined ones, and the symbols that each line of a function refers to.
"""

from __future__ import annotations

import bisect
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Generic, TypeVar

from elftools.dwarf.die import DIE
from elftools.dwarf.ranges import BaseAddressEntry, RangeEntry
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import Symbol, SymbolTableSection

__all__ = ["Code", "Frame", "Function", "Place", "Reference", "read_code"]

_ORIGINS = ("DW_AT_abstract_origin", "DW_AT_specification")
_T = TypeVar("_T")
_EXECUTABLE = 0x4  # ELF flag of a section with code (SHF_EXECINSTR)
#: x86 opcodes that have an immediate operand after the address.
_X86_IMM32 = (0x69, 0x81, 0xC7)
_X86_IMM8 = (0x6B, 0x80, 0x83, 0xC0, 0xC1, 0xC6)
_X86_CALL = b"\xe8"
_AARCH64_CALL_MASK, _AARCH64_CALL = 0xFC000000, 0x94000000


@dataclass(frozen=True)
class Place:
    """A line of a source; the file is named as in the compiler's command."""

    file: str
    line: int


@dataclass(frozen=True)
class Function:
    """A function; each instance of a template is a function of its own."""

    name: str
    #: line of the declaration; None without a declaration, as for a generated constructor
    declared: Place | None
    defined: Place | None  #: line of the definition; it may be the same as `declared`
    origin: int  #: number that all copies and inlined instances of a function share


@dataclass
class Frame:
    """One copy of a function's code: a separate copy, or a copy inlined into another function."""

    function: Function
    called: Place | None  #: line of the call that is inlined; None for a separate copy
    parent: Frame | None
    ranges: list[tuple[int, int]] = field(default_factory=list)
    inlined: list[Frame] = field(default_factory=list)

    def holds(self, address: int) -> bool:
        return any(low <= address < high for low, high in self.ranges)

    def innermost(self, address: int) -> Frame:
        for frame in self.inlined:
            if frame.holds(address):
                return frame.innermost(address)
        return self

    @property
    def top(self) -> Frame:
        """The outermost frame around this frame; the outermost frame is not inlined."""
        return self if self.parent is None else self.parent.top

    def all(self) -> Iterator[Frame]:
        yield self
        for frame in self.inlined:
            yield from frame.all()


@dataclass(frozen=True)
class Reference:
    """An instruction that refers to a symbol: it calls a function, or uses the address of data."""

    symbol: str
    frame: Frame  #: the innermost frame that the instruction belongs to
    place: Place | None
    target: Frame | None  #: the function that begins at the symbol's address
    inside: bool  #: whether the symbol is defined in this library
    writable: bool  #: whether the symbol is a variable that can be written


@dataclass(frozen=True)
class Code:
    """The code of one library."""

    frames: tuple[Frame, ...]  #: frames that are not inlined; they contain the inlined frames
    references: tuple[Reference, ...]


def read_code(library: bytes) -> Code:
    """Reads a library that was linked with --emit-relocs and compiled with -g1 or more."""
    elf = ELFFile(io.BytesIO(library))
    # The linker has already applied the relocations.
    dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False)
    frames: list[Frame] = []
    lines: list[tuple[int, Place | None]] = []
    for unit in dwarf.iter_CUs():
        reader = _Unit(dwarf, unit)
        frames += reader.frames()
        lines += reader.lines()
    lines.sort(key=lambda entry: entry[0])
    return Code(tuple(frames), tuple(_references(elf, frames, lines)))


class _Unit:
    """The debug information of one compilation unit."""

    def __init__(self, dwarf: Any, unit: Any) -> None:
        self._dwarf, self._unit = dwarf, unit
        self._program = dwarf.line_program_for_CU(unit)
        header = self._program.header
        self._first = 0 if header["version"] >= 5 else 1
        self._folders = [_text(entry) for entry in header["include_directory"]]
        top = unit.get_top_DIE().attributes
        self._folder = _text(top["DW_AT_comp_dir"].value) if "DW_AT_comp_dir" in top else ""
        self._base = top["DW_AT_low_pc"].value if "DW_AT_low_pc" in top else 0
        self._functions: dict[int, Function] = {}

    def frames(self) -> list[Frame]:
        found = []
        for die in self._unit.iter_DIEs():
            if die.tag == "DW_TAG_subprogram":
                ranges = self._ranges(die)
                if ranges:
                    found.append(self._frame(die, None, None, ranges))
        return found

    def lines(self) -> list[tuple[int, Place | None]]:
        """Returns pairs of an address and a source line. The line applies from this address to the
        address of the next pair. None instead of a line marks the end of a sequence of code.
        """
        entries: list[tuple[int, Place | None]] = []
        for entry in self._program.get_entries():
            state = entry.state
            if state is not None:
                place = None if state.end_sequence else Place(self._file(state.file), state.line)
                entries.append((state.address, place))
        return entries

    def _frame(
        self, die: DIE, called: Place | None, parent: Frame | None, ranges: list[tuple[int, int]]
    ) -> Frame:
        frame = Frame(self._function(die), called, parent, ranges)
        self._add_inlined(die, frame)
        return frame

    def _add_inlined(self, die: DIE, frame: Frame) -> None:
        for child in die.iter_children():
            if child.tag == "DW_TAG_inlined_subroutine":
                called = self._place(child, "DW_AT_call_file", "DW_AT_call_line")
                made = self._frame(child, called, frame, self._ranges(child))
                frame.inlined.append(made)
            elif child.tag == "DW_TAG_lexical_block":
                self._add_inlined(child, frame)

    def _function(self, die: DIE) -> Function:
        known = self._functions.get(die.offset)
        if known is not None:
            return known
        chain = [die]
        while origin := next((a for a in _ORIGINS if a in chain[-1].attributes), None):
            chain.append(chain[-1].get_DIE_from_attribute(origin))
        named = [each for each in chain if "DW_AT_name" in each.attributes]
        name = _text(named[0].attributes["DW_AT_name"].value) if named else ""
        places = [self._place(each, "DW_AT_decl_file", "DW_AT_decl_line") for each in chain]
        found = [place for place in places if place is not None]
        declared, defined = (found[-1], found[0]) if found else (None, None)
        function = Function(name, declared, defined, chain[-1].offset)
        self._functions[die.offset] = function
        return function

    def _place(self, die: DIE, file: str, line: str) -> Place | None:
        if file not in die.attributes or line not in die.attributes:
            return None
        return Place(self._file(die.attributes[file].value), die.attributes[line].value)

    def _file(self, number: int) -> str:
        files = self._program.header["file_entry"]
        index = number - self._first
        if not 0 <= index < len(files):
            return ""
        entry = files[index]
        folder = entry.dir_index
        if self._first == 0:
            base = self._folders[folder] if folder < len(self._folders) else ""
        else:
            base = self._folders[folder - 1] if folder else ""
        return str(PurePath(self._folder) / base / _text(entry.name))

    def _ranges(self, die: DIE) -> list[tuple[int, int]]:
        attributes = die.attributes
        if "DW_AT_ranges" in attributes:
            return self._listed(attributes["DW_AT_ranges"])
        if "DW_AT_low_pc" not in attributes or "DW_AT_high_pc" not in attributes:
            return []
        low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
        end = high.value if high.form == "DW_FORM_addr" else low + high.value
        # Code that the linker removed has the address 0.
        return [(low, end)] if low and end > low else []

    def _listed(self, attribute: Any) -> list[tuple[int, int]]:
        base, found = self._base, []
        lists = self._dwarf.range_lists()
        for entry in lists.get_range_list_at_offset(attribute.value, cu=self._unit):
            if isinstance(entry, BaseAddressEntry):
                base = entry.base_address
            elif isinstance(entry, RangeEntry):
                shift = 0 if entry.is_absolute else base
                low, high = entry.begin_offset + shift, entry.end_offset + shift
                if low and high > low:
                    found.append((low, high))
        return found


def _references(
    elf: ELFFile, frames: list[Frame], lines: list[tuple[int, Place | None]]
) -> Iterator[Reference]:
    homes = _Spans((low, high, frame) for frame in frames for low, high in frame.ranges)
    symbols = _symbols(elf)
    names = dict(_entries(symbols))
    parts = {at for at, name in names.items() if ".part." in name}
    entries = {at: home for at in names if (home := homes.at(at)) is not None}
    data = _Spans(_objects(elf, symbols))
    line_addresses = [at for at, _ in lines]
    for address, symbol, value in (*_relocations(elf, symbols), *_own_calls(elf, entries)):
        owner = homes.at(address)
        if owner is not None:
            index = bisect.bisect_right(line_addresses, address) - 1
            place = lines[index][1] if index >= 0 else None
            name, writable = data.at(value) or (symbol, False)
            frame, target = owner.innermost(address), entries.get(value)
            # The compiler may split a function into parts. Calls between them are no recursion.
            if value in parts and target is not owner and target is not None:
                target = None if target.function == frame.function else target
            yield Reference(name, frame, place, target, value != 0, writable)


class _Spans(Generic[_T]):
    """Finds the item whose address range contains an address."""

    def __init__(self, spans: Iterable[tuple[int, int, _T]]) -> None:
        self._spans = sorted(spans, key=lambda span: span[0])
        self._begins = [low for low, _, _ in self._spans]

    def at(self, address: int) -> _T | None:
        index = bisect.bisect_right(self._begins, address) - 1
        if index < 0 or address >= self._spans[index][1]:
            return None
        return self._spans[index][2]


def _objects(
    elf: ELFFile, symbols: Iterable[Symbol]
) -> Iterator[tuple[int, int, tuple[str, bool]]]:
    """Yields the address range of each variable or table, its name, and whether it is writable."""
    sections = [section.name for section in elf.iter_sections()]
    for symbol in symbols:
        begin, section = symbol["st_value"], symbol["st_shndx"]
        if symbol["st_info"]["type"] == "STT_OBJECT" and symbol["st_size"] and begin:
            home = sections[section] if isinstance(section, int) else ""
            writable = home.startswith((".data", ".bss")) and not home.startswith(".data.rel.ro")
            yield begin, begin + symbol["st_size"], (symbol.name, writable)


def _symbols(elf: ELFFile) -> list[Symbol]:
    table = elf.get_section_by_name(".symtab")
    return list(table.iter_symbols()) if isinstance(table, SymbolTableSection) else []


def _relocations(elf: ELFFile, symbols: list[Symbol]) -> Iterator[tuple[int, str, int]]:
    """Yields each relocation: its address, its symbol, and the symbol's address, which is 0 if
    another library defines the symbol.
    """
    x86 = elf["e_machine"] == "EM_X86_64"
    for section in elf.iter_sections():
        if not isinstance(section, RelocationSection):
            continue
        target, table = elf.get_section(section["sh_info"]), elf.get_section(section["sh_link"])
        if not (target["sh_flags"] & _EXECUTABLE and isinstance(table, SymbolTableSection)):
            continue
        code, base = target.data(), target["sh_addr"]
        for relocation in section.iter_relocations():
            number, address = relocation["r_info_sym"], relocation["r_offset"]
            # Reading a symbol is slow. Most relocations use .symtab, so its symbols were read only
            # once, into `symbols`.
            symbol = symbols[number] if table.name == ".symtab" else table.get_symbol(number)
            value = symbol["st_value"] if symbol["st_shndx"] != "SHN_UNDEF" else 0
            if value and symbol["st_info"]["type"] == "STT_SECTION":
                value += relocation["r_addend"]
                value += _x86_rest(code, address - base) if x86 else 0
            yield address, symbol.name.partition("@")[0], value


def _x86_rest(code: bytes, at: int) -> int:
    """Returns the number of bytes from the address field at `at` to the end of its instruction: 4
    for the field, and the size of an immediate operand. Addresses are relative to this end.
    """
    opcode = code[at - 2] if at >= 2 else 0
    if opcode in _X86_IMM32:
        short = at >= 3 and code[at - 3] == 0x66
        return 6 if short else 8
    return 5 if opcode in _X86_IMM8 else 4


def _entries(symbols: Iterable[Symbol]) -> Iterator[tuple[int, str]]:
    """Yields the addresses and names of all functions. A .cold symbol is not a function; it
    is a part of a function that rarely runs.
    """
    for symbol in symbols:
        if symbol["st_info"]["type"] == "STT_FUNC" and not symbol.name.endswith(".cold"):
            yield symbol["st_value"], symbol.name


def _own_calls(elf: ELFFile, entries: dict[int, Frame]) -> Iterator[tuple[int, str, int]]:
    """Yields the calls of a function to itself; the assembler leaves no relocations for them."""
    find = _aarch64_calls if elf["e_machine"] == "EM_AARCH64" else _x86_calls
    for section in elf.iter_sections():
        if not section["sh_flags"] & _EXECUTABLE:
            continue
        base, data = section["sh_addr"], section.data()
        for entry, frame in entries.items():
            for low, high in frame.ranges:
                if base <= low and high <= base + len(data):
                    for at in find(data[low - base : high - base], low, entry):
                        yield at, frame.function.name, entry


def _x86_calls(code: bytes, address: int, entry: int) -> Iterator[int]:
    at = code.find(_X86_CALL)
    while at >= 0:
        offset = int.from_bytes(code[at + 1 : at + 5], "little", signed=True)
        if len(code) >= at + 5 and address + at + 5 + offset == entry:
            yield address + at
        at = code.find(_X86_CALL, at + 1)


def _aarch64_calls(code: bytes, address: int, entry: int) -> Iterator[int]:
    for at in range(0, len(code) - 3, 4):
        word = int.from_bytes(code[at : at + 4], "little")
        if word & _AARCH64_CALL_MASK == _AARCH64_CALL:
            offset = (word & ~_AARCH64_CALL_MASK) << 2
            offset -= (offset & 1 << 27) << 1
            if address + at + offset == entry:
                yield address + at


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
