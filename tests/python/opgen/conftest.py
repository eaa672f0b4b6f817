# SPDX-License-Identifier: Apache-2.0
"""Makes the generator and test helpers importable, and gives tests their own prototype folder."""

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
    """Returns the generated tree of the project's prototypes."""
    from cannery.opgen.cli import main

    out = tmp_path_factory.mktemp("generated")
    assert main(["--proto", str(ROOT / "op_proto"), "--out", str(out)]) == 0
    return out


@pytest.fixture
def proto_dir(tmp_path: Path) -> Path:
    """Returns a copy of op_proto that a test may break."""
    return Path(shutil.copytree(ROOT / "op_proto", tmp_path / "op_proto"))
