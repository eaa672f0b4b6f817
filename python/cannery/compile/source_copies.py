# SPDX-License-Identifier: Apache-2.0
"""Copies a kernel's source and its own headers, with the checks of field_checks.py. Messages and
debug information name the files and lines of the originals.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from cannery.compile.field_checks import with_field_checks
from cannery.compile.manifest import read_regular
from cannery.opgen import literals

__all__ = ["Copies", "copies_of"]

_INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
_HEAD = '#include "core/protected_assignments.h"\n'
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True)
class Copies:
    """The copy of a source, and the copies of headers, which must be in the same folder."""

    text: str
    headers: dict[str, str]  #: the texts by file name
    originals: frozenset[str]  #: the paths of the copied headers
    read: frozenset[str]  #: the paths of all headers that decide about the copies
    head: str  #: lines for the begin of the copy, which declare the checks


@dataclass
class _File:
    """A source or a header of the kernel."""

    path: str
    text: str
    checked: str = ""  #: the text with checks
    #: the included headers by spelled name
    includes: dict[str, _File] = field(default_factory=dict)
    beside: set[str] = field(default_factory=set)  #: spelled names of headers in the own folder
    copy: str = ""  #: the name of the copy; empty if the file needs none


def copies_of(text: str, folder: str | None, include_dirs: Iterable[str]) -> Copies:
    """Copies a source.

    folder: the folder of the source, if it is a file.   include_dirs: folders for headers. Headers
    in other folders, such as the twin's own headers, are not copied.
    """
    return _Copier(folder, tuple(include_dirs)).copies(text)


class _Copier:
    def __init__(self, folder: str | None, include_dirs: tuple[str, ...]) -> None:
        self._folder = folder
        self._dirs = include_dirs
        self._headers: dict[str, _File | None] = {}  #: by path; several paths may name one file
        self._files: dict[str, _File] = {}  #: by the path without links

    def copies(self, text: str) -> Copies:
        source = _File("", text)
        self._read(source, self._folder)
        changed = self._changed()
        for each in changed:
            each.copy = _copy_name(each.path)
        headers = {
            each.copy: f"#line 1 {literals.cpp(each.path)}\n{_with_includes(each)}\n"
            for each in changed
        }
        return Copies(
            _with_includes(source),
            headers,
            frozenset(each.path for each in changed),
            frozenset(each.path for each in self._files.values()),
            _HEAD if changed or source.checked != text else "",
        )

    def _read(self, file: _File, folder: str | None) -> None:
        """Reads the headers that a file includes, and the headers that they include."""
        file.checked = with_field_checks(file.text)
        own = [] if folder is None else [folder]
        first = [] if self._folder is None else [self._folder]
        for _, quoted, angled in _INCLUDE.findall(file.text):
            name = quoted or angled
            for place in (*own, *first, *self._dirs) if quoted else self._dirs:
                header = self._header(os.path.join(place, name))
                if header is not None:
                    file.includes[name] = header
                    if quoted and place == folder:
                        file.beside.add(name)
                    break

    def _header(self, path: str) -> _File | None:
        if path not in self._headers:
            # Two copies of a file would define its names twice, in spite of #pragma once.
            real = os.path.realpath(path)
            known = self._files.get(real)
            content = None if known is not None else read_regular(path)
            self._headers[path] = known
            if content is not None:
                text = content.decode("utf-8", "surrogateescape").removeprefix(_BYTE_ORDER_MARK)
                short = os.path.normpath(path)
                header = _File(short if os.path.realpath(short) == real else path, text)
                # A header may include itself, so the entry exists before its includes are read.
                self._headers[path] = self._files[real] = header
                self._read(header, os.path.dirname(path))
        return self._headers[path]

    def _changed(self) -> list[_File]:
        """Returns the headers that need a copy: those with checks, and those that include them."""
        files = sorted(self._files.values(), key=lambda each: each.path)
        changed = {id(each) for each in files if each.checked != each.text}
        size = 0
        while size < len(changed):
            size = len(changed)
            changed |= {
                id(each)
                for each in files
                if any(id(header) in changed for header in each.includes.values())
            }
        return [each for each in files if id(each) in changed]


def _with_includes(file: _File) -> str:
    """Returns the text with checks, whose includes name the copies. The copy of a header is not in
    the folder of its original, so it names other headers of that folder by their paths.
    """

    def renamed(match: re.Match[str]) -> str:
        name = match[2] or match[3]
        header = file.includes.get(name)
        if header is not None and header.copy:
            return f'{match[1]}"{header.copy}"'
        if header is not None and file.copy and match[2] and name in file.beside:
            return f'{match[1]}"{os.path.abspath(header.path)}"'
        return match[0]

    return _INCLUDE.sub(renamed, file.checked)


def _copy_name(path: str) -> str:
    """Returns the name of a header's copy. Copies of several sources may be in the same folder."""
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return f"cannery_{digest}_{re.sub(r'[^A-Za-z0-9_.]', '_', os.path.basename(path))}"
