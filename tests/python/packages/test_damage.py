# SPDX-License-Identifier: Apache-2.0
"""An incomplete package must be refused with a message, and no other package replaces it."""

from __future__ import annotations

import os
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cannery.cli import flags

from .conftest import TILING, run

TBE = "op_impl/ai_core/tbe"
LIST = f"{TBE}/config/ascend910b/aic-ascend910b-ops-info.json"
KERNELS = f"{TBE}/kernel/config/ascend910b/binary_info_config.json"
KERNEL = f"{TBE}/kernel/twin/swi_glu_grad/swi_glu_grad_2.so"

Install = Callable[..., Path]


def remove(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1000])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def other_machine(path: Path) -> None:
    data = bytearray(path.read_bytes())
    (machine,) = struct.unpack_from("<H", data, 18)
    struct.pack_into("<H", data, 18, 183 if machine == 62 else 62)
    path.write_bytes(data)


def text_instead(path: Path) -> None:
    path.write_text("[]")


def folder_instead(path: Path) -> None:
    path.unlink()
    path.mkdir()


def other_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("riscv64"))


@pytest.mark.parametrize(
    ("path", "damage", "status", "words"),
    [
        (TILING, remove, 561002, ["is not there. Install a complete package"]),
        (
            TILING,
            other_folder,
            561002,
            ["is not there; the package is for riscv64, this machine is"],
        ),
        (TILING, cut, 561002, ["is no complete shared object"]),
        (TILING, empty, 561002, ["is no complete shared object"]),
        (TILING, text_instead, 561002, ["is no complete shared object"]),
        (TILING, other_machine, 561002, ["another kind of machine"]),
        (TILING, folder_instead, 561002, ["is no file"]),
        (LIST, empty, 561110, ["line 1: expected a value"]),
        (LIST, text_instead, 561110, ["expected an object"]),
        (LIST, cut, 561110, ["is no JSON: line "]),
        (LIST, folder_instead, 561108, ["Is a directory"]),
        (KERNELS, remove, 561112, ["no kernels for the chip Ascend910B2", "for ascend910_93"]),
        (KERNELS, cut, 561110, ["is no JSON"]),
        (KERNEL, remove, 561003, ["No such file"]),
        (KERNEL, cut, 561003, ["is no complete shared object"]),
        (KERNEL, other_machine, 561003, ["another kind of machine"]),
    ],
    ids=lambda value: getattr(value, "__name__", None) or Path(str(value)).name[:12],
)
def test_damage(
    install: Install, path: str, damage: Callable[[Path], None], status: int, words: list[str]
) -> None:
    package = install("copy")
    damage(package / path)
    if path == KERNELS and damage is remove:
        (package / path).parent.rmdir()
    said = run(ASCEND_CUSTOM_OPP_PATH=str(package))
    assert said.startswith(f"{status} ")
    assert str(package) in said
    for word in words:
        assert word in said


def test_a_library_without_the_operator(install: Install) -> None:
    """A C API library in place of the tiling library is refused, because it registers no
    operator."""
    package = install("copy")
    (package / TILING).write_bytes((package / "op_api/lib/libcust_opapi.so").read_bytes())
    said = run(ASCEND_CUSTOM_OPP_PATH=str(package))
    assert said.startswith("561002 ")
    assert "defines no such operator (OP_ADD), though the package lists it" in said


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [("SwiGluGrad/d=0", "SwiGluGrad/d=7", 561109), ('"binPath"', '"path"', 561109)],
)
def test_a_list_of_kernels_without_ours(install: Install, old: str, new: str, status: int) -> None:
    package = install("copy")
    config = package / KERNELS
    config.write_text(config.read_text().replace(old, new))
    said = run(ASCEND_CUSTOM_OPP_PATH=str(package))
    assert said.startswith(f"{status} ")
    assert "SwiGluGrad/d=0,p=1/0,2/0,2/0,2" in said


@pytest.mark.parametrize(
    ("thrown", "words"),
    [('std::runtime_error("no luck")', "threw: no luck"), ("42", "threw what is no")],
    ids=["exception", "number"],
)
def test_a_definition_that_throws(
    install: Install, tmp_path: Path, thrown: str, words: str
) -> None:
    source = tmp_path / "throws.cpp"
    source.write_text(
        "#include <stdexcept>\n"
        '#include "register/op_def_registry.h"\n'
        "namespace ops {\n"
        "struct SwiGluGrad : OpDef {\n"
        f"    explicit SwiGluGrad(const char* name) : OpDef(name) {{ throw {thrown}; }}\n"
        "};\n"
        "OP_ADD(SwiGluGrad);\n"
        "}\n"
    )
    package = install("copy")
    command = ["g++", "-std=c++11", "-shared", "-fPIC", "-DOP_TILING_LIB", *flags.compile_flags()]
    subprocess.run([*command, source, "-o", package / TILING], check=True)
    said = run(ASCEND_CUSTOM_OPP_PATH=str(package))
    assert said.startswith("561000 ")
    assert f"SwiGluGrad: its definition in {package} {words}" in said


def test_an_unresolved_symbol(install: Install, tmp_path: Path) -> None:
    """An undefined symbol is refused: the library may be for a toolkit or for another version."""
    source = tmp_path / "toolkit.cpp"
    source.write_text(
        "void OnlyAToolkitHasThis();\nstatic int called = (OnlyAToolkitHasThis(), 0);\n"
    )
    package = install("copy")
    subprocess.run(["g++", "-shared", "-fPIC", source, "-o", package / TILING], check=True)
    said = run(ASCEND_CUSTOM_OPP_PATH=str(package))
    assert said.startswith("561002 ")
    assert "undefined symbol" in said
    assert f"{package / TILING} cannot be loaded: " in said
    assert "ASCEND_CUSTOM_OPP_PATH" in said


@pytest.mark.twin_only("looks for packages as the twin does")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no line load_priority="),
        ("priority=alpha\n", "has no line load_priority="),
        ("\0\xff\n", "has no line load_priority="),
        ("load_priority=../alpha\n", 'names the vendor "../alpha"'),
        ("load_priority=.\n", 'names the vendor "."'),
        (None, "cannot be read (Is a directory)"),
    ],
)
def test_config_ini(tmp_path: Path, text: str | None, words: str) -> None:
    config = tmp_path / "vendors" / "config.ini"
    if text is None:
        config.mkdir(parents=True)
    else:
        config.parent.mkdir()
        config.write_text(text, encoding="latin-1")
    said = run(ASCEND_OPP_PATH=str(tmp_path))
    assert said.startswith("561107 ")
    assert str(config) in said
    assert words in said


@pytest.mark.twin_only("looks for packages as the twin does")
def test_a_config_ini_that_is_a_pipe(tmp_path: Path) -> None:
    """A config.ini that is a pipe is refused, because reading it would never end."""
    config = tmp_path / "vendors" / "config.ini"
    config.parent.mkdir()
    os.mkfifo(config)
    said = run(ASCEND_OPP_PATH=str(tmp_path))
    assert said.startswith("561107 ")
    assert f"{config} cannot be read (is no file)" in said


@pytest.mark.parametrize("path", [TILING, LIST, KERNELS, KERNEL])
def test_a_pipe_in_a_files_place(install: Install, path: str) -> None:
    package = install("copy")
    (package / path).unlink()
    os.mkfifo(package / path)
    said = run(ASCEND_CUSTOM_OPP_PATH=str(package))
    assert said.startswith("561")
    assert str(package / path) in said
