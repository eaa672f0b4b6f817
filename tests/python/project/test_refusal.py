# SPDX-License-Identifier: Apache-2.0
"""If the tiling function of a project refuses a call, the caller must see what the function
printed.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..processes import run_code
from .conftest import ADD_SCALED, Run, build
from .test_new import make
from .test_project_build import edit

REFUSAL = {
    "    if (elems <= 0) {\n": "    if (elems % 32 != 0) {\n"
    '        std::printf("x has %d elements; expected a multiple of 32\\n", (int)elems);\n',
    "#include <cstdint>\n": "#include <cstdint>\n#include <cstdio>\n",
}
CALL = """
import numpy as np, cannery, my_project
x = np.ones((4, 101), np.float16)
try:
    my_project.add_scaled(x, x)
except cannery.AclnnError as error:
    print(error.status, error)
"""
REASON = "tiling of AddScaled refused the call: x has 404 elements; expected a multiple of 32"


@pytest.mark.slow
@pytest.mark.twin_only("runs a package that was built for the twin")
def test_what_the_tiling_function_printed_is_the_message(cannery: Run, tmp_path: Path) -> None:
    folder = tmp_path / "my_project"
    make(folder, [ADD_SCALED], "my_project")
    edit(folder / "op_host/add_scaled_tiling.cpp", REFUSAL)
    build(cannery, folder)
    done = run_code(CALL, cwd=folder / "python")
    assert f"561002 {REASON}\n" in done.stdout, done.stdout + done.stderr
    done = cannery("run", "add_scaled", "--dtype", "float16", "--shape", "4,101", cwd=folder)
    assert done.returncode == 1
    assert f"error: {REASON}\n" in done.stderr
    done = cannery("run", "add_scaled", "--shape", "4,101", "--json", cwd=folder)
    answer = json.loads(done.stdout[done.stdout.index("{\n") :])
    assert answer["error"]["message"].startswith(REASON)
