# SPDX-License-Identifier: Apache-2.0
"""Command line of the generator (cannery.opgen)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import loader, scaffold
from .build import build
from .outputs import LIST_OF_PAGES
from .render import Renderer, write_if_different


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="opgen", description="Generate everything that operator prototypes determine."
    )
    parser.add_argument(
        "--proto",
        type=Path,
        default=Path("op_proto"),
        metavar="DIR",
        help="folder of the prototypes (default: op_proto)",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the generated tree")
    parser.add_argument("--op", metavar="NAME", help="only this one, SwiGluGrad or swi_glu_grad")
    parser.add_argument(
        "--list-outputs", action="store_true", help="print the generated paths, write nothing"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="only validate the prototypes, and the pages that are committed beside them",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the pages that are committed",
    )
    parser.add_argument(
        "--new", metavar="NAME", help="write the files of a new operator beside the op_proto folder"
    )
    arguments = parser.parse_args(argv)
    if not any(getattr(arguments, way) for way in ("out", "list_outputs", "check", "write", "new")):
        parser.error("one of --out, --list-outputs, --check, --write and --new is needed")
    return arguments


def check_pages(root: Path, renderer: Renderer) -> int:
    """Returns 1 if a committed page differs from the page that is generated now, otherwise 0. A
    project without pages gives 0.
    """
    if not (root / LIST_OF_PAGES).is_file():
        return 0
    outdated = [path for path, text in renderer.committed_pages() if read(root / path) != text]
    for path in outdated:
        print(f"{path}: is not what op_proto gives: run opgen --write", file=sys.stderr)
    return 1 if outdated else 0


def read(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


def make_new(root: Path, name: str) -> int:
    try:
        written = scaffold.scaffold(root, name)
    except (scaffold.ScaffoldError, loader.PrototypeError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(written))
    print("It copies its input. Now docs/add-an-op.md, step 1; ./build.sh test passes already.")
    return 0


def main(argv: list[str] | None = None) -> int:
    """Runs the command. Returns 1 if a prototype is wrong (stderr has a line `file: key: rule` for
    each fault) or a committed page is outdated, otherwise 0.
    """
    arguments = parse_arguments(argv)
    if arguments.new:
        return make_new(arguments.proto.parent, arguments.new)
    try:
        loaded = loader.load_prototypes(arguments.proto, arguments.op)
    except loader.PrototypeError as error:
        print(error, file=sys.stderr)
        return 1
    ops = [build(source, proto) for source, proto in loaded]
    renderer = Renderer(ops, whole_project=arguments.op is None)
    root = arguments.proto.resolve().parent
    if arguments.list_outputs:
        print("\n".join(renderer.paths()))
    elif arguments.check:
        return check_pages(root, renderer)
    elif arguments.write:
        for path, text in renderer.committed_pages():
            if write_if_different(root / path, text):
                print(path)
    else:
        for path, text in renderer.render():
            write_if_different(arguments.out / path, text)
    return 0
