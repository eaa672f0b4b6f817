# SPDX-License-Identifier: Apache-2.0
"""The twin must choose an operator's package in the same order as the toolkit."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cannery import _runtime
from cannery.cli import doctor, flags

from .conftest import CALL, SEARCHED, run

Install = Callable[..., Path]


def prioritise(opp: Path, *vendors: str) -> str:
    (opp / "vendors" / "config.ini").write_text(f"load_priority={','.join(vendors)}\n")
    return str(opp)


@pytest.mark.twin_only("looks for packages as the twin does")
def test_nothing_installed() -> None:
    assert run() == "computed\n"


def test_custom_paths_come_in_their_order(install: Install) -> None:
    alpha, beta = install("alpha"), install("beta")
    for first, second in ((alpha, beta), (beta, alpha)):
        said = run(ASCEND_CUSTOM_OPP_PATH=f"{first}:{second}")
        assert said.startswith("561002 ")
        assert f"tiling of vendor {first.name}" in said


def test_vendors_come_by_priority(install: Install, tmp_path: Path) -> None:
    alpha = install("alpha")
    install("beta")
    opp = tmp_path / "opp"
    for first, second in (("alpha", "beta"), ("beta", "alpha")):
        said = run(ASCEND_OPP_PATH=prioritise(opp, first, second))
        assert f"tiling of vendor {first}" in said
    # A custom path comes before all vendors.
    assert "vendor alpha" in run(ASCEND_OPP_PATH=str(opp), ASCEND_CUSTOM_OPP_PATH=str(alpha))


def test_config_ini_as_people_write_it(install: Install, tmp_path: Path) -> None:
    install("beta")
    text = "; vendors\n[top]\r\nother=alpha\r\n load_priority = gone , beta,\r\n"
    (tmp_path / "opp/vendors/config.ini").write_text(text)
    assert "vendor beta" in run(ASCEND_OPP_PATH=str(tmp_path / "opp"))


@pytest.mark.twin_only("looks for packages as the twin does")
def test_what_is_gone_is_passed_over(install: Install, tmp_path: Path) -> None:
    """Vendors that config.ini does not list, listed vendors without a folder, and paths that do not
    exist are ignored."""
    install("alpha")
    opp = tmp_path / "opp"
    gone = str(tmp_path / "gone")
    assert run(ASCEND_OPP_PATH=prioritise(opp, "gone"), ASCEND_CUSTOM_OPP_PATH=gone) == "computed\n"
    (opp / "vendors/config.ini").unlink()
    assert run(ASCEND_OPP_PATH=str(opp)) == "computed\n"
    assert run(ASCEND_OPP_PATH=gone, ASCEND_CUSTOM_OPP_PATH="") == "computed\n"


def test_another_operator_is_not_shadowed(install: Install) -> None:
    """A package hides an operator of other packages only if its own list has this operator."""
    alpha = install("alpha")
    for each in alpha.glob("op_impl/ai_core/tbe/config/*/*.json"):
        each.write_text('{"NobodysOp": {}}')
    assert run(ASCEND_CUSTOM_OPP_PATH=str(alpha)) == "computed\n"


def test_shadowing_takes_the_kernels_along(install: Install) -> None:
    """A package uses only its own kernels; if they are missing, the call fails."""
    copy = install("copy")
    kernel = copy / "op_impl/ai_core/tbe/kernel/twin/swi_glu_grad/swi_glu_grad_2.so"
    code = CALL + f"print({str(kernel)!r} in open('/proc/self/maps').read())\n"
    assert run(code, ASCEND_CUSTOM_OPP_PATH=str(copy)) == "computed\nTrue\n"
    kernel.unlink()
    said = run(ASCEND_CUSTOM_OPP_PATH=str(copy))
    assert said.startswith("561003 ")
    assert str(kernel) in said


@pytest.mark.parametrize("name", ["with a space", "Bäckerei 中文", "quote'\"$(x)"])
def test_names_of_folders(install: Install, tmp_path: Path, name: str) -> None:
    alpha = install("alpha", below=tmp_path / name)
    assert "vendor alpha" in run(ASCEND_CUSTOM_OPP_PATH=str(alpha))
    opp = prioritise(tmp_path / name, "alpha")
    assert "vendor alpha" in run(ASCEND_OPP_PATH=opp)


def test_a_relative_path(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    alpha = install("alpha")
    monkeypatch.chdir(alpha.parent)
    assert "vendor alpha" in run(ASCEND_CUSTOM_OPP_PATH="alpha")


def test_the_wheel_has_a_complete_package() -> None:
    package = _runtime.package_root()
    found = {str(path.relative_to(package)) for path in package.rglob("*") if path.is_file()}
    machine = os.uname().machine
    for wanted in (
        "op_api/include/aclnnop/aclnn_swi_glu_grad.h",
        "op_api/lib/libcust_opapi.so",
        f"op_impl/ai_core/tbe/op_tiling/lib/linux/{machine}/libcust_opmaster_rt2.0.so",
        f"op_proto/lib/linux/{machine}/libcust_opsproto_rt2.0.so",
        "op_proto/inc/op_proto.h",
        "op_proto/inc/swi_glu_grad_proto.h",
        "op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json",
        "op_impl/ai_core/tbe/config/ascend910_93/aic-ascend910_93-ops-info.json",
        "op_impl/ai_core/tbe/kernel/config/ascend910b/binary_info_config.json",
        "op_impl/ai_core/tbe/kernel/config/ascend910_93/binary_info_config.json",
        "op_impl/ai_core/tbe/cannery_impl/dynamic/swi_glu_grad.cpp",
        "cannery/proto/swi_glu_grad.json",
        "version.info",
    ):
        assert wanted in found
    assert (package.parent / "config.ini").read_text() == "load_priority=cannery\n"


@pytest.mark.parametrize("broken", ["[]", pytest.param("[" * 100000, id="deep")])
def test_doctor_shows_the_search(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    alpha, beta = install("alpha"), install("beta")
    list_of_beta = "op_impl/ai_core/tbe/config/ascend910b/aic-ascend910b-ops-info.json"
    (beta / list_of_beta).write_text(broken)
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", f"{tmp_path / 'empty'}:{tmp_path / 'gone'}")
    monkeypatch.setenv("ASCEND_OPP_PATH", prioritise(tmp_path / "opp", "beta", "alpha"))
    findings = [each for each in doctor.examine() if each.area == "operator packages"]
    shown = [(each.name, each.state, each.detail.partition(": ")) for each in findings]
    assert [name for name, _, _ in shown] == ["empty", "gone", "beta", "alpha"]
    assert [state for _, state, _ in shown] == ["absent", "absent", "absent", "found"]
    assert shown[0][2][2] == "is no package: it lists no operators"
    assert shown[1][2][2] == "is not there"
    assert list_of_beta in shown[2][2][2]
    assert shown[3][2][0] == str(alpha)
    assert "MoeInitRoutingV2Grad" in shown[3][2][2]


def test_no_package_at_all(tmp_path: Path, repository: Path) -> None:
    """A program fails with a message if only the twin's libraries are there, but no package."""
    program = tmp_path / "client"
    source = repository / "examples/01_aclnn_client/main.cpp"
    build = ["g++", "-std=c++11", *flags.compile_flags(), str(source), "-o", str(program)]
    subprocess.run([*build, *flags.link_flags()], check=True)
    alone = shutil.copytree(_runtime.twin_root() / "lib", tmp_path / "lib")
    environment = {name: value for name, value in os.environ.items() if name not in SEARCHED}
    done = subprocess.run(
        [program],
        env={**environment, "LD_LIBRARY_PATH": str(alone)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "561107" in done.stdout + done.stderr
    assert "no operator package has this operator" in done.stdout + done.stderr


def test_no_path_of_the_build_is_in_the_libraries(repository: Path) -> None:
    """Libraries contain no path of the build, so the same sources give the same package."""
    for library in _runtime.package_root().rglob("*.so"):
        data = library.read_bytes()
        assert str(repository).encode() not in data
        assert re.search(rb"/[^\0]*/build/wheel-release", data) is None, library
