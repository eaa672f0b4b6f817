# SPDX-License-Identifier: Apache-2.0
"""A prototype states limits and formulas once; tiling, checks, messages and texts must use them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from aclnn_library import COMPILER

from cannery.opgen import formulas
from cannery.opgen.cli import main

#: Numbers of windows, counted by hand, for (length, compressBlockSize, compressStride).
WINDOWS = {(31, 32, 16): 0, (32, 32, 16): 1, (47, 32, 16): 1, (48, 32, 16): 2, (5000, 48, 32): 155}


def test_header_is_cpp11_and_says_what_the_prototype_says(generated: Path, tmp_path: Path) -> None:
    checks = [f"Windows({', '.join(map(str, key))}) == {want}" for key, want in WINDOWS.items()]
    checks += ["kInputActSeqLenOptional == 3", "kOutputWeightGrad == 1"]
    checks += ["kAttrInputGradStrides == 4", "kAttrWeightGradStrides == 5"]
    checks += ["kMaxHeads == 128", "kMaxHeadDim == 256", "kMaxBlockSize == 128", "kGrain == 16"]
    source = tmp_path / "limits.cpp"
    lines = ['#include "nsa_compress_grad_interface.h"', "using namespace ops::NsaCompressGradOp;"]
    lines += [f'static_assert({check}, "");' for check in checks]
    source.write_text("\n".join(lines) + "\n")
    command = [str(COMPILER), "-std=c++11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    done = subprocess.run(
        [*command, f"-I{generated / 'op_host'}", str(source)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_an_operator_without_limits_has_no_table_of_them(generated: Path) -> None:
    assert "## Limits" not in (generated / "docs/moe_init_routing_v2_grad.md").read_text()


def test_a_changed_limit_changes_every_text(proto_dir: Path, tmp_path: Path) -> None:
    path = proto_dir / "nsa_compress_grad.toml"
    text = path.read_text()
    path.write_text(text.replace("value = 256", "value = 512", 1))
    assert main(["--proto", str(proto_dir), "--out", str(tmp_path / "out")]) == 0
    page = (tmp_path / "out/docs/nsa_compress_grad.md").read_text()
    header = (tmp_path / "out/include/aclnnop/aclnn_nsa_compress_grad.h").read_text()
    assert "D at most 512 and a multiple of 16" in page
    assert "| `max_head_dim` | 512 |" in page
    assert "561002 if N is above 128, D is above 512" in header
    assert "256" not in page + header
    model = json.loads((tmp_path / "out/proto/nsa_compress_grad.json").read_text())
    assert {"max_head_dim": 512}.items() <= {e["name"]: e["value"] for e in model["limits"]}.items()


BROKEN = {
    "unknown name": (
        "{max_heads}", "{heads}", "input[0].shape: {heads} is no limit and no formula",
    ),
    "name of a helper": (
        'name = "windows"', 'name = "floor_div"', "formula[0]: FloorDiv is the name of the",
    ),
    "repeated name": ('"max_heads"', '"grain"', "limit[3].name: grain is there already"),
    "no number": (
        "value = 128", 'value = "128"', 'limit[0].value: must be an integer; given: "128"',
    ),
    "no snake case": (
        'name = "grain"', 'name = "kGrain"',
        "limit[3].name: must be small letters, digits and single underscores, as in max_heads",
    ),
    "foreign argument": (
        "(length - compressBlockSize) //", "(rows - compressBlockSize) //",
        "formula[0].value: may have length, compressBlockSize, compressStride, whole numbers and",
    ),
    "single slash": (
        ") // compressStride", ") / compressStride",
        "formula[0].value: may have length, compressBlockSize, compressStride, whole numbers and "
        "+ - * // ( ); given: ",
    ),
    "when divides by zero": (
        "length >= compressBlockSize", "length // 0 >= compressBlockSize",
        "formula[0].when: must not divide by 0; given: length // 0 >= compressBlockSize",
    ),
    "value divides by zero": (
        ") // compressStride", ") // (2 - 2)", "formula[0].value: must not divide by 0; given: (",
    ),
    "two multiplication signs": (
        "// compressStride + 1", "** compressStride", "formula[0].value: may have length",
    ),
    "a letter that is no argument": (
        "compressStride + 1", "compressStride + \u00e9", "formula[0].value: may have length",
    ),
    "one parenthesis": (
        "compressStride + 1", "compressStride + 1)", "formula[0].value: may have length",
    ),
    "a comment": (
        "length >= compressBlockSize", "length >= compressBlockSize /* */", "formula[0].when: may",
    ),
    "number beyond int64": (
        "compressStride + 1", "compressStride + 9223372036854775808", "formula[0].value: may have",
    ),
    "limit beyond int64": (
        "value = 128", "value = 9223372036854775808",
        "limit[0].value: must be of type int; given: 9223372036854775808",
    ),
    "limit with a point": (
        "value = 128", "value = 128.0", "limit[0].value: must be of type int; given: 128.0",
    ),
    "name with a line end": (
        'name = "grain"', 'name = "grain\\n"', "limit[3].name: must be small letters",
    ),
    "doc with a control character": (
        'doc = "Number of windows', 'doc = "Number\\u0001of windows',
        "formula[0].doc: must be one line that ends with a full stop, without control characters",
    ),
    "more than a condition": (
        "length >= compressBlockSize", "length >= compressBlockSize && 1", "formula[0].when: may",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("good", "bad", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_refuses(
    proto_dir: Path, capsys: pytest.CaptureFixture[str], good: str, bad: str, message: str
) -> None:
    path = proto_dir / "nsa_compress_grad.toml"
    text = path.read_text()
    assert good in text
    path.write_text(text.replace(good, bad, 1))
    assert main(["--proto", str(proto_dir), "--check"]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith(f"op_proto/nsa_compress_grad.toml: {message}") for line in lines), (
        lines
    )


@pytest.mark.parametrize(
    "text",
    ["a // 0", "a // -0", "b + (a // (1 - 1)) * 2", "1 // 0", "a // (3 * (2 // 4))", "1 < a // 0"],
)
def test_a_formula_that_divides_by_zero(text: str) -> None:
    with pytest.raises(ZeroDivisionError):
        formulas.cpp(text, ["a", "b"], condition=True)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a // (b * 0)", "FloorDiv(a, b * 0)"),  # only the arguments decide
        ("a // (3 - 2)", "FloorDiv(a, 3 - 2)"),
        ("0 // a", "FloorDiv(0, a)"),
        ("a - -b", "a - (-b)"),
        ("(a + 1) * b // 2 - 1", "FloorDiv((a + 1) * b, 2) - 1"),
        ("-(a // b) * 2", "(-FloorDiv(a, b)) * 2"),
        ("1_000", "1000"),
        ("0 < a <= b", "0 < a && a <= b"),
    ],
)
def test_formulas_in_cpp(text: str, want: str) -> None:
    assert formulas.cpp(text, ["a", "b"], condition=True) == want


def test_formulas_round_like_python(proto_dir: Path, tmp_path: Path) -> None:
    """A formula gives the same number in C++ and in Python, also for negative operands."""
    text = "a // b - (a - 3) // (b * 2) + -a // 3"
    values = [(a, b) for a in (-7, -6, -1, 0, 5, 2**62) for b in (-3, -1, 1, 2, 7)]
    path = proto_dir / "nsa_compress_grad.toml"
    mixed = (
        f'[[formula]]\nname = "mixed"\nargs = ["a", "b"]\nvalue = "{text}"\nwhen = "a // b < b"\n'
    )
    path.write_text(
        path.read_text().replace("[[formula]]", f'{mixed}doc = "A number."\n\n[[formula]]', 1)
    )
    assert main(["--proto", str(proto_dir), "--out", str(tmp_path / "out")]) == 0
    lines = ['#include "nsa_compress_grad_interface.h"', "using namespace ops::NsaCompressGradOp;"]
    for a, b in values:
        want = eval(text, {"a": a, "b": b}) if a // b < b else 0  # noqa: S307
        lines.append(f'static_assert(Mixed({a}, {b}) == {want}, "");')
    source = tmp_path / "mixed.cpp"
    source.write_text("\n".join(lines) + "\n")
    command = [str(COMPILER), "-std=c++11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    include = f"-I{tmp_path / 'out/op_host'}"
    done = subprocess.run(
        [*command, include, str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
