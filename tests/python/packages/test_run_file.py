# SPDX-License-Identifier: Apache-2.0
"""The file that installs a package: what it promises, and that a failure leaves what was there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cannery.package import pack

from .vendor_tree import contents, install, make_tree

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """make(vendor, version): a small package that installs itself."""

    def make_one(vendor: str = "alpha", version: str = "1.2.0", **info: str) -> Path:
        tree = make_tree(tmp_path / f"built-{version}" / vendor, version=version, **info)
        return pack(tree, tmp_path / f"out-{vendor}-{version}")

    return make_one


def test_install_and_uninstall_leave_nothing(make: Make, tmp_path: Path) -> None:
    before = contents(tmp_path / "target")
    target = tmp_path / "target" / "not" / "there"
    said = install(make(), f"--install-path={target}")
    final = target / "vendors" / "alpha"
    assert f"installed vendor alpha, version 1.2.0, in {final}" in said
    assert (final / "op_api/lib/libcust_opapi.so").read_bytes() == b"api 1.2.0"
    assert (final / "bin/set_env.bash").is_file()
    assert (final / "op_impl/ai_core/tbe/op_tiling/liboptiling.so").is_symlink()
    assert not (target / "vendors/config.ini").exists()
    assert {path.name for path in (target / "vendors").iterdir()} == {"alpha"}
    subprocess.run(["sh", final / "scripts/uninstall.sh"], check=True)
    assert contents(tmp_path / "target") == before
    # What was there before stays.
    target.mkdir(parents=True)
    install(make(), f"--install-path={target}")
    assert "removed vendor alpha" in install(make(), f"--install-path={target}", "--uninstall")
    assert target.is_dir()
    assert contents(target) == {}


def test_the_environment_script(make: Make, tmp_path: Path) -> None:
    target = tmp_path / 'it\'s a "place" $(x) ä中'
    install(make(), f"--install-path={target}")
    final = target / "vendors/alpha"
    show = 'printf "%s\\n" "$ASCEND_CUSTOM_OPP_PATH" "$LD_LIBRARY_PATH"'
    for before, behind in (
        ({}, ""),
        ({"LD_LIBRARY_PATH": "/l", "ASCEND_CUSTOM_OPP_PATH": "/c"}, ":/"),
    ):
        done = subprocess.run(
            ["bash", "-euc", f'. "$1"; {show}', "bash", final / "bin/set_env.bash"],
            env={"PATH": os.environ["PATH"], **before},
            capture_output=True,
            text=True,
            check=True,
        )
        custom, libraries = done.stdout.splitlines()
        assert custom == f"{final}{behind}{'c' if behind else ''}"
        assert libraries == f"{final}/op_api/lib{behind}{'l' if behind else ''}"
    subprocess.run(["sh", final / "scripts/uninstall.sh"], check=True)
    assert not target.exists()


def test_vendors_in_config_ini(make: Make, tmp_path: Path) -> None:
    opp = tmp_path / "opp"
    config = opp / "vendors" / "config.ini"
    alpha, beta = make("alpha"), make("beta")
    install(alpha, opp=opp)
    assert config.read_text() == "load_priority=alpha\n"
    install(beta, opp=opp)
    assert config.read_text() == "load_priority=beta,alpha\n"
    install(alpha, "--upgrade", opp=opp)
    assert config.read_text() == "load_priority=beta,alpha\n"
    install(alpha, opp=opp)
    assert config.read_text() == "load_priority=alpha,beta\n"
    config.write_text("# by hand\n load_priority = gamma , beta,alpha\r\nother=1\n")
    install(beta, opp=opp)
    assert config.read_text() == "# by hand\nload_priority=beta,gamma,alpha\nother=1\n"
    subprocess.run(["sh", opp / "vendors/beta/scripts/uninstall.sh"], check=True)
    assert config.read_text() == "# by hand\nload_priority=gamma,alpha\nother=1\n"
    config.write_text("load_priority=alpha\n")
    subprocess.run(["sh", opp / "vendors/alpha/scripts/uninstall.sh"], check=True)
    assert not opp.exists()


def test_where_it_goes(make: Make, tmp_path: Path) -> None:
    package = make()
    one, two = tmp_path / "one", tmp_path / "two"
    install(package, custom=str(one), opp=two)
    assert (one / "vendors/alpha").is_dir()
    assert not two.exists()
    # As set_env.bash sets it: the folder of the package itself.
    install(package, custom=f"/elsewhere/vendors/beta:{one}/vendors/alpha:")
    assert not (one / "vendors/alpha/vendors").exists()
    said = install(package, custom=f"{one}:{two}", status=1)
    assert "names 2 folders" in said
    assert "--install-path=FOLDER" in install(package, status=1)
    assert "absolute path" in install(package, "--install-path=here", status=1)
    assert "':'" in install(package, f"--install-path={tmp_path}/a:b", status=1)
    assert "unknown option --instal" in install(package, "--instal", status=1)
    assert "expected --install-path=FOLDER" in install(package, "--install-path", "/x", status=1)
    assert not (tmp_path / "a:b").exists()


def test_versions(make: Make, tmp_path: Path) -> None:
    where = f"--install-path={tmp_path / 'target'}"
    old, new = make(version="1.9.0"), make(version="1.10.0")
    assert "no vendor alpha" in install(new, where, "--upgrade", status=1)
    assert not (tmp_path / "target").exists()
    install(old, where)
    install(new, where, "--upgrade")
    before = contents(tmp_path / "target")
    for options in ((where,), (where, "--upgrade")):
        said = install(old, *options, status=1)
        assert "has version 1.10.0, which is newer than 1.9.0; --force" in said
        assert contents(tmp_path / "target") == before
    install(old, where, "--force")
    library = tmp_path / "target/vendors/alpha/op_api/lib/libcust_opapi.so"
    assert library.read_bytes() == b"api 1.9.0"
    install(old, where)


@pytest.mark.parametrize("everybody", [True, False])
def test_who_may_read_it(make: Make, open_folder: Path, everybody: bool) -> None:
    package, target = make(), open_folder / "new" / "target"
    mask = os.umask(0o077)
    try:
        options = ["--install-for-all"] if everybody else []
        install(package, f"--install-path={target}", *options)
    finally:
        os.umask(mask)
    program = ["cat", target / "vendors/alpha/op_api/lib/libcust_opapi.so"]
    user = 65534 if os.geteuid() == 0 else None
    done = subprocess.run(program, capture_output=True, check=False, user=user, cwd="/")
    assert user is None or (done.returncode == 0) == everybody


def test_an_older_package_goes_as_a_whole(make: Make, tmp_path: Path) -> None:
    install(make(), f"--install-path={tmp_path / 'target'}")
    stale = tmp_path / "target/vendors/alpha/op_impl/ai_core/tbe/kernel/stale.so"
    stale.write_text("of an operator that is gone")
    install(make(), f"--install-path={tmp_path / 'target'}")
    assert not stale.exists()


def test_another_machine(make: Make, tmp_path: Path) -> None:
    said = install(make(machine="sparc"), f"--install-path={tmp_path / 'target'}", status=1)
    assert f"is for sparc, and this machine is {os.uname().machine}" in said
    assert not (tmp_path / "target").exists()


def test_options_of_the_file_itself(make: Make, tmp_path: Path) -> None:
    package = make()
    assert "complete and unchanged" in install(package, "--check")
    assert install(package, "--check", "--quiet") == ""
    assert "--install-path=FOLDER" in install(package, "--help")
    folder = tmp_path / "new" / "extracted here"
    assert install(package, "--noexec", f"--extract={folder}") == ""
    names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    assert {"install.sh", "upgrade.sh", "help.info", "packages/vendors/alpha/version.info"} <= names
    assert "is there already" in install(package, "--noexec", f"--extract={folder}", status=1)
    # What was unpacked installs too.
    target = tmp_path / "target"
    for script in ("install.sh", "upgrade.sh"):
        subprocess.run(["sh", folder / script, f"--install-path={target}", "--quiet"], check=True)
    assert (target / "vendors/alpha/version.info").is_file()
    assert install(package, f"--install-path={target}", "--quiet") == ""
    assert "--install-path=/x" in install(package, "--noexec", "--install-path=/x", status=1)
    assert install(package, "--uninstall", f"--install-path={target}", "--quiet") == ""
    assert "no vendor alpha" in install(
        package, "--uninstall", f"--install-path={target}", status=1
    )


@pytest.mark.parametrize("shell", ["bash", "dash", "busybox sh", "ksh", "zsh"])
def test_other_shells(make: Make, tmp_path: Path, shell: str) -> None:
    if shutil.which(shell.partition(" ")[0]) is None:
        pytest.skip(f"no {shell} here")
    install(make(), f"--install-path={tmp_path / 'target'}", shell=shell.split())
    assert (tmp_path / "target/vendors/alpha/version.info").is_file()


def test_a_truncated_or_altered_file(make: Make, tmp_path: Path) -> None:
    package = make()
    data = package.read_bytes()
    header = data.index(b"\nexit 0\n") + 8
    for size in (header // 2, header, header + 1, len(data) // 2, len(data) - 1):
        package.write_bytes(data[:size])
        said = install(package, f"--install-path={tmp_path / 'target'}", status=None)
        # A script that is cut off does nothing, whatever the shell makes of it.
        assert size < header or "it is not complete" in said
        assert not (tmp_path / "target").exists()
    package.write_bytes(data + b"\n")
    assert "instead of" in install(package, "--check", status=1)
    for place in (2, data.index(b"needs the command"), header, header + 20, len(data) - 9):
        altered = bytearray(data)
        altered[place] ^= 1
        package.write_bytes(altered)
        said = install(package, f"--install-path={tmp_path / 'target'}", status=1)
        assert "contents have changed" in said
        assert not (tmp_path / "target").exists()


def test_a_tool_that_is_missing(make: Make, tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in (
        "awk",
        "cut",
        "grep",
        "head",
        "ln",
        "mktemp",
        "mv",
        "readlink",
        "sed",
        "tail",
        "tar",
        "wc",
    ):
        (tools / name).symlink_to(shutil.which(name) or name)
    shell = [shutil.which("sh") or "sh"]
    said = install(make(), "--check", shell=shell, status=1, path=str(tools))
    assert "needs the command gzip" in said
    (tools / "gzip").symlink_to(shutil.which("gzip") or "gzip")
    said = install(make(), "--check", shell=shell, status=1, path=str(tools))
    assert "needs sha256sum, shasum or openssl" in said


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach, as tmp_path is not."""
    with tempfile.TemporaryDirectory(prefix="cannery-test-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_target_that_cannot_be_written(make: Make, open_folder: Path) -> None:
    package = Path(shutil.copy(make(), open_folder))
    target = open_folder / "target"
    target.mkdir()
    target.chmod(0o555)
    # Root may write everywhere.
    user = 65534 if os.geteuid() == 0 else None
    for path in (target, target / "below", Path("/proc/no/such")):
        said = install(package, f"--install-path={path}", status=1, user=user)
        assert "check " in said
        assert "permissions" in said
    assert contents(target) == {}
    (target / "vendors").mkdir()
    (target / "vendors").chmod(0o555)
    said = install(package, f"--install-path={target}", status=1, user=user)
    assert f"cannot write to {target / 'vendors'}; check its permissions" in said
    file = open_folder / "file"
    file.write_text("")
    said = install(package, f"--install-path={file}", status=1, user=user)
    assert f"cannot make {file}/vendors" in said


def test_a_config_ini_that_cannot_be_used(make: Make, tmp_path: Path) -> None:
    opp = tmp_path / "opp"
    (opp / "vendors" / "config.ini").mkdir(parents=True)
    before = contents(opp)
    said = install(make(), opp=opp, status=1)
    assert f"{opp / 'vendors/config.ini'} cannot be read" in said
    assert contents(opp) == before


def fake(folder: Path, tool: str, script: str) -> str:
    """A PATH on which `tool` is `script`; $real in it is the real one."""
    folder.mkdir(exist_ok=True)
    (folder / tool).write_text(f"#!/bin/sh\nreal={shutil.which(tool)}\n{script}\n")
    (folder / tool).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


#: Copies a part, then fails as a full disk does, or lets whoever called it end.
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
    """The old package away, the new one there, config.ini: at each of them."""
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
    # Whoever comes next puts it right, here one that installs nothing itself, or another vendor.
    if which == 1:
        install(make("beta"), opp=opp)
    else:
        assert "which is newer" in install(make(version="0.5.0"), opp=opp, status=1)
    library = opp / "vendors/alpha/op_api/lib/libcust_opapi.so"
    assert library.read_bytes() == (b"api 2.0.0" if which == 3 else b"api 1.0.0")
    assert {each.name for each in (opp / "vendors").iterdir()} == {"alpha", "beta", "config.ini"}


def test_two_at_once(make: Make, tmp_path: Path) -> None:
    """Also of two vendors: both write config.ini."""
    package = make()
    path = fake(tmp_path / "bin", "cp", f'"$real" "$@"; touch "{tmp_path}/copied"; sleep 3')
    where = f"--install-path={tmp_path / 'target'}"
    environment = {**os.environ, "PATH": path}
    with subprocess.Popen(["sh", package, where], env=environment, text=True) as first:
        for _ in range(100):
            if (tmp_path / "copied").exists():
                break
            time.sleep(0.05)
        for each in (package, make("beta")):
            said = install(each, where, status=1)
            assert "is at work in " in said
            assert f"remove {tmp_path / 'target/vendors/.custom_opp.lock'}" in said
    assert first.returncode == 0
    install(package, where)


@pytest.mark.parametrize("which", [1, 2])
def test_a_removal_that_fails(make: Make, tmp_path: Path, which: int) -> None:
    """The package away, config.ini: at each of these renames everything is as before."""
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
    """Half of a package never comes back."""
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
