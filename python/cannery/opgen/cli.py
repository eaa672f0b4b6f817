# SPDX-License-Identifier: Apache-2.0
"""Command line of the generator."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import loader, scaffold
from .build import build
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
    parser.add_argument("--check", action="store_true", help="only validate the prototypes")
    parser.add_argument(
        "--new", metavar="NAME", help="write the files of a new operator beside the op_proto folder"
    )
    arguments = parser.parse_args(argv)
    if not (arguments.out or arguments.list_outputs or arguments.check or arguments.new):
        parser.error("one of --out, --list-outputs, --check and --new is needed")
    return arguments


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
    """0: done; 1: a prototype is broken, and stderr has a line `file: key: rule` per fault."""
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
    if arguments.list_outputs:
        print("\n".join(renderer.paths()))
    elif not arguments.check:
        for path, text in renderer.render():
            write_if_different(arguments.out / path, text)
    return 0
