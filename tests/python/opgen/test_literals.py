# SPDX-License-Identifier: Apache-2.0
"""A value that goes into a generated file is a literal there, whatever it contains."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from cannery.compile.hazard_comments import quoted
from cannery.opgen import literals, msopgen, scaffold
from cannery.opgen.build import build
from cannery.opgen.loader import PrototypeError, tomllib
from cannery.opgen.render import Renderer
from cannery.opgen.rules import check
from cannery.profiling.page_html import render_page

from . import shapes
from .hostile import HARMLESS, defaults, lines, msopgen_files, pages_texts, prototypes, texts

COMPILER = os.environ.get("CXX") or shutil.which("g++") or "c++"
#: Enough examples for a test that starts a program for each list of texts.
FEW = settings(max_examples=5)
many_texts = st.lists(texts, min_size=30, max_size=60)
values = st.one_of(*defaults.values(), st.none(), st.tuples(texts), st.dictionaries(texts, texts))


@given(values)
def test_python_literals(value: Any) -> None:
    assert ast.literal_eval(literals.python(value)) == value


@given(texts)
def test_python_docstrings(text: str) -> None:
    source = f'def f():\n    """{literals.python_docstring(text)}\n\n    The end.\n    """\n'
    assert shapes.python(source) == shapes.python('def f():\n    """a"""\n')
    assert ast.literal_eval(f'"""{literals.python_docstring(text)}"""') == text


@given(many_texts)
@FEW
def test_cpp_literals(tmp_path_factory: pytest.TempPathFactory, given_texts: list[str]) -> None:
    folder = tmp_path_factory.mktemp("cpp")
    lines_of = [
        f"// {comment}\n{literals.cpp(text)},  /* {comment} */\n"
        for text in given_texts
        for comment in [literals.cpp_comment(text)]
    ]
    asm = "".join(f'    ".asciz \\"{quoted(text)}\\"\\n"\n' for text in given_texts)
    source = folder / "literals.cpp"
    source.write_text(
        f"#include <cstdio>\nconst char* const kTexts[] = {{\n{''.join(lines_of)}}};\n"
        f'extern "C" const char texts[];\nasm(".pushsection .rodata\\ntexts:\\n"\n{asm}'
        f'    ".popsection");\n'
        "int main() {\n"
        "    for (const char* text : kTexts) { std::fputs(text, stdout); std::putchar(0); }\n"
        "    const char* text = texts;\n"
        "    for (auto unused : kTexts) {\n"
        "        (void)unused;\n"
        "        while (*text != 0) { std::putchar(*text++); }\n"
        "        std::putchar(*text++);\n"
        "    }\n"
        "}\n",
        "utf-8",
    )
    program = folder / "program"
    command = [COMPILER, "-std=c++11", "-Wall", "-Werror", "-Wno-trigraphs", "-Wno-bidi-chars"]
    done = subprocess.run(
        [*command, str(source), "-o", str(program)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = subprocess.run([str(program)], capture_output=True, check=True).stdout
    assert printed.decode() == "".join(f"{text}\0" for text in given_texts * 2)


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (-1, "-1"),
        (1.0, "1.0f"),
        (1e-6, "1e-06f"),
        (False, "false"),
        (True, "true"),
        ("TND", '"TND"'),
        ([0, 1], "{0, 1}"),
        (-(2**63), "(-9223372036854775807 - 1)"),
        ('it"s', '"it\\"s"'),
        ("??/", '"?\\?/"'),
    ],
)
def test_cpp_literals_look_as_a_person_writes_them(value: object, literal: str) -> None:
    assert literals.cpp(value) == literal


def test_an_include_cannot_name_every_file() -> None:
    assert literals.cpp_include(Path("a b/c.h")) == '#include "a b/c.h"\n'
    with pytest.raises(ValueError, match=r'a"b.h: no #include can spell this name; rename'):
        literals.cpp_include(Path('a"b.h'))


@given(many_texts)
@FEW
def test_cmake_arguments(tmp_path_factory: pytest.TempPathFactory, given_texts: list[str]) -> None:
    # CMake reads a line end of Windows as a line end.
    given_texts = [text.replace("\r", "") for text in given_texts]
    script = tmp_path_factory.mktemp("cmake") / "script.cmake"
    script.write_text(
        "".join(
            f'string(HEX {literals.cmake(text)} hex)\nmessage(STATUS "<${{hex}}>")\n'
            for text in given_texts
        ),
        "utf-8",
    )
    cmake = shutil.which("cmake", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    done = subprocess.run(
        [str(cmake), "-P", str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = [line[4:-1] for line in done.stdout.splitlines()]
    assert [bytes.fromhex(text).decode() for text in printed] == given_texts


@given(many_texts)
@FEW
def test_shell_words(given_texts: list[str]) -> None:
    words = " ".join(map(literals.shell, given_texts))
    done = subprocess.run(
        ["sh", "-c", f"printf '%s\\001' {words}"], capture_output=True, check=True
    )
    assert done.stdout.decode() == "".join(f"{text}\1" for text in given_texts)


@given(st.dictionaries(st.sampled_from("abc"), st.one_of(*defaults.values())), texts)
def test_toml_values(table: dict[str, Any], text: str) -> None:
    written = "".join(f"{key} = {literals.toml(value)}\n" for key, value in table.items())
    written += f"doc = {literals.toml_lines(text)}\n"
    # A TOML reader may change an unescaped \r\n to \n; therefore toml_lines escapes each \r.
    assert tomllib.loads(written) == {**table, "doc": text}


@given(lines)
def test_markdown_cells(text: str) -> None:
    for cell in (literals.markdown_cell(text), literals.markdown_code(text)):
        assert shapes.markdown(f"| a | {cell} | b |") == [("row", 4)]


@given(prototypes())
def test_generated_files_have_the_same_form_for_every_text(proto: dict[str, Any]) -> None:
    assert check(proto, "hostile") == []
    drawn, plain = _files_of(proto), _harmless_files()
    assert drawn.keys() == plain.keys()
    for path, text in drawn.items():
        if path.endswith((".h", ".cpp")):
            assert shapes.cpp(text) == shapes.cpp(plain[path]), path
        elif path.endswith(".py"):
            assert shapes.python(text) == shapes.python(plain[path]), path
        elif path.endswith(".md"):
            page = text
            for own, harmless in zip(pages_texts(proto), pages_texts(HARMLESS), strict=True):
                assert own in page or path == "operators.md"
                page = page.replace(own, harmless)
            assert shapes.markdown(page) == shapes.markdown(plain[path]), path
        elif path.endswith(".json"):
            assert _form(json.loads(text)) == _form(json.loads(plain[path])), path
        else:
            assert text == plain[path], path


@cache
def _harmless_files() -> dict[str, str]:
    return _files_of(HARMLESS)


@given(msopgen_files())
def test_a_file_of_msopgen_is_refused_or_becomes_a_project_that_parses(
    tmp_path_factory: pytest.TempPathFactory, entries: list[dict[str, Any]]
) -> None:
    source = tmp_path_factory.getbasetemp() / "drawn.json"
    source.write_text(json.dumps(entries), "utf-8")
    try:
        protos = msopgen.read(source, ["ascend910b"])
        files = scaffold.project_files([*protos], "my_ops", source.parent / "no_common")
    except (PrototypeError, scaffold.ScaffoldError):
        event("refused")
        return
    assert {"CMakeLists.txt", "README.md", ".github/workflows/test.yml"} <= files.keys()
    for path, text in files.items():
        if path.endswith((".h", ".cpp")):
            shapes.cpp(text)
        elif path.endswith(".py"):
            ast.parse(text)
        elif path.endswith(".toml"):
            tomllib.loads(text)


def _files_of(proto: dict[str, Any]) -> dict[str, str]:
    """Returns the files of a new operator with this prototype, and the files of its build."""
    op = build("op_proto/hostile.toml", proto)
    made = dict(Renderer([op], whole_project=True).render())
    return made | {
        f"project/{path}": text for path, text in scaffold.operator_files(op, "", "my_ops")
    }


def _form(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _form(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_form(item) for item in value if not isinstance(item, int)]
    return None


@given(prototypes())
def test_a_prototype_comes_back_from_its_toml(proto: dict[str, Any]) -> None:
    # A prototype that `cannery new` writes has only these keys.
    parts = ("type", "category", "socs", "summary", "doc", "input", "attr", "output", "rule")
    kept = {key: proto[key] for key in parts}
    assert tomllib.loads(scaffold.toml_text(kept)) == kept


def test_the_page_of_a_launch_has_the_same_elements_for_every_text(root: Path) -> None:
    data = json.loads((root / "docs/profiles/swi_glu_grad.json").read_text())
    hostile = "</script><b onclick='x'>\"{{ 1 }}<!-- ]]>&lt;"
    data["launch"]["kernel"] = data["advice"]["what"] = data["advice"]["do"] = "a"
    for file in data["files"]:
        file |= {"name": "a", "path": "a"}
        for line in file["lines"]:
            line["text"] = "a"
    plain = shapes.html(render_page(data))
    data["launch"]["kernel"] = data["advice"]["what"] = data["advice"]["do"] = hostile
    for file in data["files"]:
        file |= {"name": hostile, "path": hostile}
        for line in file["lines"]:
            line["text"] = hostile
    data["timeline"]["kernel"] = hostile
    assert shapes.html(render_page(data)) == plain


@pytest.mark.parametrize(
    "default", ['it"s', "x', __import__('os').system('id') or 'y", "a\\", "??/", "\x01\n"]
)
def test_a_default_is_data_in_every_language(default: str) -> None:
    attr = {"name": "mode", "type": "string", "param_type": "optional", "default": default}
    tensor = {"param_type": "required", "dtypes": ["float32"], "shape": "any", "doc": "A."}
    proto = {
        "type": "Hostile",
        "category": "custom",
        "socs": ["ascend910b"],
        "summary": "A.",
        "doc": "A.\n",
        "attr": [{**attr, "doc": "A."}],
        "input": [{"name": "x", **tensor}],
        "output": [{"name": "y", **tensor}],
    }
    files = _files_of(proto)
    found = [
        node.args.defaults[0].value  # type: ignore[attr-defined]
        for path in ("ops", "golden")
        for node in ast.walk(ast.parse(files[f"project/python/my_ops/{path}/hostile.py"]))
        if isinstance(node, ast.FunctionDef)
    ]
    assert found == [default, default]
    assert f".String({literals.cpp(default)})" in files["op_host/hostile_def.cpp"]
