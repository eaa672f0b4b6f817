# SPDX-License-Identifier: Apache-2.0
"""Defines the command `cannery profile` and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cannery.cli import run_command
from cannery.cli.options import Json, fail, use_options
from cannery.errors import CanneryError
from cannery.settings import KEPT_INSTRUCTIONS

__all__ = ["profile_command"]

Targets = Annotated[
    list[str] | None,
    typer.Argument(help="Operator, or FILE:KERNEL of a source; with --diff two saved profiles."),
]
Warm = Annotated[
    bool, typer.Option("--warm", help="The second-level cache holds the arguments at the start.")
]
Save = Annotated[Path | None, typer.Option(help="Keep the profile in FILE, for --diff.")]
Trace = Annotated[
    Path | None, typer.Option(help="Write a Chrome trace, which ui.perfetto.dev shows, to FILE.")
]
AllCores = Annotated[
    bool, typer.Option("--all-cores", help="With --trace: all cores and all kept instructions.")
]
Keep = Annotated[
    int,
    typer.Option(
        min=0,
        max=(1 << 40) - 1,
        help="Keep the times of at most N instructions per launch, for --save, --trace and --html.",
        metavar="N",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option(help="Write a page for the browser to FILE: timeline, roofline, hottest lines."),
]
Diff = Annotated[bool, typer.Option("--diff", help="Compare two saved profiles, A with B.")]
Calibrate = Annotated[
    Path | None,
    typer.Option(help="Compare the model with measurements: a CSV of kernel, shape, us."),
]


def profile_command(
    targets: Targets = None,
    dtype: run_command.Dtype = None,
    shape: run_command.Shape = None,
    attr: run_command.Attr = None,
    size: run_command.Size = None,
    soc: run_command.Soc = None,
    seed: run_command.Seed = 0,
    hazards: run_command.Hazards = None,
    mode: run_command.Mode = None,
    warm: Warm = False,
    save: Save = None,
    trace: Trace = None,
    all_cores: AllCores = False,
    html: Html = None,
    keep: Keep = KEPT_INSTRUCTIONS,
    diff: Diff = False,
    calibrate: Calibrate = None,
    blocks: run_command.Blocks = None,
    arg: run_command.Arg = None,
    tiling: run_command.Tiling = None,
    tiling_key: run_command.TilingKey = None,
    workspace: run_command.Workspace = None,
    define: run_command.Define = None,
    include: run_command.Include = None,
    json: Json = False,
) -> None:
    """Show how long a launch would take on the chip, and what limits it, by the timing model.

    All figures are modelled; docs/timing.md says how accurate they are.
    """
    from cannery.cli import calibrate as measurements
    from cannery.cli import profile, run_kernel
    from cannery.cli.selection import Selection, named_shapes

    given, args = list(targets or ()), tuple(arg or ())
    files = profile.Files(save, trace, html, all_cores, keep)
    try:
        files.check(alone=diff or calibrate is not None)
        if diff:
            profile.diff(*_pair(given), json)
            return
        with use_options(hazards=hazards, mode=mode, soc=soc):
            if calibrate is not None:
                if given:
                    raise ValueError("--calibrate: the file names the kernels; expected no target")
                measurements.show(calibrate, warm, json)
                return
            target = _only(given)
            if run_kernel.names_a_kernel(target):
                options = (blocks or 1, args, tiling, tiling_key or 0, workspace or 0)
                folders = (tuple(define or ()), tuple(include or ()))
                launch = run_kernel.KernelLaunch(target, *options, *folders, seed=seed)
                profile.show(launch, warm, files, json)
                return
            plain, named = named_shapes(shape or ())
            chosen = (target, dtype, plain, tuple(attr or ()), None, size, seed)
            profile.show(Selection(*chosen, shapes=named, args=args), warm, files, json)
    except (CanneryError, ImportError, OSError, ValueError, TypeError, MemoryError) as error:
        raise fail(error, json) from None


def _only(targets: list[str]) -> str:
    if len(targets) != 1:
        raise ValueError(f"expected an operator or FILE:KERNEL, got {len(targets)} targets")
    return targets[0]


def _pair(targets: list[str]) -> tuple[Path, Path]:
    if len(targets) != 2:
        raise ValueError(f"--diff: expected two saved profiles, got {len(targets)}")
    return Path(targets[0]), Path(targets[1])
