# SPDX-License-Identifier: Apache-2.0
"""Makes small vendor trees, and runs the package files that install them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

MACHINE = os.uname().machine
TBE = "op_impl/ai_core/tbe"


def make_tree(tree: Path, version: str = "1.2.0", machine: str = MACHINE) -> Path:
    """Writes the files that a build makes, with a word instead of each library's contents."""
    libraries = f"lib/linux/{machine}"
    files = {
        "op_api/include/aclnnop/aclnn_add.h": "// header",
        "op_api/lib/libcust_opapi.so": f"api {version}",
        f"{TBE}/op_tiling/{libraries}/libcust_opmaster_rt2.0.so": "tiling",
        f"op_proto/{libraries}/libcust_opsproto_rt2.0.so": "inference",
        f"{TBE}/config/ascend910b/aic-ascend910b-ops-info.json": '{"Add": {}}',
        f"{TBE}/kernel/config/ascend910b/binary_info_config.json": "{}",
        f"{TBE}/kernel/twin/add/add_0.so": "kernel",
        "cannery/proto/bäckerei 中.json": "{}",
        "version.info": f"custom_opp_compiler_version=x\nversion={version}\nmachine={machine}\n",
    }
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    link = tree / TBE / "op_tiling" / "liboptiling.so"
    if not link.is_symlink():
        link.symlink_to(f"{libraries}/libcust_opmaster_rt2.0.so")
    return tree


def contents(folder: Path) -> dict[str, bytes]:
    """Returns the contents of all files below a folder, or {} if the folder does not exist."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"folder"
        for path in folder.rglob("*")
    }


def install(
    package: Path,
    *options: str,
    status: int | None = 0,
    shell: list[str] | None = None,
    opp: Path | None = None,
    custom: str | None = None,
    path: str | None = None,
    user: int | None = None,
) -> str:
    """Runs a package file and returns its output and errors."""
    environment = {"PATH": path or os.environ["PATH"], "HOME": "/"}
    if opp is not None:
        environment["ASCEND_OPP_PATH"] = str(opp)
    if custom is not None:
        environment["ASCEND_CUSTOM_OPP_PATH"] = custom
    done = subprocess.run(
        [*(shell or ["sh"]), package, *options],
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
        check=False,
        user=user,
        cwd="/",
    )
    said = done.stdout + done.stderr
    assert status is None or done.returncode == status, said
    return said
