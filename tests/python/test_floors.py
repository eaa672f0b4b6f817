# SPDX-License-Identifier: Apache-2.0
"""Includes and imports must follow the layers of tools/floors.py, which CONTRIBUTING.md shows."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import floors  # noqa: E402
import layout_gate  # noqa: E402
import python_imports  # noqa: E402
from repo import list_files  # noqa: E402


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.mark.parametrize(
    ("path", "include", "layer"),
    [
        ("twin/timing/hbm.cpp", "device/issue/issue.h", "twin/timing/"),
        ("twin/timing/hbm.cpp", "hazard/checker.h", "twin/timing/"),
        ("twin/hazard/level.cpp", "timing/hbm.h", "twin/hazard/"),
        ("twin/core/core.cpp", "timing/hbm.h", "twin/core/"),
    ],
)
def test_an_include_against_the_floors_fails(
    tmp_path: Path, path: str, include: str, layer: str
) -> None:
    shutil.copytree(ROOT / "twin", tmp_path / "twin")
    text = (tmp_path / path).read_text() if (tmp_path / path).is_file() else ""
    write(tmp_path, path, f'{text}#include "{include}"\n')
    line = text.count("\n") + 1
    (fault,) = layout_gate.find_faults(tmp_path)
    assert fault == f'{path}:{line}: {layer} may not include "{include}"'


def test_a_new_folder_of_the_twin_needs_a_place(tmp_path: Path) -> None:
    write(tmp_path, "twin/new/a.cpp", "")
    (fault,) = layout_gate.find_faults(tmp_path)
    assert fault == "twin/new/a.cpp: lies in no folder of LAYERS in tools/floors.py"


def test_every_folder_of_the_device_lies_on_a_floor(tmp_path: Path) -> None:
    write(tmp_path, "twin/device/new/a.cpp", "")
    assert layout_gate.find_faults(tmp_path) == [
        "twin/device/new/a.cpp: twin/device/new lies on no floor (DEVICE_FLOORS in tools/floors.py)"
    ]


def test_includes_go_down_the_floors_of_the_device(tmp_path: Path) -> None:
    below = '#include "core/core.h"\n#include "device/types/b.h"\n#include "device/vec/c.h"\n'
    write(tmp_path, "twin/core/core.h", "")
    for header in ("types/b.h", "vec/c.h", "cache/d.h", "pipe/e.h"):
        write(tmp_path, f"twin/device/{header}", "")
    write(tmp_path, "twin/device/vec/a.h", below)
    assert layout_gate.find_faults(tmp_path) == []
    above = '#include "device/cache/d.h"\n#include "device/pipe/e.h"\n'
    write(tmp_path, "twin/device/vec/a.h", below + above)
    assert layout_gate.find_faults(tmp_path) == [
        "twin/device/vec/a.h:4: vec may not include cache, which does not lie below it",
        "twin/device/vec/a.h:5: vec may not include pipe, which does not lie below it",
    ]


def python_faults(root: Path) -> list[str]:
    return list(python_imports.faults(root, list_files(root)))


def test_the_package_has_no_circle_of_imports() -> None:
    assert python_faults(ROOT) == []


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        (
            "errors.py",
            "import cannery.settings\n",
            "1: cannery.errors may not import cannery.settings",
        ),
        ("errors.py", "from . import cli\n", "1: cannery.errors may not import cannery.cli"),
        ("errors.py", "from cannery import use\n", "1: cannery.errors may not import cannery"),
        (
            "compile/call.py",
            "def f():\n    from cannery.profiling import profile\n",
            "2: cannery.compile.call may not import cannery.profiling",
        ),
        (
            "testing/rows.py",
            "if TYPE_CHECKING:\n    from ..cli import app\n",
            "2: cannery.testing.rows may not import cannery.cli",
        ),
    ],
)
def test_imports_go_down_the_floors(tmp_path: Path, path: str, text: str, fault: str) -> None:
    write(tmp_path, "python/cannery/__init__.py", "from cannery import errors\n")
    for module in ("errors", "cli/__init__", "profiling/__init__", "testing/plugin"):
        write(tmp_path, f"python/cannery/{module}.py", "")
    write(tmp_path, "python/cannery/testing/plugin.py", "import cannery\n")
    assert python_faults(tmp_path) == []
    write(tmp_path, f"python/cannery/{path}", text)
    assert python_faults(tmp_path)[:1] == [
        f"python/cannery/{path}:{fault}, which does not lie below it"
    ]


def test_no_module_imports_itself_by_way_of_others(tmp_path: Path) -> None:
    write(tmp_path, "python/cannery/compile/a.py", "from cannery.compile.b import f\n")
    write(tmp_path, "python/cannery/compile/b.py", "def f():\n    from .a import g\n")
    (fault,) = python_faults(tmp_path)
    assert "imports itself by way of cannery.compile." in fault


def test_every_module_lies_on_a_floor(tmp_path: Path) -> None:
    write(tmp_path, "python/cannery/new.py", "")
    (fault,) = python_faults(tmp_path)
    assert fault == (
        "python/cannery/new.py: cannery.new lies on no floor (PYTHON_FLOORS in tools/floors.py)"
    )


def test_the_table_of_folders_follows_the_floors(tmp_path: Path) -> None:
    rows = [f"| `{folder}` | sources | {knows} |" for folder, knows in floors.folder_rows().items()]
    for folder in floors.folder_rows():
        write(tmp_path, f"{folder}notes.txt", "")
    write(tmp_path, "CONTRIBUTING.md", "\n".join(rows))
    assert layout_gate.find_faults(tmp_path) == []

    rows[0] = "| `twin/new/` | sources | nothing |"
    rows[1] = rows[1].rpartition("| ")[0] + "| everything |"
    write(tmp_path, "CONTRIBUTING.md", "\n".join(rows))
    shutil.rmtree(tmp_path / "tools")
    assert layout_gate.find_faults(tmp_path) == [
        "CONTRIBUTING.md: `op_host/aclnn/` may know: `acl/`, `aclnn/`, generated headers",
        "CONTRIBUTING.md: the table of folders lacks `op_kernel/`",
        "CONTRIBUTING.md: `tools/` does not exist",
        "CONTRIBUTING.md: `twin/new/` is no folder of tools/floors.py",
    ]
