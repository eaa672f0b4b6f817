# SPDX-License-Identifier: Apache-2.0
"""Finds the synchronising calls of a kernel, and writes copies of its sources. The copies can leave
out any of these calls at run time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: Names of synchronising calls: functions of the API, and functions of the operators. `Sync` sets a
#: flag and waits for it; `Set` and `Wait` are methods of the class Event.
NAMES = (
    "SetFlag|WaitFlag|PipeBarrier|EnQue|DeQue|SyncAll|CrossCoreSetFlag|CrossCoreWaitFlag|IBSet|IBWait|"
    "WaitPreBlock|NotifyNextBlock|Sync|Set|Wait"
)
CALL = re.compile(
    r"(?<![\w.:>])(?P<receiver>(?:\w+(?:\[[^\]]*\])?(?:::|\.|->))*)(?:template\s+)?"
    rf"(?P<name>{NAMES})(?=[<(])"
)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
BRACKETS = {"(": ")", "<": ">"}

#: SWITCH is the header that the copies include: `left_out::Call` returns whether to leave out a
#: call. The memory of a `Board` first has one byte per call (not 0: the call is left out), then one
#: more byte per call (1: the kernel has reached the call).
MOST_CALLS = 1024
SWITCH = f"""#include <cstdint>
#include <cstdlib>
namespace left_out {{
__aicore__ inline bool Call(int32_t number) {{
    static volatile uint8_t* const board =
        reinterpret_cast<uint8_t*>(std::strtoull(std::getenv("MUTATE_SYNC_BOARD"), nullptr, 10));
    board[{MOST_CALLS} + number] = 1;
    return board[number] != 0;
}}
}}
"""


@dataclass(frozen=True)
class SyncCall:
    """A synchronising call. Its `key` does not change when lines above it are added or removed."""

    number: int
    path: str  # path from the root of the checkout
    line: int
    text: str
    key: str
    # Name of the edge (sets and waits of one flag) of this call; empty for a call without partners.
    edge: str


def sources_of(root: Path, kernel: str) -> list[Path]:
    """Returns the kernel's source, and all headers in op_kernel that it includes."""
    found: list[Path] = []
    waiting = [root / "op_kernel" / f"{kernel}.cpp"]
    while waiting:
        path = waiting.pop().resolve()
        if path in found or not path.is_file():
            continue
        found.append(path)
        names = INCLUDE.findall(path.read_text())
        waiting += [path.parent / name for name in names]
    return sorted(found)


def make_copies(root: Path, kernel: str, folder: Path) -> tuple[Path, list[SyncCall]]:
    """Writes copies of the sources of `kernel` to `folder`, with a switch at each synchronising
    call. Returns the path of the copied kernel source, and the calls.
    """
    calls: list[SyncCall] = []
    base = (root / "op_kernel").resolve()
    for path in sources_of(root, kernel):
        name = path.relative_to(base)
        text, more = _instrumented(path.read_text(), f"op_kernel/{name}", len(calls))
        calls += more
        copy = folder / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
    (folder / "left_out.h").write_text(SWITCH)
    return folder / f"{kernel}.cpp", calls


def _instrumented(text: str, path: str, first: int) -> tuple[str, list[SyncCall]]:
    blank = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    seen: Counter[str] = Counter()
    calls: list[SyncCall] = []
    pieces: list[str] = []
    done = 0
    for begin, end, arguments in _find(blank):
        call = text[begin:end]
        shown = " ".join(call.split()).replace("AscendC::", "")
        seen[shown] += 1
        number = first + len(calls)
        key = f"{path}: {shown}" + (f" #{seen[shown]}" if seen[shown] > 1 else "")
        line = blank.count("\n", 0, begin) + 1
        calls.append(SyncCall(number, path, line, shown, key, _edge(path, shown)))
        pieces += [text[done:begin], _switched(call, number, arguments)]
        done = end
    pieces.append(text[done:])
    return "".join(pieces), calls


def _edge(path: str, call: str) -> str:
    """Returns a name for the edge of a call. The name consists of file and HardEvent, of file and
    Event object, or of the flag between cores. The name is empty for a call without an edge.
    """
    flag = re.match(r"(?:Set|Wait)Flag<(.*?)>\(", call)
    if flag:
        return f"{path}: {flag[1]}"
    between = re.match(r"CrossCore(?:Set|Wait)Flag.*\((.*)\)", call)
    if between:
        return f"CrossCore {between[1]}"
    event = re.match(r"(\w+)(?:\[.*\])?\.(?:Set|Wait)\(\)", call)
    return f"{path}: {event[1]}" if event else ""


def _switched(call: str, number: int, arguments: str) -> str:
    if re.search(r"\bDeQue\b", call):
        kind = arguments.rsplit(",", 1)[-1].strip()
        return f"(left_out::Call({number}) ? AscendC::LocalTensor<{kind}>() : {call})"
    return f"(left_out::Call({number}) ? (void)0 : (void)({call}))"


def _find(blank: str) -> Iterator[tuple[int, int, str]]:
    """Yields the begin, the end and the template arguments of every call; skips definitions."""
    for found in CALL.finditer(blank):
        end, arguments = found.end(), ""
        if blank[end] == "<":
            close = _closing(blank, end)
            arguments, end = blank[end + 1 : close], close + 1
        if blank[end] != "(":
            continue
        begin, end = end, _closing(blank, end) + 1
        if found["name"] in ("Set", "Wait") and blank[begin:end] != "()":
            continue  # a method of another class
        if re.match(r"\s*(const\s*)?\{", blank[end:]):
            continue  # a definition
        yield found.start(), end, arguments


def _closing(text: str, begin: int) -> int:
    opening = text[begin]
    depth = 0
    for at in range(begin, len(text)):
        if text[at] == opening:
            depth += 1
        elif text[at] == BRACKETS[opening] and text[at - 1] != "-":
            depth -= 1
            if depth == 0:
                return at
    raise ValueError(f"{opening} without its {BRACKETS[opening]}: {text[begin : begin + 60]!r}")
