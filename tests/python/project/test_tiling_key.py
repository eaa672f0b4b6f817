# SPDX-License-Identifier: Apache-2.0
"""If an operator's tiling function chooses a key that the kernel does not name, the call must be
refused, as on a card: the toolkit has built no code for this key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import ADD_SCALED, Run, build
from .test_new import make
from .test_project_build import edit

PROCESS = "    op.Process();\n"
RUN = ("run", "add_scaled", "--dtype", "float16", "--shape", "64,100")
NO_KEY = "kernel add_scaled names no key (TILING_KEY_IS), so a card has code for key 0 alone"
OTHER_KEY = "names the keys 1 (TILING_KEY_IS), and a card has code for these keys only"


def branch(key: int) -> str:
    """Returns statements that run the kernel with this key and, wrongly, with all other keys."""
    return f"    if (TILING_KEY_IS({key})) {{\n    {PROCESS}    }} else {{\n    {PROCESS}    }}\n"


@pytest.mark.twin_only("runs a package that was built for the twin")
@pytest.mark.slow
def test_the_kernel_names_the_key_of_the_tiling_function(cannery: Run, tmp_path: Path) -> None:
    project = tmp_path / "my_project"
    make(project, [ADD_SCALED], "my_project")
    tiling = project / "op_host/add_scaled_tiling.cpp"
    kernel = project / "op_kernel/add_scaled.cpp"
    edit(tiling, {"SetTilingKey(0)": "SetTilingKey(5)"})
    build(cannery, project)
    refused = cannery(*RUN, cwd=project)
    assert refused.returncode != 0
    assert f"T614 no branch for tiling key 5: {NO_KEY}" in refused.stdout + refused.stderr
    edit(kernel, {PROCESS: branch(1)})
    build(cannery, project)
    refused = cannery(*RUN, cwd=project)
    assert OTHER_KEY in refused.stdout + refused.stderr
    edit(kernel, {"TILING_KEY_IS(1)": "TILING_KEY_IS(5)"})
    build(cannery, project)
    done = cannery(*RUN, "--json", cwd=project)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads(done.stdout)
    assert document["ok"]
    (result,) = document["results"]
    assert result["unwritten"] == []
