# SPDX-License-Identifier: Apache-2.0
"""`cannery run`, `cannery profile` and the tests of a project can give inputs shapes and values of
their own: by options, by the prototype, or by a function of the project."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cannery.errors import CanneryError, NotBuiltError
from cannery.opgen.build import build as model_of
from cannery.opgen.loader import load_prototypes
from cannery.opgen.model import Operator
from cannery.project import NamedOperator
from cannery.testing.rows import OperatorRow
from cannery.testing.shapes import ShapeError, Shapes

from .conftest import Run, build, run_tests
from .test_new import make
from .test_project_build import edit

OUTPUT = {"output_desc": [{"name": "y", "type": ["float"]}]}
#: y = x * gamma, with a gamma for each column.
SCALE: dict[str, Any] = {
    "op": "Scale",
    "input_desc": [
        {"name": "x", "type": ["float", "half"]},
        {"name": "gamma", "type": ["float", "half"]},
        {"name": "bias", "type": ["float", "half"], "param_type": "optional"},
    ],
    "output_desc": [{"name": "y", "type": ["float", "half"]}],
    "attr": [{"name": "columns", "type": "int", "param_type": "required"}],
}
KERNEL = {
    "            Compute(elems);\n": "            first_ = first;\n            Compute(elems);\n",
    "        AscendC::DataCopy(yLocal, in, RoundUp(elems, kElemsPerBlock<TY>));\n": (
        "        for (uint32_t i = 0; i < elems; ++i) {\n"
        "            const float gamma = gammaGm_.GetValue((first_ + i) % tiling_.columns);\n"
        "            const float x = in.GetValue(i);\n"
        "            yLocal.SetValue(i, static_cast<TY>(gamma * x));\n"
        "        }\n"
    ),
    "    ScaleTilingData tiling_;\n": "    ScaleTilingData tiling_;\n    int64_t first_ = 0;\n",
}
GOLDEN = {"return np.ascontiguousarray(x).copy()": "return x.astype(np.float64) * gamma"}
CASES = '''\
"""What inputs Scale needs."""

import numpy as np


def inputs(row, shapes, rng):
    return {"gamma": rng.uniform(1, 2, shapes["x"][-1]).astype(row.dtype("gamma"))}
'''
RUN = ("run", "scale", "--dtype", "float32", "--json", "--attr", "columns=40")


@pytest.fixture(scope="module")
def made(cannery: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("inputs") / "scaling"
    make(project, [SCALE], "scaling")
    edit(project / "op_kernel/scale/kernel.h", KERNEL)
    edit(project / "python/scaling/golden/scale.py", GOLDEN)
    build(cannery, project)
    return project


def told(project: Path, x: str, gamma: str) -> str:
    """Writes shapes of x and gamma into the prototype; returns the prototype's old text."""
    proto = project / "op_proto/scale.toml"
    before = proto.read_text()
    text = before.replace("1 to 8 dimensions, none of them 0", x)
    head, name, tail = text.partition('name = "gamma"')
    proto.write_text(head + name + tail.replace('shape = "any"', f'shape = "{gamma}"', 1))
    return before


@pytest.fixture
def with_shapes(made: Path) -> Any:
    before = told(made, "(..., D), none of them 0", "(D,)")
    yield made
    (made / "op_proto/scale.toml").write_text(before)


@pytest.fixture
def with_cases(made: Path) -> Any:
    folder = made / "python/scaling/cases"
    folder.mkdir()
    (folder / "scale.py").write_text(CASES)
    yield made
    (folder / "scale.py").unlink()
    folder.rmdir()


def answer(cannery: Run, project: Path, *words: str) -> Any:
    done = cannery(*RUN, *words, cwd=project)
    document = json.loads(done.stdout)
    assert done.returncode == (0 if document["ok"] else 1)
    return document


pytestmark = pytest.mark.twin_only("runs a package that was built for the twin")


@pytest.mark.slow
def test_options_give_an_input_its_shape(made: Path, cannery: Run) -> None:
    """If gamma has the shape of x, the golden and the kernel use different elements of gamma."""
    assert not answer(cannery, made, "--shape", "40,40")["ok"]
    found = answer(cannery, made, "--shape", "12,40", "--shape", "gamma=40")
    assert found["ok"]
    assert found["results"][0]["inputs"] == {"gamma": [40]}
    assert answer(cannery, made, "--shape", "gamma=40", "--shape", "x=3,5,40")["ok"]
    assert answer(cannery, made, "--shape", "12,40", "--arg", "gamma=float32[40]=ones")["ok"]
    np.save(made / "x.npy", np.ones((6, 40), np.float32))
    found = answer(cannery, made, "--arg", "x=x.npy", "--shape", "gamma=40")
    assert found["ok"]
    assert found["results"][0]["shape"] == [6, 40]
    done = cannery("run", *RUN[1:2], "--shape", "12,40", "--shape", "gamma=40", cwd=made)
    assert "12 x 40, gamma 40" in done.stdout


@pytest.mark.slow
def test_profiles_take_them_too(made: Path, cannery: Run) -> None:
    words = ("--attr", "columns=40", "--shape", "12,40", "--arg", "gamma=float32[40]", "--json")
    done = cannery("profile", "scale", *words, cwd=made)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["launches"]


FAULTS = {
    ("--shape", "gama=40"): "--shape: scale has the inputs x, gamma, bias, got 'gama'",
    ("--shape", "gamma=4.5"): "--shape: expected whole numbers as in 128,4096 or 128x4096, or ()",
    ("--shape", "gamma="): "or () for a scalar, got ''",
    ("--shape", "x"): "--shape: expected whole numbers as in 128,4096 or 128x4096, or () for a",
    ("--shape", ","): "or () for a scalar, got ','",
    ("--shape", ""): "or () for a scalar, got ''",
    ("--shape", "4,,4"): "or () for a scalar, got '4,,4'",
    ("--shape", "-4,4"): "or () for a scalar, got '-4,4'",
    ("--arg", "gamma=float32[x]"): "--arg: float32[x]: expected whole numbers in brackets, got 'x'",
    ("--arg", "gamma=float32[,]"): "expected whole numbers in brackets, got ','",
    ("--shape", "gamma=4", "--arg", "gamma=float32[4]"): "--arg: gamma is given twice",
    ("--shape", "4", "--shape", "5"): "expected one shape without a name, got '4' and '5'",
    ("--shape", "4", "--shape", "x=5"): "--shape: x has a shape of its own, which excludes",
    ("--size", "small", "--shape", "x=5"): "--shape: x has a shape of its own, which excludes",
    ("--arg", "gamma=7"): "--arg: expected NAME=ARRAY, as in gamma=float32[1024]=ones",
    ("--arg", "gamma=int8[4]"): "--arg: scale has no combination of dtypes with gamma int8",
    ("--arg", "float32[4]=ones"): "--arg: scale has the inputs x, gamma, bias, got 'float32[4]'",
}


@pytest.mark.parametrize("words", FAULTS)
def test_wrong_options(tmp_path: Path, cannery: Run, words: tuple[str, ...]) -> None:
    make(tmp_path / "scaling", [SCALE], "scaling")
    done = cannery("run", "scale", *words, cwd=tmp_path / "scaling")
    assert done.returncode == 2
    assert FAULTS[words] in done.stderr


def test_shapes_of_options_must_fit_the_prototype(tmp_path: Path, cannery: Run) -> None:
    project = tmp_path / "scaling"
    make(project, [SCALE], "scaling")
    told(project, "(..., D), none of them 0", "(D,)")
    fits_not = "gamma of scale has the shape (D,)"
    tells = f"{fits_not}, and x tells that D is 40, got 9"
    for option, value, message in (
        ("--shape", "gamma=9", tells),
        ("--arg", "gamma=float32[9]", tells),
        ("--shape", "gamma=()", f"{fits_not}, got a scalar"),
    ):
        done = cannery("run", "scale", "--shape", "12,40", option, value, cwd=project)
        assert done.returncode == 2
        assert f"error: {option}: {message}\n" in done.stderr, done.stderr
        given = value if option == "--shape" else "gamma=..."
        assert f"try: leave out {option} {given}; cannery makes the array" in done.stderr


def test_cannerys_operators_make_their_inputs(tmp_path: Path, cannery: Run) -> None:
    for words in (("--shape", "x=4,8"), ("--arg", "x=float32[4,8]")):
        done = cannery("run", "swi_glu_grad", *words, cwd=tmp_path)
        assert done.returncode == 2
        assert f"{words[0]}: swi_glu_grad makes its inputs itself" in done.stderr


#: Bodies of a project's function `inputs`, and the message that each of them causes.
BROKEN = {
    "return {'beta': 1}": "scaling.cases.scale: inputs: scale has the inputs x, gamma, bias, got",
    "return {'gamma': np.ones(7)}": "inputs: gamma of scale has the shape (D,), and x tells that D",
    "return 1": "scaling.cases.scale: inputs: TypeError: 'int' object is not iterable",
    "return {'gamma': row.none}": "scaling.cases.scale: inputs: AttributeError: ",
    "return {": "scaling.cases.scale: cannot be imported: SyntaxError: ",
}


@pytest.mark.parametrize("body", BROKEN)
def test_a_function_that_makes_no_inputs(tmp_path: Path, cannery: Run, body: str) -> None:
    make(tmp_path / "scaling", [SCALE], "scaling")
    folder = tmp_path / "scaling/python/scaling/cases"
    folder.mkdir()
    (folder / "scale.py").write_text(
        f"import numpy as np\n\n\ndef inputs(row, shapes, rng):\n    {body}\n"
    )
    told(tmp_path / "scaling", "(..., D), none of them 0", "(D,)")
    done = cannery("run", "scale", "--shape", "12,40", cwd=tmp_path / "scaling")
    assert done.returncode in (1, 2)
    assert BROKEN[body] in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_the_prototype_tells_shapes(with_shapes: Path, cannery: Run) -> None:
    assert answer(cannery, with_shapes, "--shape", "12,40")["ok"]
    assert not answer(cannery, with_shapes, "--shape", "12,40", "--attr", "columns=20")["ok"]


@pytest.mark.slow
def test_a_project_makes_inputs(with_cases: Path, cannery: Run) -> None:
    assert answer(cannery, with_cases, "--shape", "12,40")["ok"]
    tests = with_cases / "tests/test_own.py"
    tests.write_text(
        "import pytest\nimport scaling\n\n"
        '@pytest.mark.operator("scale")\n'
        "def test_it(operator_row, assert_close):\n"
        "    inputs = operator_row.inputs((7, 40))\n"
        "    assert inputs['gamma'].shape == (40,) and inputs['gamma'].min() >= 1\n"
        "    want = scaling.golden.scale(**inputs, columns=40)\n"
        "    assert_close(scaling.scale(**inputs, columns=40), want)\n"
    )
    try:
        done = run_tests(with_cases, "tests/test_own.py")
        assert "2 passed" in done.stdout, done.stdout
    finally:
        tests.unlink()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("shapes") / "scaling"
    make(project, [SCALE], "scaling")
    return project


def operator(folder: Path, x: str, gamma: str) -> Operator:
    before = told(folder, x, gamma)
    ((source, proto),) = load_prototypes(folder / "op_proto")
    (folder / "op_proto/scale.toml").write_text(before)
    return model_of(source, proto)


#: Texts of x and gamma in the prototype, the shape of x, and the shape of gamma.
TEXTS = [
    ("any", "any", (3, 4), (3, 4)),
    ("(N, D)", "(D,)", (3, 4), (4,)),
    ("(N, D)", "(D, N), contiguous", (3, 4), (4, 3)),
    ("(..., D)", "(D)", (2, 3, 4), (4,)),
    ("(..., D)", "(..., 8)", (2, 3, 4), (2, 3, 8)),
    ("(B, ..., D)", "(B, 1)", (2, 3, 4), (2, 1)),
    ("(N, D), both even", "x.shape, contiguous", (2, 4), (2, 4)),
    ("any", "()", (2, 4), ()),
    ("(N, D)", "(N * D)", (2, 4), (2, 4)),  # cannery does not evaluate a product
]


@pytest.mark.parametrize(("x", "gamma", "shape", "expected"), TEXTS)
def test_texts_of_shapes(
    folder: Path, x: str, gamma: str, shape: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    op = operator(folder, x, gamma)
    assert Shapes(op, shape, {})["gamma"] == expected
    assert Shapes(op, shape, {"gamma": expected})["gamma"] == expected
    inputs = OperatorRow(op, 0, "").inputs(shape, bias=(5,))
    assert {name: each.shape for name, each in inputs.items()} == {
        "x": shape,
        "gamma": expected,
        "bias": (5,),
    }


#: The `shape` of x and of gamma in the prototype, the given shapes of x and gamma, and the message
#: about the contradiction.
UNFIT = [
    ("(N, D)", "any", (1, 2, 3), None, r"x of scale has the shape \(N, D\), got 1,2,3"),
    ("(N, N)", "any", (3, 4), None, r"x of scale .* \(N, N\), and x tells that N is 3, got 3,4"),
    ("(..., 4)", "any", (2, 5), None, r"x of scale has the shape \(\.\.\., 4\), got 2,5"),
    ("(2, ...)", "any", (), None, r"x of scale has the shape \(2, \.\.\.\), got a scalar"),
    ("(N, D)", "(D,)", (3, 4), (9,), r"gamma of scale .*, and x tells that D is 4, got 9"),
    ("(N, D)", "(D, 8)", (3, 4), (4, 7), r"gamma of scale has the shape \(D, 8\), got 4,7"),
    ("(N, D)", "(D, M)", (3, 4), (4,), r"gamma of scale has the shape \(D, M\), got 4"),
    ("(..., D)", "(..., 1)", (2, 3, 4), (3, 1), r"x tells that \.\.\. is 2,3, got 3,1"),
    ("any", "x.shape", (3, 4), (4, 3), r"gamma .* x\.shape, and x has the shape 3,4, got 4,3"),
    ("(N, D)", "(D, E)", (1, 2), None, r"gamma of scale .* no other input tells E; expected"),
    ("any", "bias.shape", (1, 2), None, r"one of the inputs before it, x, got 'bias'"),
    ("any", "z.shape", (1, 2), (1, 2), r"gamma of scale .* z\.shape; expected one of .* got 'z'"),
    ("gamma.shape", "any", (1, 2), None, r"expected extents, as it is first, got 'gamma'"),
]


@pytest.mark.parametrize(("x", "gamma", "first", "second", "message"), UNFIT)
def test_shapes_that_do_not_fit(
    folder: Path, x: str, gamma: str, first: Any, second: Any, message: str
) -> None:
    row = OperatorRow(operator(folder, x, gamma), 0, "")
    with pytest.raises(ShapeError, match=message):
        row.inputs(first, **({} if second is None else {"gamma": second}))


def test_inputs_that_do_not_exist(folder: Path) -> None:
    op = operator(folder, "any", "any")
    with pytest.raises(ShapeError, match=r"scale has the inputs x, gamma, bias, got 'z'") as caught:
        Shapes(op, (1, 2), {"z": (1,)})
    assert caught.value.name == "z"
    row = OperatorRow(op, 0, "", lambda *_: {"z": 1})
    with pytest.raises(CanneryError, match=r"test_inputs: inputs: scale has .* got 'z'"):
        row.inputs((1, 2), gamma=(3, 4))


def test_too_many_dimensions(folder: Path) -> None:
    row = OperatorRow(operator(folder, "any", "any"), 0, "")
    with pytest.raises(ValueError, match=r"rest: expected at most 7 extents, .* got 9"):
        row.shape("tail", {}, (1,) * 9)
    with pytest.raises(ValueError, match="x: expected at most 64 dimensions, got 65"):
        row.inputs((1,) * 65)
    assert row.inputs((1,) * 9)["x"].ndim == 9  # the operator itself refuses such an array


def test_inputs_with_the_names_of_parameters(tmp_path: Path) -> None:
    """Inputs may have the names of the parameters of operator_row's functions."""
    names = ["shape", "seed", "self", "tiles", "rest", "attrs", "shapes"]
    inputs = [{"name": name, "type": ["float"], "param_type": "optional"} for name in names]
    inputs[0]["param_type"] = "required"
    make(tmp_path / "p", [{"op": "Names", "input_desc": inputs, **OUTPUT}], "p")
    ((source, proto),) = load_prototypes(tmp_path / "p/op_proto")
    row = OperatorRow(model_of(source, proto), 0, "")
    made = row.inputs((2, 3), 1, **dict.fromkeys(names[1:], (4,)))
    assert {name: each.shape for name, each in made.items()} == {
        "shape": (2, 3),
        **dict.fromkeys(names[1:], (4,)),
    }
    # The project is not built, so shape() raises NotBuiltError.
    with pytest.raises(NotBuiltError, match="run `cannery build`"):
        row.shape("tail", {}, (7,), **dict.fromkeys(names[1:], (4,)))
    operators: Any = SimpleNamespace(find=lambda _: lambda *given: None)
    call = NamedOperator(operators, json.loads(row.op.to_json()))
    assert call(**made).shape == (2, 3)
