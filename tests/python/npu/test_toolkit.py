# SPDX-License-Identifier: Apache-2.0
"""The backend npu must find a toolkit and its packages, or report what is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from cannery.testing.toolkit import Toolkit

from ..processes import run_cannery
from .conftest import ASCEND, python

CLI = "from cannery.cli import main; sys.argv = ['cannery', {}]; main()"


def test_everything_comes_from_the_toolkit(toolkit: Toolkit) -> None:
    code = """
    agree()
    for line in open("/proc/self/maps"):
        path = line.split(maxsplit=5)[-1].strip()
        if path.endswith(".so") and ("_twin/" in path or "Ascend" in path):
            print(path)
    """
    loaded = set(python(toolkit, code).splitlines())
    outside = {Path(path).name for path in loaded if not path.startswith(str(toolkit.home))}
    assert outside == {"libcannery_calls.so"}  # the library of calls from Python
    inside = {Path(path).name for path in loaded}
    assert {"libascendcl.so", "libnnopbase.so", "libcust_opapi.so", "swi_glu_grad_2.so"} <= inside


@pytest.mark.parametrize(
    ("missing", "named", "advice"),
    [
        ("lib64/libascendcl.so", "libascendcl.so or libacl_rt.so", "install the CANN toolkit"),
        ("lib64/libnnopbase.so", "libnnopbase.so", "install the CANN toolkit"),
        ("opp/vendors/config.ini", "libcust_opapi.so", "docs/on-a-card.md"),
    ],
)
def test_what_is_missing_is_named_at_once(
    toolkit: Toolkit, tmp_path: Path, missing: str, named: str, advice: str
) -> None:
    made = Toolkit(Path(shutil.copytree(toolkit.home, tmp_path / "ascend")))
    (made.home / missing).unlink()
    code = """
    try:
        cannery.use("npu")
    except cannery.BackendError as error:
        print(error, f"CANNERY_BACKEND: {os.environ['CANNERY_BACKEND']!r}")
    cannery.use("twin")
    agree()
    """
    said = python(made, code, CANNERY_BACKEND="")
    assert named in said
    assert advice in said
    assert str(made.lib) in said
    assert "CANNERY_BACKEND: ''" in said
    everything = ("the acl runtime", "the aclnn library", "the variable", "compiled operators")
    assert sum(need in said for need in everything) == 1


def test_without_any_toolkit() -> None:
    said = python(None, "show(failure())")
    for name in ("libascendcl.so", "libnnopbase.so", "ASCEND_OPP_PATH", "libcust_opapi.so"):
        assert name in said
    assert "set_env.sh" in said


def test_a_library_that_does_not_open_is_named(toolkit: Toolkit, tmp_path: Path) -> None:
    made = Toolkit(Path(shutil.copytree(toolkit.home, tmp_path / "ascend")))
    library = made.lib / "libcannery_twin.so"  # its counterpart on a card is libascend_hal.so
    library.unlink()
    said = python(made, "show(failure())", CANNERY_BACKEND="npu")
    assert said.startswith("BackendError cannot open libascendcl.so")
    assert "libcannery_twin.so: cannot open shared object file" in said


def vendor(toolkit: Toolkit, name: str) -> Path:
    """Installs a copy of our package in the toolkit, with the highest priority."""
    made = toolkit.opp / "vendors" / name
    shutil.copytree(toolkit.opp / "vendors/cannery", made)
    (toolkit.opp / "vendors/config.ini").write_text(f"load_priority={name},cannery\n")
    return made


@pytest.fixture
def copied(toolkit: Toolkit, tmp_path: Path) -> Toolkit:
    return Toolkit(Path(shutil.copytree(toolkit.home, tmp_path / "ascend")))


def test_the_package_with_the_highest_priority_counts(copied: Toolkit) -> None:
    first = vendor(copied, "first")
    code = "agree()\nfrom cannery import project\nprint(project.built_in().library.path)"
    assert python(copied, code) == f"{first}/op_api/lib/libcust_opapi.so\n"
    second = copied.opp / "vendors" / "cannery"
    said = python(copied, code, ASCEND_CUSTOM_OPP_PATH=str(second))
    assert said == f"{second}/op_api/lib/libcust_opapi.so\n"


def test_a_package_with_other_operators_is_passed_over(copied: Toolkit) -> None:
    """All vendors' libraries have the same name; the library with the function must be used."""
    other = vendor(copied, "other")
    source = 'extern "C" int aclnnSomethingElse() { return 0; }'
    library = other / "op_api/lib/libcust_opapi.so"
    library.unlink()
    # The library of `other` links to the library of our package, which has the operator.
    ours = copied.opp / "vendors/cannery/op_api/lib"
    build = ["g++", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(library)]
    build += ["-Wl,--no-as-needed", f"-L{ours}", "-l:libcust_opapi.so", f"-Wl,-rpath,{ours}"]
    build += [f"-Wl,-rpath-link,{copied.lib}", "-Wl,--unresolved-symbols=ignore-all"]
    subprocess.run(build, input=source, text=True, check=True)
    for each in other.glob("op_impl/ai_core/tbe/config/*/*.json"):
        each.write_text('{"SomethingElse": {}}')
    assert python(copied, "agree(); print('computed')") == "computed\n"


def test_a_damaged_package_is_named_and_not_passed_over(copied: Toolkit) -> None:
    library = vendor(copied, "damaged") / "op_api/lib/libcust_opapi.so"
    library.write_bytes(library.read_bytes()[:2000])
    said = python(copied, "show(failure())")
    assert said.startswith("BackendError cannot open libcust_opapi.so")
    assert f"{library}: the file is cut" in said


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_is_named(copied: Toolkit, make: Callable[[Path], None]) -> None:
    library = vendor(copied, "odd") / "op_api/lib/libcust_opapi.so"
    library.unlink()
    make(library)
    said = python(copied, "show(failure())")
    assert f"{library}: is no file" in said


def command(toolkit: Toolkit, *arguments: str, status: int = 0) -> str:
    return python(toolkit, CLI.format(", ".join(map(repr, arguments))), status=status)


def test_run(toolkit: Toolkit) -> None:
    case = ("run", "swi_glu_grad", "--dtype", "float16", "--size", "small")
    found = json.loads(command(toolkit, *case, "--json"))
    assert (found["ok"], found["backend"], found["soc"]) == (True, "npu", "Ascend910B2")
    (result,) = found["results"]
    assert result["npu_seconds"] > 0
    assert "gm_read_bytes" not in result  # a card does not count traffic
    table = command(toolkit, *case)
    assert "npu" in table
    assert "ok" in table
    refused = command(toolkit, *case, "--dump", "x.txt", status=1)
    assert "--dump: the record of a launch is the twin's" in refused
    refused = command(toolkit, *case, "--soc", "Ascend910B4", status=2)
    assert "--soc: " in refused


def test_doctor(toolkit: Toolkit) -> None:
    found = json.loads(command(toolkit, "doctor", "--json"))
    card = [each for each in found["findings"] if each["area"] == "card (backend npu)"]
    states = {each["name"].split(" (")[0]: each["state"] for each in card}
    assert states["the acl runtime"] == states["compiled operators"] == "found"
    packages = [each for each in found["findings"] if each["area"] == "operator packages"]
    assert f"{toolkit.opp}/vendors/cannery: for the twin: " in packages[0]["detail"]


def test_doctor_counts_what_the_backend_lacks() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in ASCEND}
    for backend, state, status in (("twin", "absent", 0), ("npu", "missing", 1)):
        done = run_cannery("doctor", "--json", env={**environment, "CANNERY_BACKEND": backend})
        found = json.loads(done.stdout)
        card = [each for each in found["findings"] if each["area"].startswith("card")]
        (need,) = [each for each in card if "libnnopbase.so" in each["name"]]
        assert (need["state"], done.returncode) == (state, status)
