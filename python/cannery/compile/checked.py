# SPDX-License-Identifier: Apache-2.0
"""Compiles a kernel with the checks of field_checks.py and the counters of scalar_counters.py:
preprocesses the source, edits the user's part, and compiles the result. The build of operators
calls `python -m cannery.compile.checked OWN COMMAND...` in place of the compiler.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cannery.compile.explanations import has_overflow
from cannery.compile.field_checks import with_field_checks
from cannery.compile.scalar_counters import with_scalar_counters
from cannery.compile.tokens import with_ub_arrays, without_attributes, without_ub_marks
from cannery.compile.toolchain import without_preprocessing

__all__ = ["UNCHECKED", "Compiled", "compile_checked", "edited_texts"]

#: Declares checks and counters before the first line of the source, and marks arrays in UB.
_DECLARE = ("-include", "core/protected_edits.h", "-DTWIN_UB_MARKS")
#: A warning about a source with a name, and the errors of its compilation with checks.
UNCHECKED = (
    "{}: warning: values that do not fit into fields (T402) are not reported, because the source "
    "does not compile with these checks:\n{}"
)

Run = Callable[[list[str]], "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Compiled:
    """The result of a compilation."""

    returncode: int
    messages: str  #: the compiler's messages about the user's source
    unchecked: str = ""  #: errors of a source that compiles only without checks


def edited_texts(preprocessed: str, own: str) -> Iterator[str]:
    """Yields the text to compile in place of a preprocessed source: with counters and checks. Then
    yields a text with checks only, for a source that does not compile with counters.

    own: the folder of the twin's headers, which are not edited.
    """
    yield with_field_checks(with_scalar_counters(preprocessed, own), own)
    yield with_field_checks(preprocessed, own)


def compile_checked(command: list[str], source: str, own: str, run: Run) -> Compiled:
    """Runs a command that compiles one source.

    source: the word of `command` that names the source.   own: the folder of the twin's headers,
    which are not edited.   run: runs a command.

    The compiler's messages are those of a compilation without checks, because the checks change
    columns and expand macros. A source with attributes of the device compiler cannot be compiled as
    it is; only then the messages are those of the preprocessed source.

    If only the compilation with counters fails, the result has no counters. If only the compilation
    with checks fails, the result has neither.
    """
    at = command.index("-o") + 1
    output = command[at]
    text = f"{output}.ii"
    rest = [word for index, word in enumerate(command) if index not in (at - 1, at)]
    preprocess = [*(word for word in rest if word not in ("-c", "-shared")), *_DECLARE]
    path = Path(text)
    if run([*preprocess, "-E", "-o", text]).returncode != 0 or not path.exists():
        plain = run(command)
        return Compiled(plain.returncode, plain.stderr)
    marked = os.fsdecode(path.read_bytes())
    preprocessed = without_ub_marks(marked)
    taken = with_ub_arrays(without_attributes(marked))
    texts = edited_texts(taken, own)

    def compile_text(content: str, target: str) -> subprocess.CompletedProcess[str]:
        path.write_bytes(os.fsencode(content))
        done = run([*_of_preprocessed(rest, source, text), "-o", target])
        path.unlink()
        return done

    def compile_plain(target: str) -> subprocess.CompletedProcess[str]:
        if taken != preprocessed:
            return compile_text(taken, target)
        return run([*rest, "-o", target])

    done = compile_text(next(texts), output)
    if (done.returncode == 0 and not done.stderr) or has_overflow(done.stderr):
        return Compiled(done.returncode, done.stderr)
    if done.returncode == 0:
        return Compiled(0, compile_plain(os.devnull).stderr)
    plain = compile_plain(output)
    checked = f"{output}.checked"
    done = compile_text(next(texts), checked) if plain.returncode == 0 else plain
    if has_overflow(done.stderr):
        return Compiled(done.returncode, done.stderr)
    if plain.returncode == 0 and done.returncode == 0:
        os.replace(checked, output)
    failed = plain.returncode == 0 and done.returncode != 0
    return Compiled(plain.returncode, plain.stderr, done.stderr if failed else "")


def _of_preprocessed(command: list[str], source: str, text: str) -> list[str]:
    """Returns the command for the preprocessed `text` in place of `source`."""
    at = command.index(source)
    words = [*command[:at], "-x", "c++-cpp-output", text, "-x", "none", *command[at + 1 :]]
    return list(without_preprocessing(words))


def _main(own: str, command: list[str]) -> int:
    source = next((word for word in command if word.endswith(".cpp")), None)
    if source is None or "-c" not in command or "-o" not in command:
        return subprocess.run(command, check=False).returncode

    def run(words: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, check=False, stderr=subprocess.PIPE, text=True, errors="surrogateescape"
        )

    done = compile_checked(command, source, own, run)
    told = done.messages + (UNCHECKED.format(source, done.unchecked) if done.unchecked else "")
    sys.stderr.buffer.write(os.fsencode(told))
    return done.returncode


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1], sys.argv[2:]))
