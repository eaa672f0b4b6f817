# SPDX-License-Identifier: Apache-2.0
"""What a user needs from a compiler's output: their own lines, errors first, and not hundreds of
them.
"""

from __future__ import annotations

import re

__all__ = ["summarize"]

_MAX_LINES = 40
_INCLUDED_FROM = re.compile(r"^(In file included from|\s+from) ")
_ERROR = re.compile(r"(\berror\b|undefined reference)")
_FRAME = re.compile(r"^\s*(\d+ )?\|")
_POSITION = re.compile(r"^(?P<file>[^:\s][^:]*):\d+")
_UNKNOWN_KERNEL = re.compile(r"cannery: export of kernel")


def summarize(output: str, label: str, name: str, wrapper: str) -> str:
    """The part of `output` that explains the failure.

    label: how the messages call the user's source.   wrapper: the file that was really compiled.
    """
    lines = [line.rstrip() for line in output.splitlines()]
    lines = [
        line
        for line in lines
        if line and not _INCLUDED_FROM.match(line) and wrapper not in line.split(":")[0]
    ]
    messages = _messages(lines)
    chosen = [message for message in messages if _ERROR.search(message[0])] or messages
    # Errors in the user's own file first; the twin's headers come second.
    chosen.sort(key=lambda message: not message[0].startswith(label))
    text = [line for message in chosen for line in message]
    if _UNKNOWN_KERNEL.search(output):
        text.append(
            f"try: check that {label} defines `extern "
            f'"C" __global__ __aicore__ void {name}(...)` with GM_ADDR parameters'
        )
    if len(text) > _MAX_LINES:
        text = [*text[:_MAX_LINES], f"... {len(text) - _MAX_LINES} more lines"]
    return "\n".join(text)


def _messages(lines: list[str]) -> list[list[str]]:
    """Splits into messages: a line with a position, then the quoted source below it."""
    messages: list[list[str]] = []
    for line in lines:
        starts = _POSITION.match(line) is not None and not _FRAME.match(line)
        if starts or not messages:
            messages.append([line])
        else:
            messages[-1].append(line)
    return messages
