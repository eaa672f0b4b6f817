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
# What the export of the kernel complains about when the user's own source is fine.
_EXPORT = re.compile(r"^cannery: export of kernel|/core/kernel_export\.h:")


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
    errors = [message for message in messages if _ERROR.search(message[0])] or messages
    own = [message for message in errors if not _EXPORT.search(message[0])]
    # Errors in the user's own file first; the twin's headers come second.
    own.sort(key=lambda message: not message[0].startswith(label))
    text = [line for message in own or errors[:1] for line in message]
    if not own:
        text.append(
            f'try: define `extern "C" __global__ __aicore__ void {name}(...)` in {label}, '
            "with GM_ADDR parameters only"
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
