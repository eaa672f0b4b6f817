# SPDX-License-Identifier: Apache-2.0
"""`--new NAME`: a complete operator that copies its input, to be made into another one.

The folder new holds every file that is written by hand, for an operator called NewOp. The same
files under the new name build and pass their tests; so do the three registries, the operator's
page and the list of pages, which follow from them.
"""

from __future__ import annotations

import re
from pathlib import Path

from . import names
from .build import build
from .loader import load_prototypes
from .render import Renderer, write_if_different
from .rules import RESERVED

TREE = Path(__file__).parent / "new"
#: What each registry imports from the operator's own module.
REGISTRIES = {"golden": "{snake}", "ops": "{snake}", "cases": "{type}Workloads"}


class ScaffoldError(Exception):
    """The operator cannot be made; the message says why."""


def scaffold(root: Path, name: str) -> list[str]:
    """Makes the operator `name`, relu6_grad or Relu6Grad, in the checkout `root`.

    Returns what was written or changed, as paths below `root`. Writes nothing when it raises.
    """
    snake = names.snake_case(name)
    op_type = names.pascal_case(snake)
    _check_name(name, snake, op_type)
    files = {
        _renamed(path.relative_to(TREE).as_posix(), snake, op_type): _renamed(
            path.read_text("utf-8"), snake, op_type
        )
        for path in sorted(TREE.rglob("*"))
        if path.is_file() and path.suffix != ".pyc"
    }
    taken = next((path for path in files if (root / path).exists()), None)
    if taken is not None:
        raise ScaffoldError(f"{name}: there is already {taken}; choose another name")
    for registry, exported in REGISTRIES.items():
        path = f"python/cannery/{registry}/__init__.py"
        text = (root / path).read_text("utf-8")
        files[path] = _registered(
            text, f"cannery.{registry}.{snake}", exported.format(snake=snake, type=op_type)
        )
    for path, text in files.items():
        write_if_different(root / path, text)
    return sorted([*files, *_write_derived(root, snake)])


def _check_name(name: str, snake: str, op_type: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", snake):
        raise ScaffoldError(f"{name}: must be letters and digits, as in relu6_grad or Relu6Grad")
    if names.snake_case(op_type) != snake:
        # Files, kernel and prototype would disagree about the operator's name.
        raise ScaffoldError(
            f"{name}: the type would be {op_type} and its files {names.snake_case(op_type)}; "
            f"call it so"
        )
    if snake in RESERVED:
        raise ScaffoldError(f"{name}: is reserved by C++ or the aclnn signature")


def _renamed(text: str, snake: str, op_type: str) -> str:
    for old, new in (("new_op", snake), ("NewOp", op_type), ("NEW_OP", snake.upper())):
        text = text.replace(old, new)
    return text


def _registered(text: str, module: str, exported: str) -> str:
    """A package's __init__ with one import more, and the name in each of its sorted lists."""
    line = f"from {module} import {exported}\n"
    if len(line) > 101:
        line = f"from {module} import (\n    {exported},\n)\n"
    prefix = module.rsplit(".", 1)[0]
    imports = list(re.finditer(rf"^from ({prefix}\.\w+) import (?:\([^)]*\)|[^\n]*)\n", text, re.M))
    later = [match for match in imports if match.group(1) > module]
    place = later[0].start() if later else imports[-1].end()
    text = text[:place] + line + text[place:]
    if "__all__" in text and f'"{module.rsplit(".", 1)[1]}"' == f'"{exported}"':
        return _listed(text, '    "{}",\n', exported)
    return _listed(text, "        {},\n", exported)


def _listed(text: str, form: str, entry: str) -> str:
    """`entry` as a line of the sorted run of such lines."""
    pattern = re.escape(form).replace(r"\{\}", r"(\w+)")
    run = re.search(rf"(?m)(?:^{pattern})+", text)
    if run is None:
        raise ScaffoldError(f"{entry}: found no list to add it to")
    entries = sorted({*re.findall(rf"(?m)^{pattern}", run.group()), entry})
    return text[: run.start()] + "".join(map(form.format, entries)) + text[run.end() :]


def _write_derived(root: Path, snake: str) -> list[str]:
    """What is generated and yet committed: its page, and the list of all pages."""
    loaded = load_prototypes(root / "op_proto")
    ops = [build(source, proto) for source, proto in loaded]
    committed = {"operators.md": "docs/operators.md", f"docs/{snake}.md": f"docs/api/{snake}.md"}
    for path, text in Renderer(ops, whole_project=True).render():
        if path in committed:
            write_if_different(root / committed[path], text)
    return list(committed.values())
