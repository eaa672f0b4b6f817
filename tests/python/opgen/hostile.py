# SPDX-License-Identifier: Apache-2.0
"""Prototypes whose texts try to leave the place where the generator writes them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

#: Pieces that end a literal, a comment, a line or a table cell in one of the languages.
PIECES = (
    *(
        '"',
        "'",
        '"""',
        "'''",
        "\\",
        "\\\\",
        "\\n",
        "\n",
        "\t",
        "\r",
        "\x01",
        "\x7f",
        "\x85",
        "\u2028",
    ),
    *(
        "??/",
        "???",
        "?",
        "*/",
        "/*",
        "//",
        "/",
        "*",
        ";",
        ")",
        "(",
        "#",
        "$",
        "${x}",
        "$(id)",
        "`",
        "``",
    ),
    *(
        "]]",
        "]=]",
        "]==]",
        "]",
        "|",
        "\\|",
        "<b>",
        "</script>",
        "<!--",
        "<",
        "{{ x }}",
        "{% x %}",
        "%",
    ),
    *(
        "x', __import__('os').system('id') or 'y",
        '"); system("id"); ("',
        "é",
        "字",
        "😀",
        " ",
        "a",
        "",
    ),
)
#: Texts of any characters that a C string can hold.
texts = st.lists(
    st.one_of(
        st.sampled_from(PIECES),
        st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=3),
    ),
    max_size=8,
).map("".join)
#: Texts for one line of a prototype; `sentences` end with a full stop.
lines = texts.map(lambda text: "".join(c for c in text if _in_line(c)) or "a").filter(
    lambda line: (
        line.strip() and not re.search(r"\{\w+\}", line)
    )  # {name} in a text stands for a limit of the prototype
)
sentences = lines.map(lambda line: f"{line}.")
defaults = {
    "int": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "bool": st.booleans(),
    "string": texts,
    "list_int": st.lists(st.integers(-(2**63), 2**63 - 1), max_size=3),
}


def _in_line(character: str) -> bool:
    code = ord(character)
    return 0x20 <= code < 0x7F or (code > 0x9F and character not in "\u2028\u2029")


@st.composite
def prototypes(draw: st.DrawFn) -> dict[str, Any]:
    """Draws a valid prototype; HARMLESS has the same keys, but plain texts."""
    return _prototype(
        lambda: draw(sentences), lambda: draw(lines), lambda kind: draw(defaults[kind])
    )


def _prototype(
    sentence: Callable[[], str], line: Callable[[], str], default: Callable[[str], Any]
) -> dict[str, Any]:
    tensor = {"param_type": "required", "dtypes": ["float32"]}
    attrs = [
        {"name": f"attr_{kind}", "type": kind, "param_type": "optional", "default": default(kind)}
        for kind in defaults
    ]
    return {
        "type": "Hostile",
        "category": "custom",
        "socs": ["ascend910b"],
        "summary": sentence(),
        "doc": f"Doc: {line()}\n",
        "notes": f"Notes: {line()}\n",
        "time": f"Time: {line()}\n",
        "input": [{"name": "x", **tensor, "shape": line(), "doc": sentence()}],
        "attr": [{**attr, "doc": sentence()} for attr in attrs],
        "output": [{"name": "y", **tensor, "shape": line(), "doc": sentence()}],
        "limit": [{"name": "most", "value": 8, "doc": sentence()}],
        "formula": [
            {"name": "half", "args": ["n"], "value": "n // 2", "when": "n > 1", "doc": sentence()}
        ],
        "rule": [{"when": line(), "status": 161002}],
        "entry": [
            {
                "suffix": "V2",
                "doc": f"Entry: {line()}",
                "param": [
                    {"name": "z", "after": "x", "type": "const aclTensor *", "doc": sentence()}
                ],
                "rule": [{"when": line(), "status": 161001}],
            }
        ],
    }


def pages_texts(proto: dict[str, Any]) -> list[str]:
    """Returns those texts of a prototype that the operator's page contains as Markdown."""
    texts = [proto["doc"], proto["notes"], proto["time"], proto["entry"][0]["doc"]]
    return [text.strip() for text in texts]


_PLAIN = {"int": 7, "float": 1.0, "bool": True, "string": "a", "list_int": [7]}
HARMLESS = _prototype(lambda: "a.", lambda: "a.", lambda kind: _PLAIN[kind])


#: Names for the JSON of msopgen: many are valid, the others are almost valid.
names = st.one_of(
    st.from_regex(r"[a-zA-Z][a-zA-Z0-9]{0,3}(_[a-zA-Z0-9]{1,3})?", fullmatch=True),
    st.sampled_from(
        (
            *("None", "tuple", "list", "print", "self", "class", "lambda", "std", "main", "NULL"),
            *("x\n", " x", "x ", "a b", "_x", "x__y", "é", "1x", "x;", "x()", '"', "{{ x }}", ""),
        )
    ),
)


@st.composite
def msopgen_files(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Draws a JSON file with one operator. `cannery new` may refuse the file."""
    kinds = st.sampled_from(("float", "half", "int8", "bool", "x\n", '"'))

    def tensor() -> dict[str, Any]:
        return {"name": draw(names), "type": [draw(kinds)], "format": ["ND"]}

    kind = draw(st.sampled_from(tuple(defaults)))
    attr = {"name": draw(names), "type": kind, "param_type": "optional"}
    attr["default_value"] = draw(st.one_of(defaults[kind], texts))
    return [
        {
            "op": draw(
                st.sampled_from(("AddOne", "Tuple", "Op2", "Add\n", "Add-One", "std", "A;"))
            ),
            "language": "cpp",
            "input_desc": [tensor() for _ in range(draw(st.integers(1, 2)))],
            "output_desc": [tensor()],
            "attr": [attr] if draw(st.booleans()) else [],
        }
    ]
