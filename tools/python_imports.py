# SPDX-License-Identifier: Apache-2.0
"""Checks imports inside python/cannery. A module may import only modules on lower floors
(tools/floors.py), and modules must not import each other in a circle. The rule also applies to
imports inside functions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

from floors import PYTHON_FLOORS, floor_numbers

ROOT = "python/"
PACKAGE = "cannery"
#: Templates of new operators and projects, which are not modules.
NO_MODULES = "python/cannery/opgen/new/"

_FLOOR_OF = floor_numbers(PYTHON_FLOORS)


def faults(root: Path, files: list[str]) -> Iterator[str]:
    """Yields a fault for each import of a module that is not on a lower floor, and for a circle."""
    paths = {_module(path): path for path in files if _is_module(path)}
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        graph[module] = set()
        if _unit(module) is None:
            yield f"{path}: {module} lies on no floor (PYTHON_FLOORS in tools/floors.py)"
            continue
        for line, target in _imports(module, path, (root / path).read_text("utf-8"), set(paths)):
            graph[module].add(target)
            if not _lies_below(target, module):
                yield (
                    f"{path}:{line}: {module} may not import {target}, which does not lie below it"
                )
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = list(reversed(error.args[1]))
        yield f"{paths[circle[0]]}: imports itself by way of {', '.join(circle[1:])}"


def _is_module(path: str) -> bool:
    inside = path.startswith(f"{ROOT}{PACKAGE}/") and not path.startswith(NO_MODULES)
    return inside and path.endswith(".py")


def _module(path: str) -> str:
    parts = PurePosixPath(path.removeprefix(ROOT)).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _unit(module: str) -> str | None:
    """Returns the entry of PYTHON_FLOORS for a module: the longest entry that is the name of
    the module or of one of its packages.
    """
    parts = module.split(".")[1:]
    names = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((name for name in names if name in _FLOOR_OF), "" if not parts else None)


def _lies_below(target: str, module: str) -> bool:
    of, own = _unit(target), _unit(module)
    if of is None or own is None:
        return False
    return of == own or _FLOOR_OF[of] < _FLOOR_OF[own]


def _imports(module: str, path: str, text: str, known: set[str]) -> Iterator[tuple[int, str]]:
    """Yields the line and the module of each import from this package, anywhere in the text."""
    package = module if path.endswith("/__init__.py") else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(text, path)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = list(_from(node, package, known))
        else:
            continue
        for name in names:
            if name.split(".")[0] == PACKAGE and name != module:
                yield node.lineno, name


def _from(node: ast.ImportFrom, package: str, known: set[str]) -> Iterator[str]:
    """Yields the module that `from base import name` imports, for each name: base.name if it is a
    module, otherwise base.
    """
    above = package.split(".")
    parts = above[: len(above) - node.level + 1] if node.level else []
    base = ".".join([*parts, *filter(None, [node.module])])
    for each in node.names:
        inner = f"{base}.{each.name}"
        is_module = inner in known or inner == f"{PACKAGE}._native"
        yield inner if is_module else base
