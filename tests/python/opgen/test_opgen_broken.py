# SPDX-License-Identifier: Apache-2.0
"""A broken prototype must end the generator with lines that name file, key and rule."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cannery.opgen.cli import main

FILE = "op_proto/swi_glu_grad.toml"
ROW = 'dtypes = ["float16", "bfloat16", "float32"]'

ENTRY = """
[[entry]]
suffix = "V2"
doc = "More."
const_tensors = [{constant}]

[[entry.param]]
name = "{name}"
type = "const aclTensor *"
after = "{after}"
doc = "A hint."
"""

#: Cases: a text of the correct prototype, the text that replaces its first occurrence, and the
#: expected message.
BROKEN = {
    "type is not Pascal": (
        'type = "SwiGluGrad"',
        'type = "swi_glu_grad"',
        'type: must be PascalCase letters and digits, as in SwiGluGrad; given: "swi_glu_grad"',
    ),
    "type has another file": (
        'type = "SwiGluGrad"',
        'type = "SwiGlu"',
        "type: SwiGlu belongs in swi_glu.toml, not in swi_glu_grad.toml",
    ),
    "type is missing": ('type = "SwiGluGrad"', "", "type: is required"),
    "brackets inside brackets": (
        'type = "SwiGluGrad"',
        f"type = {'[' * 5000}{']' * 5000}",
        "(file): brackets are nested too deeply",
    ),
    "type is a number": ('type = "SwiGluGrad"', "type = 3", "type: must be a string; given: 3"),
    "unknown soc": (
        '"ascend910_93"',
        '"ascend310p"',
        'socs[1]: must be one of ascend910b, ascend910_93; given: "ascend310p"',
    ),
    "repeated soc": ('"ascend910_93"', '"ascend910b"', "socs: must not repeat an item; given:"),
    "no soc": (
        'socs = ["ascend910b", "ascend910_93"]',
        "socs = []",
        "socs: must have at least 1 item; given: []",
    ),
    "unknown dtype": (
        '"bfloat16"',
        '"bf16"',
        "input[0].dtypes[1]: must be one of float16, bfloat16, float32",
    ),
    "too few columns": (
        f'{ROW}\nauto_contiguous = true\nshape = "1',
        'dtypes = ["float16", "bfloat16"]\nauto_contiguous = true\nshape = "1',
        "input[1].dtypes: must have as many columns as input[0].dtypes, 3; given: 2",
    ),
    "formats do not match": (
        ROW,
        f'{ROW}\nformats = ["ND", "ND"]',
        "input[0].formats: must have one format per dtype column, 3; given: 2",
    ),
    "unknown format": (
        ROW,
        f'{ROW}\nformats = ["ND", "NZ", "ND"]',
        "input[0].formats[1]: must be one of ND, NCHW, NHWC, HWCN, NDHWC, NCDHW, NC, NCL, "
        'FRACTAL_NZ, NC1HWC0, FRACTAL_Z, NDC1HWC0, FRACTAL_Z_3D; given: "NZ"',
    ),
    "unknown key": (
        'name = "y_grad"',
        'name = "y_grad"\ndtype = "float16"',
        "input[0].dtype: unknown key; known are aclnn, auto_contiguous, doc, dtypes, formats, name",
    ),
    "missing key in a table": (ROW, "", "input[0].dtypes: is required"),
    "bad name": ('name = "y_grad"', 'name = "2y"', "input[0].name: must be a letter, then"),
    "reserved name": (
        'name = "y_grad"',
        'name = "workspaceSize"',
        "input[0].name: workspaceSize is reserved by C++, Python or the aclnn signature",
    ),
    "python keyword": ('name = "dim"', 'name = "lambda"', "attr[0].name: lambda is reserved"),
    "duplicate name": (
        'name = "dim"',
        'name = "x"',
        "attr[0].name: x is already the name of input[1]",
    ),
    "one tensor with two types": (
        f'name = "x_grad"\nparam_type = "required"\n{ROW}',
        'name = "x"\nparam_type = "required"\ndtypes = ["float32", "float32", "float32"]',
        "output[0].dtypes: must be those of the input x, because an output with the name of an",
    ),
    "same name in C": (
        'name = "x_grad"',
        'name = "yGrad"',
        "output[0].name: yGrad is already the name of input[0]",
    ),
    "unknown attribute type": (
        'type = "int"',
        'type = "int32"',
        "attr[0].type: must be one of int, float, bool, string, list_int",
    ),
    "default has another type": (
        "default = -1",
        'default = "-1"',
        "attr[0].default: must be of type int; given: '-1'",
    ),
    "true is no number": (
        "default = -1",
        "default = true",
        "attr[0].default: must be of type int; given: True",
    ),
    "default beyond int64": (
        "default = -1",
        "default = 9223372036854775808",
        "attr[0].default: must be of type int; given: 9223372036854775808",
    ),
    "no default": (
        "default = -1",
        "",
        "attr[0].default: is required for an optional attribute",
    ),
    "default of a required attribute": (
        'type = "int"\nparam_type = "optional"',
        'type = "int"\nparam_type = "required"',
        "attr[0].default: a required attribute has no default",
    ),
    "param_type": (
        'param_type = "required"',
        'param_type = "virtual"',
        'input[0].param_type: must be one of required, optional, dynamic; given: "virtual"',
    ),
    "value_depend of a float": (
        "auto_contiguous = true",
        "value_depend = true",
        "input[0].value_depend: the C function takes an array, so all dtypes must be float32, or",
    ),
    "strided input": (
        'name = "y_grad"',
        'name = "y_grad"\nstrided = true',
        "input[0].strided: unknown key; known are aclnn, auto_contiguous, doc, dtypes, formats",
    ),
    "strides attribute is taken": (
        'name = "dim"\ntype = "int"\nparam_type = "optional"\ndefault = -1\ndoc = "Dimension along '
        'which x is split, in [-rank, rank - 1]."\n\n[[output]]\nname = "x_grad"',
        'name = "x_grad_strides"\ntype = "int"\nparam_type = "optional"\ndefault = -1\ndoc = "D."'
        '\n\n[[output]]\nname = "x_grad"\nstrided = true',
        "output[0].strided: adds the attribute x_grad_strides, but there is one of that name",
    ),
    "inner input": (
        'name = "y_grad"',
        'name = "y_grad"\ninner_only = true',
        "input[0].inner_only: unknown key",
    ),
    "public side of an inner attribute": (
        "default = -1",
        'default = -1\ninner_only = true\naclnn = { name = "axis" }',
        "attr[0].aclnn: an inner_only attribute is no parameter of the public function",
    ),
    "unknown C type": (
        'name = "y_grad"',
        'name = "y_grad"\naclnn = { type = "void *" }',
        "input[0].aclnn.type: must be one of const aclTensor *, aclTensor *, double, float; "
        'given: "void *"',
    ),
    "C type of another kind": (
        "default = -1",
        'default = -1\naclnn = { type = "float" }',
        "attr[0].aclnn.type: must be one of int64_t; given: float",
    ),
    "empty aclnn table": (
        'name = "y_grad"',
        'name = "y_grad"\naclnn = {}',
        "input[0].aclnn: must have at least 1 key; given: {}",
    ),
    "C name with an underscore": (
        'name = "y_grad"',
        'name = "y_grad"\naclnn = { name = "y_grad" }',
        "input[0].aclnn.name: must be a small letter, then letters and digits, as in scaleOptional",
    ),
    "reserved C name": (
        'name = "y_grad"',
        'name = "y_grad"\naclnn = { name = "workspaceSize" }',
        "input[0].aclnn.name: workspaceSize is reserved by C++ or the aclnn signature",
    ),
    "repeated C name": (
        'name = "y_grad"',
        'name = "y_grad"\naclnn = { name = "x" }',
        "input[1].aclnn.name: x is already the C name of input[0]",
    ),
    "entry behind nothing": (
        "status = 561002",
        "status = 561002" + ENTRY.format(after="z", name="hint", constant=""),
        "entry[0].param[0].after: z is no parameter; known are ",
    ),
    "entry with a name that is taken": (
        "status = 561002",
        "status = 561002" + ENTRY.format(after="x", name="dim", constant=""),
        "entry[0].param[0].name: dim is taken or reserved",
    ),
    "entry with a constant of nobody": (
        "status = 561002",
        "status = 561002" + ENTRY.format(after="x", name="hint", constant='"z"'),
        "entry[0].const_tensors",
    ),
    "status": ("status = 561002", "status = 5", "rule[7].status: must be one of 161001"),
    "summary": ("its input.", "its input", "summary: must be one line that ends with a full stop"),
    "no TOML": ("socs = [", "socs = [[", "(file): must be TOML in UTF-8:"),
}


@pytest.mark.parametrize(("good", "bad", "message"), BROKEN.values(), ids=BROKEN.keys())
def test_names_file_key_and_rule(
    proto_dir: Path, capsys: pytest.CaptureFixture[str], good: str, bad: str, message: str
) -> None:
    path = proto_dir / "swi_glu_grad.toml"
    text = path.read_text()
    assert good in text
    path.write_text(text.replace(good, bad, 1))
    out = proto_dir.parent / "out"
    assert main(["--proto", str(proto_dir), "--out", str(out)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert any(line.startswith(f"{FILE}: {message}") for line in lines), lines
    assert not out.exists()


def test_repeated_column(proto_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = proto_dir / "swi_glu_grad.toml"
    path.write_text(path.read_text().replace('"bfloat16"', '"float16"'))
    assert main(["--proto", str(proto_dir), "--check"]) == 1
    expected = f"{FILE}: input[0].dtypes[1]: column 1 repeats column 0\n"
    assert capsys.readouterr().err == expected


def test_all_faults_of_all_files_are_reported(
    proto_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (proto_dir / "swi_glu_grad.toml").read_text()
    (proto_dir / "swi_glu_grad.toml").write_text(text.replace("default = -1", "", 1))
    (proto_dir / "other.toml").write_text("type = 3\n")
    assert main(["--proto", str(proto_dir), "--check"]) == 1
    err = capsys.readouterr().err
    assert "op_proto/other.toml: type: must be a string" in err
    assert "op_proto/other.toml: input: is required" in err
    assert f"{FILE}: attr[0].default: is required" in err


def test_unknown_operator(proto_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--proto", str(proto_dir), "--op", "swi_glu", "--check"]) == 1
    assert "swi_glu.toml: no such prototype" in capsys.readouterr().err


#: Ways to start the generator: in a checkout, in a build before cannery is installed, in a package.
PROGRAMS = (
    ["tools/opgen"],
    ["python/cannery/opgen"],
    ["-m", "cannery.opgen"],
)


@pytest.mark.parametrize("program", PROGRAMS, ids=" ".join)
def test_exit_code_and_message_of_the_program(
    root: Path, proto_dir: Path, program: list[str]
) -> None:
    (proto_dir / "swi_glu_grad.toml").write_text("")
    command = [sys.executable, *program, "--proto", str(proto_dir), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 1
    assert f"{FILE}: type: is required" in done.stderr
    assert "Traceback" not in done.stderr


def test_needs_neither_numpy_nor_the_native_module(root: Path, proto_dir: Path) -> None:
    """The generator needs neither numpy nor the native module, which a build may not have yet."""
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('numpy', 'ml_dtypes', 'cannery._native'))); "
        "from cannery.opgen.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "--proto", str(proto_dir), "--list-outputs"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 0, done.stderr
    assert "op_host/swi_glu_grad_def.cpp" in done.stdout


def test_says_what_to_install(root: Path) -> None:
    command = [sys.executable, "-S", "python/cannery/opgen", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert done.returncode == 1
    assert "-m pip install jinja2 jsonschema" in done.stderr
