# SPDX-License-Identifier: Apache-2.0
"""Defines the command `cannery run` and its options, for operators and for kernels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from cannery.cli.options import Json, fail, use_options
from cannery.errors import CanneryError
from cannery.settings import current_backend

if TYPE_CHECKING:
    from cannery.cli.run_kernel import KernelLaunch

__all__ = ["RunWords", "run_command"]


Op = Annotated[
    str | None,
    typer.Argument(
        help="Operator, e.g. swi_glu_grad; default: all. Or FILE:KERNEL, a kernel of a source."
    ),
]
Dtype = Annotated[
    str | None, typer.Option(help="As in `cannery list`; default: all of the operator.")
]
Shape = Annotated[
    list[str] | None,
    typer.Option(
        help="Extents instead of a workload, e.g. 128,4096; NAME=EXTENTS of a single input of a "
        "project's operator, e.g. gamma=4096."
    ),
]
Attr = Annotated[
    list[str] | None, typer.Option(help="NAME=VALUE of an attribute; may be repeated.")
]
Dim = Annotated[int | None, typer.Option(help="Short for --attr dim=...")]
Size = Annotated[
    str | None, typer.Option(help="small, medium or large; default: small and medium.")
]
Soc = Annotated[str | None, typer.Option(help="Chip, e.g. Ascend910B2.")]
Seed = Annotated[int, typer.Option(help="Seed of the random inputs.", min=0)]
Dump = Annotated[
    Path | None, typer.Option(help="Write the instruction stream to FILE.txt or FILE.jsonl.")
]
Values = Annotated[
    int | None,
    typer.Option(
        "--dump-values",
        min=0,
        help="With --dump: the CRC-32 of every operand, and its first so many elements.",
    ),
]
Map = Annotated[
    str | None,
    typer.Option(
        "--ub-map",
        metavar="[FILE.svg]",
        help="Show who had which part of the local memories; with FILE.svg draw it, too.",
    ),
]
Hazards = Annotated[
    str | None,
    typer.Option(help="Check the order of memory accesses: off, auto-sync or explicit."),
]
Mode = Annotated[str | None, typer.Option(help="The twin's mode: strict, hardware or pedantic.")]
_KERNELS = "Of a kernel"
_MAP_ALONE = "-"
Blocks = Annotated[
    int | None,
    typer.Option(min=1, help="Number of blocks; default: 1.", rich_help_panel=_KERNELS),
]
Arg = Annotated[
    list[str] | None,
    typer.Option(
        help="A parameter, in order: float32[4096] (random; or =zeros, =ones, =arange, =poison, "
        "=FILE of raw bytes), FILE.npy, a number. The kernel must write all of a =poison array. "
        "For a project's operator NAME=ARRAY, an input.",
    ),
]
Tiling = Annotated[
    Path | None,
    typer.Option(help="Tiling data, raw bytes or an .npy file.", rich_help_panel=_KERNELS),
]
TilingKey = Annotated[
    int | None, typer.Option(min=0, help="The tiling key.", rich_help_panel=_KERNELS)
]
Workspace = Annotated[
    int | None, typer.Option(min=0, help="Bytes of user workspace.", rich_help_panel=_KERNELS)
]
Define = Annotated[
    list[str] | None,
    typer.Option("-D", help="NAME or NAME=VALUE of a macro.", rich_help_panel=_KERNELS),
]
Include = Annotated[
    list[Path] | None, typer.Option("-I", help="Folder of headers.", rich_help_panel=_KERNELS)
]
Save = Annotated[
    Path | None,
    typer.Option(help="Write its arrays to DIR/NAME.npy afterwards.", rich_help_panel=_KERNELS),
]
Debug = Annotated[
    bool | None,
    typer.Option(
        "--debug",
        help="Compile it unoptimised; arithmetic of its own that does not fit is an error.",
        rich_help_panel=_KERNELS,
    ),
]
Gdb = Annotated[
    bool | None,
    typer.Option(
        "--gdb", help="Run it in gdb, which stops at its entry.", rich_help_panel=_KERNELS
    ),
]
Command = Annotated[
    list[str] | None,
    typer.Option("-ex", help="With --gdb: a command for gdb there.", rich_help_panel=_KERNELS),
]


class RunWords(TyperCommand):
    """Makes the value of --ub-map optional: the next word is its value if it ends with .svg."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        words = []
        for place, word in enumerate(args):
            following = args[place + 1] if place + 1 < len(args) else ""
            words.append(word)
            if word == "--ub-map" and not following.endswith(".svg"):
                words.append(_MAP_ALONE)
        return super().parse_args(ctx, words)


def run_command(
    op: Op = None,
    dtype: Dtype = None,
    shape: Shape = None,
    attr: Attr = None,
    dim: Dim = None,
    size: Size = None,
    soc: Soc = None,
    seed: Seed = 0,
    dump: Dump = None,
    hazards: Hazards = None,
    mode: Mode = None,
    dump_values: Values = None,
    ub_map: Map = None,
    blocks: Blocks = None,
    arg: Arg = None,
    tiling: Tiling = None,
    tiling_key: TilingKey = None,
    workspace: Workspace = None,
    define: Define = None,
    include: Include = None,
    save: Save = None,
    debug: Debug = None,
    gdb: Gdb = None,
    command: Command = None,
    json: Json = False,
) -> None:
    """Run operators on the twin and compare them with their golden, or launch a kernel."""
    from cannery.cli import run, run_kernel
    from cannery.cli.selection import named_shapes

    of_operator = {"--dtype": dtype, "--shape": shape, "--attr": attr, "--dim": dim, "--size": size}
    of_kernel: dict[str, Any] = {"--blocks": blocks, "--tiling": tiling, "--tiling-key": tiling_key}
    of_kernel |= {"--workspace": workspace, "-D": define, "-I": include, "--save": save}
    of_kernel |= {"--debug": debug, "--gdb": gdb, "-ex": command}
    try:
        with use_options(hazards=hazards, mode=mode, soc=soc):
            picture = _picture(ub_map)
            _check_values(dump_values, dump)
            _check_soc(soc)
            if op is not None and run_kernel.names_a_kernel(op):
                _refuse(of_operator, "an operator", op)
                launch = run_kernel.KernelLaunch(
                    *(op, blocks or 1, tuple(arg or ()), tiling, tiling_key or 0, workspace or 0),
                    *(tuple(define or ()), tuple(include or ()), save, seed, dump),
                    *(bool(debug or gdb), ub_map is not None, picture, dump_values),
                )
                ok = _launch(launch, gdb, command or [], json)
            else:
                _refuse(of_kernel, "a kernel, FILE:KERNEL", op)
                plain, named = named_shapes(shape or ())
                selection = run.Selection(
                    *(op, dtype, plain, tuple(attr or ()), dim, size, seed, dump),
                    *(ub_map is not None, picture, dump_values, named, tuple(arg or ())),
                )
                ok = run.run(selection, json)
    except (CanneryError, ImportError, OSError, ValueError, TypeError, MemoryError) as error:
        raise fail(error, json) from None
    if not ok:
        raise typer.Exit(1)


def _launch(launch: KernelLaunch, in_gdb: bool | None, commands: list[str], as_json: bool) -> bool:
    from cannery.cli import gdb, run_kernel

    if in_gdb:
        # The kernel is compiled before gdb starts, so that the compiler's messages do not appear in
        # gdb.
        raise typer.Exit(gdb.start(launch.kernel(), commands, [*sys.argv[1:], "--debug"]))
    if commands:
        raise ValueError("-ex: a command for gdb; expected --gdb with it")
    return run_kernel.run(launch, as_json)


def _check_values(dump_values: int | None, dump: Path | None) -> None:
    if dump_values is not None and dump is None:
        raise ValueError("--dump-values: expected with --dump, a file for them")


def _check_soc(soc: str | None) -> None:
    if soc is not None and current_backend() != "twin":
        raise ValueError("--soc: chooses the chip of the twin; for a card, leave it out")


def _picture(ub_map: str | None) -> Path | None:
    if ub_map is None or ub_map == _MAP_ALONE:
        return None
    if not ub_map.endswith(".svg"):
        raise ValueError(f"--ub-map: expected FILE.svg or nothing, got {ub_map!r}")
    return Path(ub_map)


def _refuse(options: dict[str, Any], of: str, op: str | None) -> None:
    """Raises ValueError if an option is given that does not apply to `op`."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        what = "every operator" if op is None else repr(op)
        raise ValueError(f"{', '.join(given)}: of {of}; what is to run is {what}")
