# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery docs` and `cannery explain`: the pages that messages name are installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cannery
from cannery._status_names import STATUS_NAMES
from cannery.cli import docs, explain

OURS = Path(cannery.__file__).parent


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("161002", ["161002 ACLNN_ERR_PARAM_INVALID", "AclnnError"]),
        ("507035", ["KernelError", "cannery explain T103"]),
        ("100000", ["cannery.AclError"]),
        ("ACLNN_ERR_PARAM_INVALID", ["161002 ACLNN_ERR_PARAM_INVALID"]),
    ],
)
def test_a_status(code: str, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    explain.show(code, as_json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert all(word in said for word in words), said


def test_every_status_and_no_other_number(capsys: pytest.CaptureFixture[str]) -> None:
    for status, name in STATUS_NAMES.items():
        explain.show(str(status), as_json=False)
        assert capsys.readouterr().out.startswith(f"{status} {name}\n")
    with pytest.raises(ValueError, match="T107 or a status such as 161002, got '161999'"):
        explain.show("161999", as_json=False)


def test_pages_that_messages_name_are_there() -> None:
    known = docs.pages()
    sources = [path.read_text("utf-8") for path in OURS.rglob("*.py")]
    named = {name for text in sources for name in re.findall(r"docs/([\w/-]+)\.md\b", text)}
    assert len(named) > 3
    assert named <= set(known), named - set(known)


def test_a_page_by_its_name_or_as_messages_write_it(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("packages", "docs/packages.md"):
        docs.show(name, as_json=False)
        assert capsys.readouterr().out == docs.pages()["packages"].read_text("utf-8")


def test_a_folder_is_its_first_page(capsys: pytest.CaptureFixture[str]) -> None:
    docs.show("tutorial", as_json=False)
    assert capsys.readouterr().out == docs.pages()["tutorial/README"].read_text("utf-8")


def test_a_kernel_of_the_tutorial(capsys: pytest.CaptureFixture[str]) -> None:
    docs.show("tutorial/softmax.cpp", as_json=False)
    source = capsys.readouterr().out
    assert source == docs.kernels()["tutorial/softmax.cpp"].read_text("utf-8")
    assert "__global__" in source
    assert len(docs.kernels()) == 7
    assert not set(docs.kernels()) & set(docs.pages())


def test_all_pages_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    docs.show(None, as_json=False)
    said = capsys.readouterr().out
    assert "twin-semantics/cube" in said
    assert "Errors of the twin" in said
    assert "<!--" not in said


def test_a_page_that_is_none() -> None:
    with pytest.raises(ValueError, match=r"PAGE: expected one of .*errors.*, got 'errers'"):
        docs.show("errers", as_json=False)


def test_pages_for_a_browser(capsys: pytest.CaptureFixture[str]) -> None:
    docs.show("profiles/swi_glu_grad.html", as_json=False)
    assert capsys.readouterr().out == docs.profiles()["profiles/swi_glu_grad"].read_text("utf-8")
    docs.show(None, as_json=False)
    assert re.search(r"swi_glu_grad: \d+ µs modelled, for a", capsys.readouterr().out)
