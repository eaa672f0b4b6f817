# SPDX-License-Identifier: Apache-2.0
"""The file that installs a package must do what it promises; a failure must change nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .conftest import Make
from .vendor_tree import contents, install


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
    # An uninstallation keeps a folder that was there before.
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
    # set_env.bash sets ASCEND_CUSTOM_OPP_PATH to the folder of the package itself.
    install(package, custom=f"/elsewhere/vendors/beta:{one}/vendors/alpha:")
    assert not (one / "vendors/alpha/vendors").exists()
    # A folder `vendors` that is farther up in the path does not make an entry a package.
    below = tmp_path / "vendors" / "acme" / "opp"
    for entry in (below, f"{below}/", f"{below}/vendors/beta"):
        install(package, custom=str(entry))
        assert {path.name for path in (tmp_path / "vendors").iterdir()} == {"acme"}
        assert (below / "vendors/alpha").is_dir()
        install(package, "--uninstall", custom=f"{below}/vendors/alpha/")
        assert not below.exists()
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
    # The unpacked scripts also install the package.
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
    lines = [found.start() for found in re.finditer(b"\n", data[:header])]
    for size in (*lines[2::9], header // 2, header, header + 1, len(data) // 2, len(data) - 1):
        package.write_bytes(data[:size])
        said = install(package, f"--install-path={tmp_path / 'target'}", status=None)
        # If the cut is inside of the script, the shell reports a syntax error instead.
        assert size < header or "it is not complete" in said
        assert not (tmp_path / "target").exists()
        for shell in ("sh", "bash"):
            done = subprocess.run([shell, package, "--quiet"], capture_output=True, check=False)
            assert done.returncode != 0, size
            assert done.stderr
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


def test_a_target_that_cannot_be_written(make: Make, open_folder: Path) -> None:
    package = Path(shutil.copy(make(), open_folder))
    target = open_folder / "target"
    target.mkdir()
    target.chmod(0o555)
    # Root can write everywhere, so the command then runs as another user.
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
