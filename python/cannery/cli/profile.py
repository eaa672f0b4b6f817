# SPDX-License-Identifier: Apache-2.0
"""`cannery profile`: prints the modelled times of launches, and what limits them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cannery import cases
from cannery.cli import output
from cannery.cli.run_kernel import KernelLaunch
from cannery.cli.selection import Selection
from cannery.profiling import Launch, Profile, load_profile, profile
from cannery.settings import KEPT_INSTRUCTIONS
from cannery.testing.sizes import naming

__all__ = ["Files", "diff", "measure", "show"]

_LINES = 5
_CHANGED = 0.01  #: a smaller relative difference counts as no change


@dataclass(frozen=True)
class Files:
    """The files to write in addition to the printed text."""

    save: Path | None = None
    trace: Path | None = None
    html: Path | None = None
    all_cores: bool = False
    keep: int = KEPT_INSTRUCTIONS

    def check(self, alone: bool) -> None:
        """Raises ValueError if an option has no effect or a file cannot be written."""
        given = {"--save": self.save, "--trace": self.trace, "--html": self.html}
        paths = {option: path for option, path in given.items() if path is not None}
        if alone and paths:
            raise ValueError(
                f"{next(iter(paths))}: needs an operator or FILE:KERNEL; --diff and --calibrate "
                "write no files"
            )
        if self.all_cores and self.trace is None:
            raise ValueError("--all-cores: says which cores --trace has; add --trace FILE")
        for option, path in paths.items():
            if path.is_dir():
                raise ValueError(f"{option}: {path} is a folder; expected a file")
            if not path.parent.is_dir():
                raise ValueError(f"{option}: there is no folder {path.parent} for {path.name}")

    def write(self, found: Profile) -> dict[str, str]:
        """Writes the files; returns the paths of the trace and the page. Both files show the launch
        that takes longest.
        """
        written = {}
        longest = max(found.launches, key=lambda launch: launch.task_us)
        if self.save is not None:
            found.save(self.save)
        if self.trace is not None:
            written["trace"] = str(self.trace)
            left_out = longest.trace(self.trace, all_cores=self.all_cores or None)
            if left_out:
                written["left_out"] = left_out
        if self.html is not None:
            written["html"] = str(self.html)
            longest.html(self.html)
        return written


def measure(target: Selection | KernelLaunch, warm: bool, keep: int = KEPT_INSTRUCTIONS) -> Profile:
    """Profiles one run of the chosen kernel, or of the first of the chosen cases; keeps the times
    of at most `keep` instructions per launch.
    """
    if isinstance(target, KernelLaunch):
        kernel, values = target.kernel(), target.values()
        with profile(warm=warm, keep=keep) as found:
            kernel(
                target.blocks,
                *values,
                workspace=target.workspace,
                tiling=target.tiling_bytes(),
                tiling_key=target.tiling_key,
            )
        return found
    case = target.chosen()[0]
    with naming(case.argument):
        prepared = cases.find(case.op).prepare(case, target.seed)
        with profile(warm=warm, keep=keep) as found:
            prepared.call()
    return found


def show(target: Selection | KernelLaunch, warm: bool, files: Files, as_json: bool) -> None:
    """Profiles the target, writes the files, and prints the results."""
    found = measure(target, warm, files.keep)
    written = files.write(found)
    if as_json:
        launches = [_fields(launch) for launch in found.launches]
        output.print_json({"ok": True, "modelled": True, "launches": launches, **written})
        return
    for launch in found.launches:
        _print(launch)
    if "trace" in written:
        output.print_paragraph(f"Trace for ui.perfetto.dev: {written['trace']}.")
    if "left_out" in written:
        most = max(launch.instruction_count for launch in found.launches)
        options = f"--keep {most} --all-cores" if most > files.keep else "--all-cores"
        output.print_paragraph(f"In it {written['left_out']}; {options} has all of them.")
    if "html" in written:
        output.print_paragraph(f"Page for the browser: {written['html']}.")


def _fields(launch: Launch) -> dict[str, Any]:
    roofline = asdict(launch.roofline)
    roofline["ratio"] = roofline["ratio"] if roofline["ideal_us"] else None
    return {
        "kernel": launch.kernel,
        "block_dim": launch.block_dim,
        "soc": launch.soc,
        "task_us": launch.task_us,
        "task_us_range": list(launch.task_us_range),
        "core_us": launch.core_us,
        "startup_us": launch.startup_us,
        "busy_us": launch.busy_us,
        "bound": asdict(launch.bound),
        "advice": str(launch.advice),
        "roofline": roofline,
        "hbm_bytes": launch.hbm_bytes,
        "gm_bytes": launch.gm_bytes,
        "l2_hit_rate": launch.l2_hit_rate,
        "bank_conflicts": launch.bank_conflicts,
        "instructions": launch.instruction_count,
        "kept_instructions": len(launch.instructions),
        "estimated": list(launch.estimated),
        "formulas": list(launch.formulas),
        "uncounted": list(launch.uncounted),
        "lines": [asdict(line) for line in launch.lines],
    }


def _print(launch: Launch) -> None:
    console = output.console()
    blocks = f"{launch.block_dim} block{'s' if launch.block_dim > 1 else ''}"
    least, most = launch.task_us_range
    output.print_paragraph(
        f"{launch.kernel}, {blocks}, {launch.soc}: {launch.task_us:.2f} us modelled, expect "
        f"{least:.2f} to {most:.2f} us ({launch.core_us:.2f} us mean of the cores)",
        style="bold",
    )
    output.print_paragraph(f"{launch.bound}.")
    output.print_paragraph(launch.advice.do)
    ideal = launch.roofline
    output.print_paragraph(
        f"At best: {ideal.bytes_us:.2f} us for {launch.hbm_bytes / 1e6:.2f} MB of HBM, "
        f"{ideal.arithmetic_us:.2f} us for the arithmetic. L2 had {launch.l2_hit_rate:.0%} of what "
        f"was loaded; banks of UB cost {launch.bank_conflicts:.0f} cycles."
    )
    start = ", ".join(f"{term} {us:.2f}" for term, us in launch.startup_us.items())
    output.print_paragraph(f"Start of the slowest core, us: {start}.")
    if launch.left_out:
        output.print_paragraph(launch.left_out)
    if launch.estimated:
        output.print_paragraph(f"Guessed: {', '.join(launch.estimated)}.")
    if launch.formulas:
        output.print_paragraph(f"By a formula, not by their steps: {', '.join(launch.formulas)}.")
    if launch.uncounted:
        told = ", ".join(launch.uncounted)
        output.print_paragraph(f"The scalar work of {told} is not counted: it takes no time here.")
    table = output.plain_table()
    pipes = list(next(iter(launch.busy_us.values())))
    for heading in ("busy us", *pipes):
        table.add_column(heading, justify="left" if heading == "busy us" else "right")
    for kind, busy in launch.busy_us.items():
        table.add_row(kind, *(f"{busy[pipe]:.2f}" for pipe in pipes))
    console.print(table)
    table = output.plain_table()
    for heading in ("us", "share", "where", "what"):
        table.add_column(heading, justify="right" if heading in ("us", "share") else "left")
    for line in launch.lines[:_LINES]:
        where = f"{Path(line.file).name}:{line.line}"
        table.add_row(f"{line.us:.2f}", f"{line.share:.0%}", where, ", ".join(line.opcodes[:3]))
    console.print(table)


def diff(first: Path, second: Path, as_json: bool) -> None:
    """Prints the changes of each launch from `first` to `second`; needs equally many launches."""
    before, after = load_profile(first).launches, load_profile(second).launches
    if len(before) != len(after):
        raise ValueError(
            f"--diff: {first} has {len(before)} launches, {second} has {len(after)}; "
            "expected as many"
        )
    changes = [_change(a, b) for a, b in zip(before, after, strict=True)]
    if as_json:
        output.print_json({"ok": True, "modelled": True, "launches": changes})
        return
    for change in changes:
        _print_change(change)


def _change(a: Launch, b: Launch) -> dict[str, Any]:
    busy = {
        f"{kind} {pipe}": [a.busy_us.get(kind, {}).get(pipe, 0.0), us]
        for kind, pipes in b.busy_us.items()
        for pipe, us in pipes.items()
    }
    return {
        "kernel": [a.kernel, b.kernel],
        "soc": [a.soc, b.soc],
        "task_us": [a.task_us, b.task_us],
        "speedup": a.task_us / b.task_us,
        "core_us": [a.core_us, b.core_us],
        "busy_us": busy,
        "bound": [str(a.bound), str(b.bound)],
        "hbm_bytes": [a.hbm_bytes, b.hbm_bytes],
        "l2_hit_rate": [a.l2_hit_rate, b.l2_hit_rate],
        "bank_conflicts": [a.bank_conflicts, b.bank_conflicts],
    }


def _print_change(change: dict[str, Any]) -> None:
    old, new = change["task_us"]
    name = " and ".join(dict.fromkeys(change["kernel"]))
    if abs(new / old - 1) < _CHANGED:
        verdict = "as fast"
    else:
        verdict = f"{max(old, new) / min(old, new):.2f} x {'faster' if new < old else 'slower'}"
    output.print_paragraph(
        f"{name}: {old:.2f} us to {new:.2f} us modelled, {verdict}", style="bold"
    )
    table = output.plain_table()
    for heading in ("", "A", "B"):
        table.add_column(heading, justify="left" if not heading else "right")
    for pipe, (before, after) in change["busy_us"].items():
        if max(before, after) > _CHANGED * min(old, new):
            table.add_row(f"{pipe} us", f"{before:.2f}", f"{after:.2f}")
    megabytes = [f"{each / 1e6:.2f}" for each in change["hbm_bytes"]]
    table.add_row("HBM MB", *megabytes)
    table.add_row("L2 hits", *(f"{each:.0%}" for each in change["l2_hit_rate"]))
    table.add_row("cycles lost to banks", *(f"{each:.0f}" for each in change["bank_conflicts"]))
    output.console().print(table)
    for side, bound in zip("AB", change["bound"], strict=True):
        output.print_paragraph(f"{side}: {bound}.")
