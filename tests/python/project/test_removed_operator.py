# SPDX-License-Identifier: Apache-2.0
"""What `cannery build` says and does about operators that were removed, or are for another chip."""

from __future__ import annotations

from pathlib import Path

import pytest

from cannery.cli import adopt

from .conftest import Run, write

DEFINITION = """
#include "register/op_def_registry.h"
namespace ops {{
class {name} : public OpDef {{
public:
    explicit {name}(const char* name) : OpDef(name) {{
        this->Input("x").ParamType(REQUIRED).DataType({{ge::DT_INT32}});
        this->Output("z").ParamType(REQUIRED).DataType({{ge::DT_INT32}});
        this->AICore().AddConfig("{chip}");
    }}
}};
OP_ADD({name});
}}
"""


def test_its_definition(tmp_path: Path) -> None:
    """The definitions are read anew if a file was removed, although no file is newer."""
    (tmp_path / "op_host").mkdir()
    (tmp_path / "build").mkdir()
    for name in ("AddOne", "DivTwo"):
        text = DEFINITION.format(name=name, chip="ascend910b")
        (tmp_path / f"op_host/{name}.cpp").write_text(text)
    adopt.adopt(tmp_path, tmp_path / "build")
    (tmp_path / "op_host/DivTwo.cpp").unlink()
    adopt.adopt(tmp_path, tmp_path / "build")
    assert [path.name for path in tmp_path.glob("build/op_proto/*")] == ["add_one.toml"]


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["msopgen", "cannery"])
def test_its_files(cannery: Run, tmp_path: Path, layout: str) -> None:
    tensors = {
        "input_desc": [{"name": "x", "type": "int32"}],
        "output_desc": [{"name": "z", "type": "int32"}],
    }
    write(tmp_path, {"op": "AddOne", **tensors}, {"op": "DivTwo", **tensors})
    options = ("-i", "proto.json", "-c", "ai_core-ascend910b", "-out", "two")
    assert cannery("new", "--layout", layout, *options, cwd=tmp_path).returncode == 0
    project = tmp_path / "two"
    assert cannery("build", cwd=project).returncode == 0
    for path in sorted(project.rglob("*"), reverse=True):
        if "div_two" in path.relative_to(project).as_posix() and "build" not in path.parts:
            path.unlink() if path.is_file() else path.rmdir()
    done = cannery("build", cwd=project)
    assert done.returncode == 0, done.stderr
    for path in (project / "build").rglob("*"):
        assert "div_two" not in path.name
        if path.is_file() and not path.name.startswith(".ninja"):
            assert b"DivTwo" not in path.read_bytes(), path
    assert cannery("build", cwd=project).stdout.count(": 0 steps") == 1


def test_the_line_with_another_chip(tmp_path: Path) -> None:
    source = tmp_path / "add_one.cpp"
    source.write_text(DEFINITION.format(name="AddOne", chip="ascend310b"))
    described = [{"type": "AddOne", "socs": ["ascend310b"]}]
    (line,) = adopt._lines_to_change([source], described)
    assert line == f'{source}:9: write "ascend910b" instead of "ascend310b" for Atlas A2'
    described[0]["socs"].append("ascend910_93")
    assert not adopt._lines_to_change([source], described)
