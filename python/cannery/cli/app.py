# SPDX-License-Identifier: Apache-2.0
"""Defines the commands and their options; each command calls another module of cannery.cli."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from cannery.cli.options import Json, fail
from cannery.cli.profile_command import profile_command
from cannery.cli.run_command import RunWords, run_command
from cannery.errors import CanneryError

app = typer.Typer(
    name="cannery",
    help="Ascend C operators, and the CPU twin of the chip that runs them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from cannery import __version__

        sys.stdout.write(f"cannery {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Ascend C operators, and the CPU twin of the chip that runs them."""


@app.command("list")
def list_command(
    op: Annotated[
        str | None, typer.Argument(help="Operator to describe; default: one line for each.")
    ] = None,
    json: Json = False,
) -> None:
    """List the operators, or show the inputs, the outputs and the computation of one."""
    from cannery.cli import catalog

    try:
        catalog.show(op, json)
    except (CanneryError, ImportError, OSError, ValueError) as error:
        raise fail(error, json) from None


@app.command("explain")
def explain_command(
    code: Annotated[
        str | None, typer.Argument(help="T107, a status such as 161002; default: list the codes.")
    ] = None,
    json: Json = False,
) -> None:
    """Explain an error: what is wrong, how to correct it, and what the chip does."""
    from cannery.cli import explain

    try:
        explain.show(code, json)
    except (CanneryError, ImportError, OSError, ValueError) as error:
        raise fail(error, json) from None


@app.command("docs")
def docs_command(
    page: Annotated[
        str | None, typer.Argument(help="Page, e.g. errors or twin-semantics/cube; default: list.")
    ] = None,
    json: Json = False,
) -> None:
    """Show a page of the documentation: docs/<page>.md in messages."""
    from cannery.cli import docs

    try:
        docs.show(page, json)
    except (CanneryError, OSError, ValueError) as error:
        raise fail(error, json) from None


@app.command("examples")
def examples_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...", help="Examples to copy, e.g. 06_launch; default: list."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Copy all examples.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the copies.")] = Path("examples"),
    json: Json = False,
) -> None:
    """List the examples, or copy some of them."""
    from cannery.cli import examples

    try:
        examples.show(names or [], every, out, json)
    except (CanneryError, ImportError, OSError, ValueError) as error:
        raise fail(error, json) from None


app.command("run", cls=RunWords)(run_command)
app.command("profile")(profile_command)


@app.command("new")
def new_command(
    source: Annotated[
        Path, typer.Option("-i", "--input", help="Prototype: JSON as for msopgen, or TOML.")
    ],
    compute_unit: Annotated[
        str | None,
        typer.Option(
            "-c", "--compute_unit", help="Chips, e.g. ai_core-ascend910b; several with commas."
        ),
    ] = None,
    language: Annotated[
        str, typer.Option("-lan", "--language", help="Language of the kernel: cpp.")
    ] = "cpp",
    framework: Annotated[
        str,
        typer.Option("-f", "--framework", help="As for msopgen; only --layout msopgen uses it."),
    ] = "tf",
    out: Annotated[Path, typer.Option("-out", "--output", help="Folder of the project.")] = Path(),
    mode: Annotated[
        int,
        typer.Option("-m", "--mode", min=0, max=1, help="0: a new project; 1: add to an old one."),
    ] = 0,
    op: Annotated[
        str | None,
        typer.Option("-op", "--operator", help="Only this operator of the file; default: all."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of Python package and vendor; default: the folder's.")
    ] = None,
    layout: Annotated[
        str, typer.Option(help="cannery, or msopgen: only the files that msopgen writes.")
    ] = "cannery",
    json: Json = False,
) -> None:
    """Make a project of operators from a prototype. It builds and passes its tests.

    For example: cannery new -i add.json -c ai_core-ascend910b -lan cpp -out my_ops

    The options are those of `msopgen gen`. docs/projects.md describes the project.
    """
    from cannery.cli import new

    try:
        new.make(source, compute_unit, language, framework, out, mode, op, name, layout, json)
    except (CanneryError, ImportError, OSError, ValueError) as error:
        raise fail(error, json) from None


@app.command("build")
def build_command(
    project: Annotated[Path, typer.Argument(help="Folder of the project.")] = Path(),
    jobs: Annotated[
        int | None, typer.Option("-j", min=1, help="Compiler processes; default: as ninja.")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Unoptimised, with assertions.")] = False,
    soc: Annotated[
        str | None, typer.Option(help="For a card of this SoC instead; needs a CANN toolkit.")
    ] = None,
    json: Json = False,
) -> None:
    """Build a project of operators; for the twin only what changed, for a card everything.

    It takes projects of `cannery new` and, for the twin, unchanged projects of
    msopgen and those that call npu_op_package (docs/projects.md).
    """
    from cannery.cli import build, card, export

    try:
        if soc is None:
            build.build(project, jobs, debug, json)
        elif jobs is not None or debug:
            raise ValueError("--soc: the toolkit builds, which -j and --debug do not reach")
        else:
            card.build(project, export.parse_socs(soc), json)
    except (CanneryError, ImportError, OSError, ValueError) as error:
        raise fail(error, json) from None


@app.command("flags")
def flags_command(
    cflags: Annotated[bool, typer.Option("--cflags", help="Flags to compile C++ clients.")] = False,
    libs: Annotated[bool, typer.Option("--libs", help="Flags to link them.")] = False,
    root: Annotated[
        bool, typer.Option("--root", help="The folder that stands for the toolkit's.")
    ] = False,
    kernels: Annotated[
        bool,
        typer.Option("--kernels", help="For unit tests of kernels (ICPU_RUN_KF), and kernels."),
    ] = False,
    json: Json = False,
) -> None:
    """Print compiler and linker flags for C++ programs that use the twin's libraries.

    Without --cflags and --libs, it prints both. Put --libs after the sources.
    """
    from cannery.cli import flags

    try:
        flags.show(flags.Wanted(cflags, libs, root, kernels), json)
    except (CanneryError, ImportError) as error:
        raise fail(error, json) from None


_CC_WORDS = ("--unit-test", "--oracle", "--run", "--json", "-h", "--help")


class _CompilerWords(TyperCommand):
    """Passes all words except cannery's own options to the compiler. Without this class, typer
    would split -Wl,-rpath,x into one-letter options; one of them, -h, would print the help.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = [word for word in args if word in _CC_WORDS]
        rest = [word for word in args if word not in own]
        return super().parse_args(ctx, [*own, "--", *rest] if args else [])


@app.command(
    "cc",
    cls=_CompilerWords,
    context_settings={"allow_extra_args": True},
    no_args_is_help=True,
    options_metavar="[OPTIONS] FILE...",
)
def cc_command(
    context: typer.Context,
    run: Annotated[bool, typer.Option("--run", help="Run the program as well.")] = False,
    unit_test: Annotated[
        bool,
        typer.Option("--unit-test", help="Tests with ICPU_RUN_KF; GoogleTest where they use it."),
    ] = False,
    oracle: Annotated[
        bool,
        typer.Option(
            "--oracle",
            help="With --unit-test --run: each launch again, with blocks in other orders and other "
            "contents of memory. What differs, or was never written, fails the test.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Compile C++ sources that launch kernels with <<<>>> to a program that runs on the twin.

    It takes sources (.asc, .cpp, ...), objects, libraries and the options of g++
    and clang++: -o PROGRAM, -c, -shared, -I, -D, ... CXX names the compiler.
    -dc makes objects whose kernels call functions of other objects, -lib a
    static library.

    --api VERSION (8.1.RC1, 8.5.0, ...) warns about names that this version of
    the toolkit does not have.

    --launchers DIR writes the functions aclrtlaunch_<kernel> that
    ACLRT_LAUNCH_KERNEL calls, and their headers.
    """
    from cannery.cli import cc

    try:
        status = cc.show(context.args, cc.Wishes(run, unit_test, oracle, json))
    except (CanneryError, ImportError, OSError, ValueError) as error:
        raise fail(error, json) from None
    if status != 0:
        raise typer.Exit(status)


@app.command("package")
def package_command(
    tree: Annotated[
        Path | None,
        typer.Argument(
            help="Folder of a project, or one vendors/<vendor> of its build; default: the current "
            "folder. With --soc the folder of a project."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the file.")] = Path("build_out"),
    soc: Annotated[
        str | None,
        typer.Option(help="For a card of this SoC: a CANN toolkit builds the project in `tree`."),
    ] = None,
    json: Json = False,
) -> None:
    """Make custom_opp_<os>_<machine>.run, a file that installs a project's operators."""
    from cannery.cli import card, export, package

    try:
        if soc is None:
            package.show(tree, out, json)
        else:
            card.package(tree or Path(), export.parse_socs(soc), out, json)
    except (CanneryError, OSError, ValueError) as error:
        raise fail(error, json) from None


@app.command("export")
def export_command(
    msopgen: Annotated[
        Path, typer.Option("--msopgen", metavar="DIR", help="Folder for it, new or empty.")
    ],
    project: Annotated[Path, typer.Argument(help="Folder of the project.")] = Path(),
    soc: Annotated[
        str | None,
        typer.Option(
            help="ascend910b or ascend910_93, or both with a comma; default: as declared."
        ),
    ] = None,
    vendor: Annotated[
        str | None, typer.Option(help="Name of the package; default: as in CMakeLists.txt.")
    ] = None,
    json: Json = False,
) -> None:
    """Write a project of operators as msopgen lays it out, for a CANN toolkit to build."""
    from cannery.cli import export

    try:
        export.show(project, msopgen, export.parse_socs(soc), vendor, json)
    except (CanneryError, ImportError, OSError, ValueError) as error:
        raise fail(error, json) from None


@app.command("selftest")
def selftest_command(
    backend: Annotated[
        str | None, typer.Option(help="twin or npu; default: CANNERY_BACKEND, else twin.")
    ] = None,
    size: Annotated[str, typer.Option(help="Of the operators: small, medium or large.")] = "small",
    json: Json = False,
) -> None:
    """Compare every operator with its golden, then check the twin's predictions of a card."""
    from cannery.cli import selftest

    try:
        ok = selftest.show(backend, size, json)
    except (CanneryError, ImportError, OSError, ValueError, RuntimeError) as error:
        raise fail(error, json) from None
    if not ok:
        raise typer.Exit(1)


@app.command("doctor")
def doctor_command(json: Json = False) -> None:
    """Show what was found on this machine, what is missing, and how to get it."""
    from cannery.cli import doctor

    try:
        complete = doctor.show(json)
    except (CanneryError, OSError, ValueError) as error:
        raise fail(error, json) from None
    if not complete:
        raise typer.Exit(1)
