# SPDX-License-Identifier: Apache-2.0
"""Tests installations and removals that fail, are killed, or run at the same time."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from .conftest import Make
from .vendor_tree import contents, install


def fake(folder: Path, tool: str, script: str) -> str:
    """Returns a PATH on which `tool` is a script. In the script, $real is the real tool."""
    folder.mkdir(exist_ok=True)
    (folder / tool).write_text(f"#!/bin/sh\nreal={shutil.which(tool)}\n{script}\n")
    (folder / tool).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


#: Replacements of `cp`. Each makes a part of a package, then fails or sends its caller a signal.
BREAKS = {
    "disk full": 'mkdir -p "$3/op_api"; echo "No space left on device" >&2; exit 1',
    "terminated": 'mkdir -p "$3/op_api"; kill -TERM $PPID; sleep 0.2',
    "interrupted": 'mkdir -p "$3/op_api"; kill -INT $PPID; sleep 0.2',
    "killed": 'mkdir -p "$3/op_api"; kill -KILL $PPID; sleep 0.2',
}


@pytest.mark.parametrize("how", BREAKS)
def test_an_interrupted_copy(make: Make, tmp_path: Path, how: str) -> None:
    old, new = make(version="1.0.0"), make(version="2.0.0")
    path = fake(tmp_path / "bin", "cp", BREAKS[how])
    target = tmp_path / "target"
    install(new, f"--install-path={target}", path=path, status=None)
    assert target.exists() == (how == "killed")
    install(old, f"--install-path={target}")
    before = contents(target)
    said = install(new, f"--install-path={target}", path=path, status=None)
    assert "installed" not in said
    after = contents(target)
    assert {name: after.get(name) for name in before} == before
    if how != "killed":
        assert after == before
    install(new, f"--install-path={target}")
    assert {each.name for each in (target / "vendors").iterdir()} == {"alpha"}
    assert (target / "vendors/alpha/op_api/lib/libcust_opapi.so").read_bytes() == b"api 2.0.0"


@pytest.mark.parametrize("which", [1, 2, 3])
@pytest.mark.parametrize("how", ["fails", "killed"])
def test_a_rename_that_does_not_happen(make: Make, tmp_path: Path, which: int, how: str) -> None:
    """An upgrade renames the old package, the new one and config.ini. The test stops the upgrade
    at each of these three renames."""
    old, new = make(version="1.0.0"), make(version="2.0.0")
    opp = tmp_path / "opp"
    install(make("beta"), opp=opp)
    install(old, opp=opp)
    before = contents(opp)
    end = "exit 1" if how == "fails" else "kill -KILL $PPID; exit 1"
    count = f'n=$(cat "{tmp_path}/n" 2>/dev/null || echo 0); echo $((n + 1)) >"{tmp_path}/n"'
    path = fake(
        tmp_path / "bin",
        "mv",
        f'{count}\nif [ "$n" -eq {which - 1} ]; then {end}; fi\n"$real" "$@"',
    )
    install(new, opp=opp, path=path, status=None)
    if how == "fails":
        assert contents(opp) == before
        return
    # The next run repairs the package, even if it installs nothing or another vendor's package.
    if which == 1:
        install(make("beta"), opp=opp)
    else:
        assert "which is newer" in install(make(version="0.5.0"), opp=opp, status=1)
    library = opp / "vendors/alpha/op_api/lib/libcust_opapi.so"
    assert library.read_bytes() == (b"api 2.0.0" if which == 3 else b"api 1.0.0")
    assert {each.name for each in (opp / "vendors").iterdir()} == {"alpha", "beta", "config.ini"}


def test_two_at_once(make: Make, tmp_path: Path) -> None:
    """During an installation, a second one is refused, as every installation writes config.ini."""
    package = make()
    wait = f'while [ ! -e "{tmp_path}/go" ]; do sleep 0.05; done'
    path = fake(tmp_path / "bin", "cp", f'"$real" "$@"; touch "{tmp_path}/copied"; {wait}')
    where = f"--install-path={tmp_path / 'target'}"
    environment = {**os.environ, "PATH": path}
    with subprocess.Popen(["sh", package, where], env=environment, text=True) as first:
        try:
            while not (tmp_path / "copied").exists() and first.poll() is None:
                time.sleep(0.05)
            for each in (package, make("beta")):
                said = install(each, where, status=1)
                assert "is at work in " in said
                assert f"remove {tmp_path / 'target/vendors/.custom_opp.lock'}" in said
        finally:
            (tmp_path / "go").touch()
    assert first.returncode == 0
    install(package, where)


@pytest.mark.slow
def test_the_lock_of_a_killed_one_goes_to_one(make: Make, tmp_path: Path) -> None:
    """Only one of several programs gets the lock of a killed program. Otherwise, a program could
    remove another program's new lock."""
    package = make()
    vendors = tmp_path / "target" / "vendors"
    install(package, f"--install-path={tmp_path / 'target'}")
    # The removal of the old lock takes long here, so all programs find the old lock.
    script = 'case "$*" in *custom_opp.lock) sleep 0.3 ;; esac\n"$real" "$@"'
    environment = {**os.environ, "PATH": fake(tmp_path / "bin", "rm", script)}
    dead = subprocess.Popen(["true"])
    dead.wait()
    for _ in range(3):
        (vendors / ".custom_opp.lock").symlink_to(str(dead.pid))
        command = ["sh", str(package), "--quiet", f"--install-path={tmp_path / 'target'}"]
        started = [
            subprocess.Popen(command, env=environment, text=True, stderr=subprocess.PIPE)
            for _ in range(6)
        ]
        said = [process.communicate()[1] for process in started]
        codes = [process.returncode for process in started]
        assert 0 in codes
        assert all(code == 0 or "is at work in " in s for code, s in zip(codes, said, strict=True))
        assert {each.name for each in vendors.iterdir()} == {"alpha"}


@pytest.mark.parametrize("which", [1, 2])
def test_a_removal_that_fails(make: Make, tmp_path: Path, which: int) -> None:
    """A removal renames the package and config.ini. If one of these renames fails, everything is as
    it was before."""
    opp = tmp_path / "opp"
    install(make("beta"), opp=opp)
    install(make("alpha"), opp=opp)
    before = contents(opp)
    count = f'n=$(cat "{tmp_path}/n" 2>/dev/null || echo 0); echo $((n + 1)) >"{tmp_path}/n"'
    script = f'{count}\nif [ "$n" -eq {which - 1} ]; then exit 1; fi\n"$real" "$@"'
    path = fake(tmp_path / "bin", "mv", script)
    said = install(make("alpha"), "--uninstall", opp=opp, path=path, status=1)
    assert "permissions" in said
    assert contents(opp) == before


def test_a_removal_that_is_killed(make: Make, tmp_path: Path) -> None:
    """After a killed removal, the next run does not restore a part of the removed package."""
    opp = tmp_path / "opp"
    install(make("beta"), opp=opp)
    install(make("alpha"), opp=opp)
    script = (
        'for each in "$@"; do case $each in *.gone.alpha) "$real" -rf "$each/op_api"; '
        'kill -KILL $PPID; exit 1 ;; esac; done\n"$real" "$@"'
    )
    path = fake(tmp_path / "bin", "rm", script)
    install(make("alpha"), "--uninstall", opp=opp, path=path, status=None)
    assert not (opp / "vendors/alpha").exists()
    assert (opp / "vendors/config.ini").read_text() == "load_priority=beta\n"
    install(make("beta"), opp=opp)
    assert {each.name for each in (opp / "vendors").iterdir()} == {"beta", "config.ini"}


def test_a_killed_first_installation_leaves_nothing_for_ever(make: Make, tmp_path: Path) -> None:
    """A killed installation cannot remove the folders that it made. The next installation removes
    these folders if it fails, or when its package is uninstalled."""
    target = tmp_path / "not" / "there"
    where = f"--install-path={target}"
    for end in ("fails", "removed"):
        path = fake(tmp_path / "bin", "cp", BREAKS["killed"])
        install(make(), where, path=path, status=None)
        assert target.is_dir()
        if end == "fails":
            path = fake(tmp_path / "bin", "cp", BREAKS["disk full"])
            install(make(), where, path=path, status=1)
        else:
            install(make(), where)
            assert {each.name for each in (target / "vendors").iterdir()} == {"alpha"}
            install(make(), where, "--uninstall")
        assert not (tmp_path / "not").exists()


@pytest.mark.parametrize("tool", ["cp", "tar"])
def test_a_full_disk_is_one_sentence(make: Make, tmp_path: Path, tool: str) -> None:
    lines = "; ".join(f'echo "{tool}: file {i}: No space left on device" >&2' for i in range(99))
    path = fake(tmp_path / "bin", tool, f"{lines}; exit 1")
    target = tmp_path / "target"
    said = install(make(), f"--install-path={target}", path=path, status=1).splitlines()
    assert "free space" in said[0]
    assert said[1:] == [f"  {tool}: file 0: No space left on device"]
    assert not target.exists()


def test_a_removal_without_permission_changes_nothing(make: Make, open_folder: Path) -> None:
    """To remove a file, an ordinary user must be allowed to write the file's folder."""
    package = Path(shutil.copy(make(), open_folder))
    opp = open_folder / "opp"
    opp.mkdir()
    opp.chmod(0o777)
    # Root can remove everything, so a test that runs as root starts the script as another user.
    user = 65534 if os.geteuid() == 0 else None
    install(package, opp=opp, user=user)
    fixed = opp / "vendors/alpha/op_api/lib"
    fixed.chmod(0o555)
    before = contents(opp)
    said = install(package, "--uninstall", opp=opp, user=user, status=1)
    assert f"because {fixed} cannot be written" in said
    assert "Nothing was changed" in said
    assert contents(opp) == before
    fixed.chmod(0o755)
    install(package, "--uninstall", opp=opp, user=user)
    assert contents(opp) == {}


def test_a_removal_that_stops_in_the_middle(make: Make, tmp_path: Path) -> None:
    """If the script cannot remove all files, it still removes its lock, and an error names the
    folder that is left. Later runs work."""
    opp = tmp_path / "opp"
    install(make("beta"), opp=opp)
    install(make("alpha"), opp=opp)
    script = (
        'for each in "$@"; do case $each in *.gone.alpha) "$real" -rf "$each/op_api"; '
        'echo busy >&2; exit 1 ;; esac; done\n"$real" "$@"'
    )
    path = fake(tmp_path / "bin", "rm", script)
    said = install(make("alpha"), "--uninstall", opp=opp, path=path, status=1)
    gone = opp / "vendors/.custom_opp.gone.alpha"
    want = f"cannot remove {gone}, which no program uses; check its permissions and remove it"
    assert said.splitlines() == [f"custom_opp: {want}"]
    assert (opp / "vendors/config.ini").read_text() == "load_priority=beta\n"
    assert {each.name for each in (opp / "vendors").iterdir()} == {"beta", "config.ini", gone.name}
    assert want in install(make("beta"), opp=opp, path=path)
    install(make("beta"), opp=opp)
    assert {each.name for each in (opp / "vendors").iterdir()} == {"beta", "config.ini"}
