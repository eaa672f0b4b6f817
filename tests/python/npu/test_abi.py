# SPDX-License-Identifier: Apache-2.0
"""Compares our acl and aclnn headers with CANN's headers: numbers, structures, prototypes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cannery import _runtime

from .abi import Headers, complaints

NAMES = ("acl.h", "acl_base.h", "acl_rt.h", "error_codes/rt_error_codes.h")
#: A wheel whose acl headers are newer than 8.1.RC1 and declare everything that ours declare.
WHEEL = "torch-npu==2.14.0"
INCLUDE = Path("torch_npu/include/third_party/acl/inc")


def ours() -> Path:
    return _runtime.twin_root() / "include"


@pytest.fixture(scope="module")
def assertions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a file with static assertions about everything that our acl headers declare."""
    folder = tmp_path_factory.mktemp("abi")
    headers = Headers(ours() / "acl" / name for name in NAMES)
    text = "".join((ours() / "acl" / name).read_text() for name in NAMES)
    declared = re.findall(r"^ACL_FUNC_VISIBILITY ", text, re.MULTILINE)
    assert len(headers.functions) == len(declared) > 60
    assert len(headers.numbers) > 190
    assert len(headers.structs) == 3
    path = folder / "acl.cpp"
    path.write_text(headers.assertions(headers.values(ours(), folder)))
    return path


def test_the_assertions_hold_for_ourselves(assertions: Path) -> None:
    assert complaints(assertions, ours()) == ""


@pytest.mark.parametrize(
    ("file", "before", "after", "named"),
    [
        ("acl_base.h", "ACL_BF16 = 27", "ACL_BF16 = 28", "ACL_BF16"),
        ("acl_rt.h", "aclrtFree(void* devPtr)", "aclrtFree(const void* devPtr)", "aclrtFree"),
        ("acl_rt.h", "ACL_MEMCPY_HOST_TO_HOST,", "ACL_X, ACL_MEMCPY_HOST_TO_HOST,", "ACL_MEMCPY"),
        ("acl_rt.h", "uint32_t rsv[4]", "uint32_t rsv[6]", "aclrtBinaryLoadOptionValue"),
        ("error_codes/rt_error_codes.h", "INVALID_PARAM = 100000", "INVALID_PARAM = 1", "PARAM"),
    ],
)
def test_a_difference_is_found(
    assertions: Path, tmp_path: Path, file: str, before: str, after: str, named: str
) -> None:
    shutil.copytree(ours() / "acl", tmp_path / "acl")
    header = tmp_path / "acl" / file
    text = header.read_text()
    assert before in text
    header.write_text(text.replace(before, after))
    assert re.search(rf"assertion failed: \w*{named}", complaints(assertions, tmp_path))


@pytest.mark.slow
def test_the_headers_of_torch_npu_agree(assertions: Path, tmp_path: Path) -> None:
    """Our headers agree with those of torch_npu, which come from the package index."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir"]
    download += ["--only-binary", ":all:", "--python-version", "3.11", "--dest", str(tmp_path)]
    done = subprocess.run([*download, WHEEL], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"{WHEEL} cannot be downloaded: {done.stderr.splitlines()[-1:]}")
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.startswith(f"{INCLUDE}/")]
        archive.extractall(tmp_path, members)
    assert (tmp_path / INCLUDE / "acl" / "acl_rt.h").is_file()
    assert complaints(assertions, tmp_path / INCLUDE) == ""


def test_aclnn_prototypes(repository: Path) -> None:
    source = repository / "tests/fixtures/toolkit/aclnn_prototypes.cpp"
    operators = _runtime.package_root() / "op_api" / "include"
    assert complaints(source, ours(), operators) == ""
    listed = set(re.findall(r"^HAS\((\w+),", source.read_text(), re.MULTILINE))
    declared = Headers((ours() / "aclnn").glob("*.h")).functions.keys()
    public = {
        name
        for header in operators.glob("aclnnop/*.h")
        for name in re.findall(r"\baclnnStatus (\w+)\(", header.read_text())
    }
    assert listed == declared | public
