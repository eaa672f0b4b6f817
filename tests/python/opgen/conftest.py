# SPDX-License-Identifier: Apache-2.0
"""Fixtures with the generated tree, and with a prototype folder that a test may change."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the tree that is generated from the project's prototypes."""
    from cannery.opgen.cli import main

    out = tmp_path_factory.mktemp("generated")
    assert main(["--proto", str(ROOT / "op_proto"), "--out", str(out)]) == 0
    return out


@pytest.fixture
def proto_dir(tmp_path: Path) -> Path:
    """Returns a copy of op_proto, which a test may change."""
    return Path(shutil.copytree(ROOT / "op_proto", tmp_path / "op_proto"))
