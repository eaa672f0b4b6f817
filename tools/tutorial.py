# SPDX-License-Identifier: Apache-2.0
"""Runs the code of the pages of docs/tutorial, and writes the outputs that the pages show.

Each page runs from top to bottom in an empty folder. With --check, the tool fails if an output
differs from the page. cannery must be installed. The blocks between ``` lines on a page are:
    cpp      lines of the kernel file; a command `cannery docs tutorial/FILE` copies the file
    diff     a change, which the tool makes in the folder's copy of the kernel file
    console  commands after `$ `, each with its output; paths are relative to the folder
    python   statements
    pycon    statements after `>>> `, each with its output
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = "docs/tutorial"
#: Width of the terminal; enough for the tables of `cannery run`.
COLUMNS = "100"
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
KERNEL = re.compile(r"\]\((\w+\.cpp)\)")


class PageError(Exception):
    """A page has a mistake, such as lines that its kernel file does not contain."""


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Makes `folder` the current folder within the `with` block."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def defaults() -> Iterator[None]:
    """Within the `with` block, removes the environment variables CANNERY_* except the cache folder.
    A reader of the tutorial has none of them.
    """
    before = dict(os.environ)
    for name in before:
        if name.startswith("CANNERY_") and name != "CANNERY_CACHE_DIR":
            del os.environ[name]
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@dataclass
class Player:
    """Runs the blocks of one page in a folder of its own."""

    kernel: Path  #: the kernel's file in the repository
    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})

    def play(self, kind: str, text: str) -> str:
        """Runs a block of this kind; returns its text with the real outputs."""
        plays = {
            "cpp": self._cpp,
            "diff": self._diff,
            "console": self._console,
            "python": self._python,
            "pycon": self._pycon,
        }
        if kind not in plays:
            raise PageError(f"a block of kind {kind!r}; expected one of {', '.join(plays)}")
        return plays[kind](text)

    def _cpp(self, text: str) -> str:
        lines = self.kernel.read_text("utf-8").splitlines()
        shown = text.splitlines()
        count = len(shown)
        parts = (lines[i : i + count] for i in range(len(lines) - count + 1))
        # A page may leave out the indentation of a part of the file.
        if not any(textwrap.dedent("\n".join(part)).splitlines() == shown for part in parts):
            raise PageError(f"{self.kernel.name} has no such lines:\n{text}")
        return text

    def _diff(self, text: str) -> str:
        file = self.folder / self.kernel.name
        lines = text.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        source = file.read_text("utf-8")
        if source.count(before) != 1:
            raise PageError(f"{source.count(before)} places of {file.name} are:\n{before}")
        file.write_text(source.replace(before, after), "utf-8")
        return text

    def _console(self, text: str) -> str:
        # A backslash at the end of a line continues the command on the next line.
        commands = re.findall(r"^\$ ((?:.*\\\n)*.*)$", text, re.MULTILINE)
        return "".join(f"$ {command}\n{self._run(command)}" for command in commands)

    def _run(self, command: str) -> str:
        words = shlex.split(command.replace("\\\n", " "))
        environment = {**os.environ, "COLUMNS": COLUMNS}
        while "=" in words[0]:
            name, value = words.pop(0).split("=")
            environment[name] = value
        if words[0] != "cannery":
            raise PageError(f"expected a command `cannery ...`, got `{command}`")
        target = words.pop() if words[-2] == ">" else None
        words = words[1:-1] if target else words[1:]
        done = subprocess.run(
            [sys.executable, "-m", "cannery", *words],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if target:
            if done.returncode:
                raise PageError(f"`{command}` fails: {done.stdout}")
            (self.folder / target).write_text(done.stdout, "utf-8")
            return ""
        return self._clean(done.stdout)

    def _python(self, text: str) -> str:
        with inside(self.folder):
            exec(compile(text, "page", "exec"), self.names)  # noqa: S102 - a page of ours
        return text

    def _pycon(self, text: str) -> str:
        played = ""
        for example in doctest.DocTestParser().get_examples(text):
            first, *more = example.source.splitlines(keepends=True)
            printed = self._clean(self._say(example.source))
            played += "".join([f">>> {first}", *(f"... {line}" for line in more), printed])
        return played

    def _say(self, source: str) -> str:
        """Runs statements; returns the text that an interactive session would print."""
        out = io.StringIO()
        with inside(self.folder), contextlib.redirect_stdout(out):
            try:
                exec(compile(source, "page", "single"), self.names)  # noqa: S102 - a page of ours
            except Exception as error:
                return out.getvalue() + "".join(traceback.format_exception_only(error))
        return out.getvalue()

    def _clean(self, printed: str) -> str:
        printed = printed.replace(f"{self.folder.resolve()}/", "")
        return "".join(line.rstrip() + "\n" for line in printed.splitlines())


def pages(root: Path) -> Iterator[Path]:
    """Returns the numbered pages of the tutorial, which have a kernel file."""
    return iter(sorted((root / FOLDER).glob("[0-9]*.md")))


def kernel_of(page: Path) -> Path:
    """Returns the path of a page's kernel file, the first .cpp file to which it links."""
    match = KERNEL.search(page.read_text("utf-8"))
    if match is None:
        raise PageError(f"{page.name} links to no kernel file")
    return page.parent / match.group(1)


def play(page: Path, folder: Path) -> str:
    """Runs a page; returns its text with the real outputs. Raises PageError for a wrong page."""
    player = Player(kernel_of(page), folder)

    def again(match: re.Match[str]) -> str:
        return f"```{match.group(1)}\n{player.play(match.group(1), match.group(2))}```"

    with defaults():
        return FENCE.sub(again, page.read_text("utf-8"))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("pages", nargs="*", help="numbers, e.g. 03; default: all")
    arguments = parser.parse_args(argv)
    faults = 0
    for page in pages(arguments.root):
        if arguments.pages and page.name[:2] not in arguments.pages:
            continue
        with tempfile.TemporaryDirectory(prefix="tutorial-") as folder:
            try:
                text = play(page, Path(folder))
            except PageError as error:
                print(f"{page.name}: {error}", file=sys.stderr)
                faults += 1
                continue
        if text == page.read_text("utf-8"):
            continue
        if arguments.check:
            print(f"{page.name}: outdated; run python tools/tutorial.py", file=sys.stderr)
            faults += 1
        else:
            page.write_text(text, "utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
