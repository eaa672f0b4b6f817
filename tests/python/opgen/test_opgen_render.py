# SPDX-License-Identifier: Apache-2.0
"""The generator must write the committed files, and the same bytes every time."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from cannery.opgen.build import build
from cannery.opgen.cli import main
from cannery.opgen.loader import load_prototypes
from cannery.opgen.model import Operator
from cannery.opgen.render import write_if_different


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_two_runs_are_identical(root: Path, generated: Path, tmp_path: Path) -> None:
    assert main(["--proto", str(root / "op_proto"), "--out", str(tmp_path / "again")]) == 0
    assert tree(tmp_path / "again") == tree(generated)


def test_a_second_run_writes_nothing(root: Path, generated: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in generated.rglob("*")}
    assert main(["--proto", str(root / "op_proto"), "--out", str(generated)]) == 0
    assert {path: path.stat().st_mtime_ns for path in generated.rglob("*")} == before


def test_only_a_changed_file_is_written(generated: Path, root: Path, tmp_path: Path) -> None:
    arguments = ["--proto", str(root / "op_proto"), "--out", str(tmp_path)]
    assert main(arguments) == 0
    page = tmp_path / "docs" / "swi_glu_grad.md"
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    page.write_text("edited by hand")
    assert main(arguments) == 0
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    assert {path for path in before if before[path] != after[path]} == {page}
    assert tree(tmp_path) == tree(generated)


def test_write_if_different(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    assert write_if_different(path, "a\n")
    assert not write_if_different(path, "a\n")
    assert write_if_different(path, "b\n")
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_list_outputs_is_what_is_written(
    root: Path, generated: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--proto", str(root / "op_proto"), "--list-outputs"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(tree(generated))


@pytest.mark.parametrize("name", ["swi_glu_grad", "SwiGluGrad"])
def test_one_operator_alone(root: Path, tmp_path: Path, name: str) -> None:
    arguments = ["--proto", str(root / "op_proto"), "--op", name, "--out", str(tmp_path)]
    assert main(arguments) == 0
    assert (tmp_path / "proto" / "swi_glu_grad.json").is_file()
    assert {path.stem[:3] for path in (tmp_path / "calls").iterdir()} == {"swi"}


def test_every_text_says_where_it_comes_from(root: Path, generated: Path) -> None:
    operators = [path.stem for path in (root / "op_proto").glob("*.toml")]
    for path, data in tree(generated).items():
        if not path.endswith(".json"):
            first_line = data.decode().splitlines()[0]
            assert "generated from op_proto/" in first_line, path
            named = [op for op in operators if op in path]
            assert all(f"op_proto/{op}.toml" in first_line for op in named), path
            assert named or "all prototypes" in first_line, path
            assert "do not edit" in first_line, path


def test_one_kernel_wrapper_per_row(generated: Path) -> None:
    for row, (c_type, ge_type) in enumerate(
        [("half", "DT_FLOAT16"), ("bfloat16_t", "DT_BF16"), ("float", "DT_FLOAT")]
    ):
        lines = (generated / f"kernel/swi_glu_grad_{row}.cpp").read_text().splitlines()
        for name in ("Y_GRAD", "X", "X_GRAD"):
            assert f"#define DTYPE_{name} {c_type}" in lines
            assert f"#define ORIG_DTYPE_{name} {ge_type}" in lines
            assert f"#define FORMAT_{name} FORMAT_ND" in lines
        assert lines.index('#include "swi_glu_grad_tiling.h"') < lines.index(
            '#include "swi_glu_grad.cpp"'
        )
        assert lines[-1] == "TWIN_EXPORT_KERNEL(swi_glu_grad)"


def test_model_json(generated: Path) -> None:
    op = json.loads((generated / "proto/swi_glu_grad.json").read_text())
    assert op["type"] == "SwiGluGrad"
    assert op["snake"] == "swi_glu_grad"
    assert op["rows"] == 3
    assert op["socs"] == ["ascend910b", "ascend910_93"]
    assert op["aclnn"]["public"] == "aclnnSwiGluGrad"
    assert op["aclnn"]["inner"] == "aclnnInnerSwiGluGrad"
    assert op["header"] == "aclnn_swi_glu_grad.h"
    assert [(p["kind"], p["c_type"], p["c_name"], p["py_name"]) for p in op["params"]] == [
        ("input", "const aclTensor *", "yGrad", "y_grad"),
        ("input", "const aclTensor *", "x", "x"),
        ("attr", "int64_t", "dim", "dim"),
        ("output", "const aclTensor *", "out", "x_grad"),
    ]


def test_a_model_comes_back_from_its_json(root: Path) -> None:
    for source, proto in load_prototypes(root / "op_proto"):
        model = build(source, proto)
        assert Operator.from_json(model.to_json()) == model


def test_msopgen_json(generated: Path) -> None:
    tensor = {
        "param_type": "required",
        "format": ["ND", "ND", "ND"],
        "type": ["float16", "bfloat16", "float32"],
    }
    assert json.loads((generated / "msopgen/swi_glu_grad.json").read_text()) == [
        {
            "op": "SwiGluGrad",
            "language": "cpp",
            "input_desc": [{"name": "y_grad", **tensor}, {"name": "x", **tensor}],
            "output_desc": [{"name": "x_grad", **tensor}],
            "attr": [
                {"name": "dim", "param_type": "optional", "type": "int", "default_value": "-1"}
            ],
        }
    ]


def test_committed_pages_are_the_generated_ones(root: Path, generated: Path) -> None:
    """Committed pages are equal to generated ones; docs/add-an-op.md tells how to update them."""
    committed = {p.name: p.read_text() for p in (root / "docs" / "api").glob("*.md")}
    assert committed == {p.name: p.read_text() for p in (generated / "docs").glob("*.md")}
    listed = (root / "docs" / "operators.md").read_text()
    assert listed == (generated / "operators.md").read_text()


def test_committed_pages_are_checked_and_written(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(root / "op_proto", tmp_path / "op_proto")
    shutil.copytree(root / "docs", tmp_path / "docs")
    check = ["--proto", str(tmp_path / "op_proto"), "--check"]
    write = [*check[:-1], "--write"]
    assert main(check) == 0
    assert main(write) == 0
    assert capsys.readouterr() == ("", "")

    pages = ("docs/api/swi_glu_grad.md", "docs/operators.md")
    before = [(tmp_path / page).read_text() for page in pages]
    (tmp_path / pages[0]).unlink()
    (tmp_path / pages[1]).write_text(before[1] + "by hand\n")
    assert main(check) == 1
    error = capsys.readouterr().err.splitlines()
    assert error == [f"{page}: is not what op_proto gives: run opgen --write" for page in pages]
    assert main(write) == 0
    assert capsys.readouterr().out.split() == list(pages)
    assert [(tmp_path / page).read_text() for page in pages] == before
    assert main(check) == 0
