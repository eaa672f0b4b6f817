# SPDX-License-Identifier: Apache-2.0
"""Renders models into files. The same prototypes always give the same bytes."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jinja2

from . import dtypes, jsonfiles, literals, names, packagefiles
from .model import Operator
from .outputs import OUTPUTS, Output, Scope

TEMPLATES = Path(__file__).parent / "templates"


class Renderer:
    """Renders all outputs for a set of operators.

    A template for one operator can use `op`; for a combination of dtypes also `row`; for a public
    function also `entry`. A template for the whole project can use `ops` and `banner`.
    """

    def __init__(self, ops: list[Operator], whole_project: bool) -> None:
        """whole_project: False leaves out the files that list all operators."""
        self._ops = ops
        self._whole_project = whole_project

    def paths(self) -> list[str]:
        """Returns the relative paths of all outputs, in the order of the table in outputs.py and of
        the operators.
        """
        return [path for path, _, _ in self._plan()]

    def render(self) -> Iterator[tuple[str, str]]:
        """Yields the relative path and the text of every output."""
        for path, output, context in self._plan():
            yield path, self._text(output, context)

    def committed_pages(self) -> Iterator[tuple[str, str]]:
        """Yields path and text of the outputs that are committed to the repository."""
        for _, output, context in self._plan():
            if output.committed:
                snake = context["op"].snake if "op" in context else ""
                yield output.committed.format(snake=snake), self._text(output, context)

    def _text(self, output: Output, context: dict[str, Any]) -> str:
        if output.is_template:
            return _environment().get_template(output.source).render(context)
        if output.scope is Scope.SOC:
            made: str = getattr(packagefiles, output.source)(self._ops, context["soc"])
        else:
            made = getattr(jsonfiles, output.source)(context["op"])
        return made

    def _plan(self) -> Iterator[tuple[str, Output, dict[str, Any]]]:
        for output in OUTPUTS:
            if output.scope in (Scope.PROJECT, Scope.SOC):
                if self._whole_project:
                    yield from self._plan_project(output)
                continue
            for op in self._ops:
                if output.scope is Scope.ENTRY:
                    for entry in op.entries:
                        path = output.path.format(entry=entry.snake)
                        yield path, output, {"op": op, "entry": entry}
                    continue
                for row in op.binary_rows if output.scope is Scope.ROW else (0,):
                    path = output.path.format(snake=op.snake, row=row)
                    yield path, output, {"op": op, "row": row}

    def _plan_project(self, output: Output) -> Iterator[tuple[str, Output, dict[str, Any]]]:
        if output.scope is Scope.SOC:
            for soc in sorted({soc for op in self._ops for soc in op.socs}):
                yield output.path.format(soc=soc), output, {"soc": soc}
            return
        folders = ", ".join(sorted({f"{Path(op.source).parent}/" for op in self._ops}))
        banner = f"generated from {folders}, all prototypes; do not edit"
        yield output.path, output, {"ops": self._ops, "banner": banner}


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701  C++ and Markdown, never HTML
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("ge_dtype", "acl_dtype", "c_dtype", "ge_format", "acl_format"):
        environment.filters[name] = getattr(dtypes, name)
    environment.filters["value_from"] = names.value_from
    environment.filters.update(literals.FILTERS)
    return environment


def write_if_different(path: Path, text: str) -> bool:
    """Writes `text` to the file unless the file already has this content. A file that is not
    written causes no rebuild. Returns whether the file was written.
    """
    data = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    # A build that is interrupted here must not leave a partial file that looks up to date.
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    partial.replace(path)
    return True
