# SPDX-License-Identifier: Apache-2.0
"""A value that does not fit into a field of a parameter structure is also an error in a project. A
header that does not compile with the checks is compiled without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import ADD_SCALED, Run, build
from .test_new import make
from .test_project_build import edit

pytestmark = [pytest.mark.twin_only("checks values that the chip silently cuts"), pytest.mark.slow]

HEADER = """#pragma once
template <typename T>
__aicore__ inline uint32_t Bytes(T n) {
    AscendC::DataCopyParams params;
    params.blockLen = n > 0 ? 70000 : 1;
    return params.blockLen;
}
"""
CALL = "    if (Bytes(tilingData.length) == 0) {\n        return;\n    }\n    op.Process();\n"
RUN = ("run", "add_scaled", "--dtype", "float16", "--shape", "64,100")


def test_a_header_of_a_project(cannery: Run, tmp_path: Path) -> None:
    project = tmp_path / "my_project"
    make(project, [ADD_SCALED], "my_project")
    (project / "op_kernel/own").mkdir()
    header = project / "op_kernel/own/bytes.h"
    header.write_text(HEADER)
    kernel = project / "op_kernel/add_scaled.cpp"
    tiling = (project / "op_kernel/add_scaled_tiling.h").read_text()
    field = tiling.rpartition(";\n}")[0].rpartition(" ")[2]
    edit(kernel, {"    op.Process();\n": CALL.replace("length", field)})
    edit(kernel, {'#include "add_scaled/kernel.h"\n': '#include "add_scaled/kernel.h"\n'
                  '#include "own/bytes.h"\n'})  # fmt: skip
    build(cannery, project)
    refused = cannery(*RUN, cwd=project)
    said = refused.stdout + refused.stderr
    assert refused.returncode != 0
    assert "is assigned to blockLen, which has the type uint16_t" in said
    assert "own/bytes.h:5" in said

    # The build notices that the header changes.
    edit(header, {"70000": "7000"})
    build(cannery, project)
    assert cannery(*RUN, cwd=project).returncode == 0

    # The assignment of an overloaded function does not compile with the checks.
    own = "struct Own { int (*k)(int); };\ninline int F(int n) { return n; }\n"
    own += "inline int F(float) { return 0; }\n__aicore__ inline int Call(Own own) {\n"
    own += "    own.k = F;\n    return own.k(3);\n}\n"
    # CANN 8.1.RC1 does not have Fill, which the build says if this level is chosen.
    own += "template <typename T> __aicore__ inline void Unused(T t) { AscendC::Fill(t, 8, 0); }\n"
    edit(header, {"template <typename T>": own + "template <typename T>"})
    edit(header, {"7000": "Call({})"})
    done = cannery("build", cwd=project, CANNERY_API="8.1.RC1")
    assert done.returncode == 0, done.stdout + done.stderr
    line = (
        own.split("template")[0].count("\n")
        + 1
        + HEADER.split("template <typename T>", maxsplit=1)[0].count("\n")
    )
    assert f"own/bytes.h:{line}: warning: Fill: CANN 8.1.RC1 does not" in done.stderr
    assert cannery(*RUN, cwd=project).returncode == 0


def test_errors_of_the_compiler_are_those_of_the_source(cannery: Run, tmp_path: Path) -> None:
    project = tmp_path / "my_project"
    make(project, [ADD_SCALED], "my_project")
    kernel = project / "op_kernel/add_scaled.cpp"
    line = "    AscendC::DataCopyParams p; p.blockLen = elems * 4;\n"
    edit(kernel, {"    op.Process();\n": line + "    op.Process();\n"})
    failed = cannery("build", cwd=project)
    said = failed.stdout + failed.stderr
    assert failed.returncode != 0
    number = kernel.read_text().split(line)[0].count("\n") + 1
    assert f"add_scaled.cpp:{number}:{line.index('elems') + 1}: error: " in said, said
    assert "Twin" not in said
