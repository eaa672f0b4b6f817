# SPDX-License-Identifier: Apache-2.0
"""Messages must be printed as they are, without the markup of the library that prints them."""

from __future__ import annotations

import pytest

from cannery.cli import output
from cannery.errors import CanneryError


def test_errors_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    message = "op_host/add.cpp:100: [bold]expected[/bold] a name :smile:"
    output.print_error(CanneryError(message), as_json=False)
    assert capsys.readouterr().err == f"error: {message}\n"
