# SPDX-License-Identifier: Apache-2.0
"""Tests that the generated C++ has exact signatures, and that its headers compile alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

# These tests need a compiler. Without one they fail; they are not skipped.
COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"

SIGNATURE = (
    "aclnnStatus aclnnSwiGluGradGetWorkspaceSize(const aclTensor *yGrad, const aclTensor *x, "
    "int64_t dim, const aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)"
)


def one_line(text: str) -> str:
    return re.sub(r"\(\s+", "(", re.sub(r"\s+", " ", text))


@pytest.mark.parametrize("path", ["include/aclnnop/aclnn_swi_glu_grad.h", "docs/swi_glu_grad.md"])
def test_signature(generated: Path, path: str) -> None:
    assert SIGNATURE in one_line((generated / path).read_text())


def test_inner_signature(generated: Path) -> None:
    inner = SIGNATURE.replace("aclnnSwi", "aclnnInnerSwi")
    for name in ("aclnnInner_swi_glu_grad.h", "aclnnInner_swi_glu_grad.cpp"):
        assert inner in one_line((generated / "op_host" / name).read_text())


def test_header_guard(generated: Path) -> None:
    lines = (generated / "include/aclnnop/aclnn_swi_glu_grad.h").read_text().splitlines()
    assert lines[1:3] == ["#ifndef ACLNN_SWI_GLU_GRAD_H_", "#define ACLNN_SWI_GLU_GRAD_H_"]


@pytest.mark.parametrize("standard", ["c++11", "c++17"])
@pytest.mark.parametrize(
    "header",
    ["aclnnop/aclnn_swi_glu_grad.h", "aclnnInner_swi_glu_grad.h", "swi_glu_grad_checks.h"],
)
def test_header_compiles_alone(
    root: Path, generated: Path, tmp_path: Path, header: str, standard: str
) -> None:
    source = tmp_path / "alone.cpp"
    # The source includes the header twice, so its include guard must work.
    source.write_text(f'#include "{header}"\n#include "{header}"\n')
    folders = [
        generated / "include",
        generated / "op_host",
        root / "op_host" / "aclnn",
        root / "twin" / "include",
    ]
    command = [str(COMPILER), f"-std={standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command += [f"-I{folder}" for folder in folders] + [str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
