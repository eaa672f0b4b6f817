# SPDX-License-Identifier: Apache-2.0
"""A project's kernel that reads unwritten bytes of its workspace is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import ADD_SCALED, Run, build
from .test_new import make
from .test_project_build import edit
from .test_tiling_key import PROCESS, RUN

WORDS = """    AscendC::GlobalTensor<int32_t> words;
    words.SetGlobalBuffer((__gm__ int32_t*)workspace + AscendC::GetBlockIdx() * 16, 16);
"""
READ = "    words.SetValue(1, words.GetValue(0));\n"
WRITE = "    words.SetValue(0, 7);\n"


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
def test_unwritten_workspace_of_an_operator(cannery: Run, tmp_path: Path) -> None:
    project = tmp_path / "my_project"
    make(project, [ADD_SCALED], "my_project")
    kernel = project / "op_kernel/add_scaled.cpp"
    edit(
        project / "op_host/add_scaled_tiling.cpp",
        {"workspaces[0] = 0;": "workspaces[0] = (16 << 20) + 4096;"},
    )
    edit(kernel, {PROCESS: PROCESS + WORDS + READ})
    build(cannery, project)
    refused = json.loads(cannery(*RUN, "--json", cwd=project).stdout)
    assert (refused["ok"], refused["error"]["code"]) == (False, "T820"), refused
    assert "4 B at byte 0 of workspace" in refused["error"]["message"]
    edit(kernel, {READ: WRITE + READ})
    build(cannery, project)
    done = json.loads(cannery(*RUN, "--json", cwd=project).stdout)
    assert done["ok"], done
