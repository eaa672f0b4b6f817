# SPDX-License-Identifier: Apache-2.0
"""Equal vendor trees must give equal package files; an incomplete tree must give no file."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import tarfile
from pathlib import Path

import pytest

from cannery import _runtime
from cannery.cli import flags
from cannery.package import PackageError, pack

from ..processes import run_cannery
from .conftest import run
from .vendor_tree import TBE, contents, install, make_tree


def archive_of(package: Path) -> tarfile.TarFile:
    data = package.read_bytes()
    header = re.search(rb"^header_bytes=(\d+)$", data, re.MULTILINE)
    assert header is not None
    return tarfile.open(fileobj=io.BytesIO(data[int(header[1]) :]), mode="r:gz")


def test_the_same_tree_gives_the_same_bytes(tmp_path: Path) -> None:
    one = pack(make_tree(tmp_path / "one/alpha"), tmp_path / "out1")
    tree = make_tree(tmp_path / "another place/alpha")
    for path in tree.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o700)
            os.utime(path, (1, 1))
    mask = os.umask(0o077)
    two = pack(tree, tmp_path / "out2")
    os.umask(mask)
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()
    assert os.access(one, os.X_OK)
    (tree / "version.info").write_text((tree / "version.info").read_text() + "more=1\n")
    assert pack(tree, tmp_path / "out2").read_bytes() != one.read_bytes()


def test_what_is_in_it(tmp_path: Path) -> None:
    package = pack(make_tree(tmp_path / "alpha"), tmp_path / "out")
    assert re.fullmatch(rf"custom_opp_[A-Za-z0-9.]+_{os.uname().machine}\.run", package.name)
    with archive_of(package) as archive:
        entries = archive.getmembers()
    names = [entry.name for entry in entries]
    assert names == sorted(set(names))
    inside = "packages/vendors/alpha"
    for name in (
        "install.sh",
        "upgrade.sh",
        "help.info",
        f"{inside}/version.info",
        f"{inside}/scripts/uninstall.sh",
        f"{inside}/op_api/include/aclnnop/aclnn_add.h",
        f"{inside}/{TBE}/op_tiling/liboptiling.so",
        f"{inside}/cannery/proto/bäckerei 中.json",
    ):
        assert name in names
    for entry in entries:
        assert (entry.uid, entry.gid, entry.uname, entry.gname, entry.mtime) == (0, 0, "", "", 0)


@pytest.mark.parametrize(
    ("gone", "words"),
    [
        ("version.info", "is no vendor tree"),
        ("op_api/lib/libcust_opapi.so", "has no op_api/lib/libcust_opapi.so"),
        (f"{TBE}/config/ascend910b/aic-ascend910b-ops-info.json", "ops-info.json"),
        (f"{TBE}/kernel/config/ascend910b/binary_info_config.json", "binary_info_config.json"),
    ],
)
def test_an_incomplete_tree(tmp_path: Path, gone: str, words: str) -> None:
    tree = make_tree(tmp_path / "alpha")
    (tree / gone).unlink()
    with pytest.raises(PackageError, match=re.escape(words)):
        pack(tree, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_is_no_tree(tmp_path: Path) -> None:
    with pytest.raises(PackageError, match="is no folder; build the operators first"):
        pack(tmp_path / "nothing", tmp_path / "out")
    with pytest.raises(PackageError, match="got 'two words'"):
        pack(make_tree(tmp_path / "two words"), tmp_path / "out")
    tree = make_tree(tmp_path / "alpha")
    for text, words in (
        ("version=\nmachine=x86_64\n", "has no line version="),
        ("version=1.0\n", "has no line machine="),
        ("version=new\nmachine=x86_64\n", "got 'new'"),
        ("version=1$(x)\nmachine=x86_64\n", "expected a version like 1.2.3"),
    ):
        (tree / "version.info").write_text(text)
        with pytest.raises(PackageError, match=re.escape(words)):
            pack(tree, tmp_path / "out")
    make_tree(tree)
    (tree / "elsewhere.so").symlink_to("../../elsewhere.so")
    with pytest.raises(PackageError, match="which is not in the package"):
        pack(tree, tmp_path / "out")
    (tree / "elsewhere.so").unlink()
    install(pack(tree, tmp_path / "out"), f"--install-path={tmp_path / 'target'}")
    with pytest.raises(PackageError, match="is an installed package"):
        pack(tmp_path / "target/vendors/alpha", tmp_path / "again")


def test_an_interrupted_pack_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = make_tree(tmp_path / "alpha")
    before = pack(tree, tmp_path / "out").read_bytes()
    (tree / "more").write_text("more")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pack(tree, tmp_path / "out")
    (only,) = (tmp_path / "out").iterdir()
    assert only.read_bytes() == before


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    def command(*words: str | Path, status: int = 0) -> str:
        done = run_cannery("package", *words, cwd=tmp_path)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    said = command(status=1)
    assert f"{tmp_path}: is not a project of operators: expected CMakeLists.txt and" in said
    assert said == run_cannery("build", cwd=tmp_path).stderr
    (tmp_path / "CMakeLists.txt").touch()
    for name in ("op_proto/add.toml", "op_host/add.cpp"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    assert f"{tmp_path}: is not built yet; run `cannery build` first" in command(status=1)
    make_tree(tmp_path / "build/opp/vendors/alpha")
    assert "wrote" in command(tmp_path, "--out", tmp_path / "elsewhere")
    made = json.loads(command("--json"))["package"]
    assert Path(made).parent == tmp_path / "build_out"
    assert f"wrote {made}" in command("build/opp/vendors/alpha").replace("\n", "")
    make_tree(tmp_path / "build/opp/vendors/beta")
    assert "alpha, beta" in command(status=1)
    assert Path(
        json.loads(command("build/opp/vendors/beta", "--out", "o", "--json"))["package"]
    ).is_file()


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packs our operators and installs them in a folder whose name has a space and an umlaut."""
    folder = tmp_path_factory.mktemp("ours")
    package = pack(_runtime.package_root(), folder)
    target = folder / "in stalled ä"
    install(package, f"--install-path={target}", "--quiet")
    return target / "vendors" / "cannery"


def test_our_package_works_from_where_it_is_installed(installed: Path) -> None:
    library = installed / TBE / "kernel/twin/swi_glu_grad/swi_glu_grad_2.so"
    code = f"""
import numpy as np, cannery
x = np.linspace(-3, 3, 16, dtype=np.float32).reshape(2, 8)
cannery.swi_glu_grad(np.ones((2, 4), np.float32), x)
print({str(library)!r} in open("/proc/self/maps").read())
"""
    assert run(code, ASCEND_CUSTOM_OPP_PATH=str(installed)) == "True\n"


def test_a_client_built_against_the_installed_package_runs(
    installed: Path, tmp_path: Path, repository: Path
) -> None:
    program = tmp_path / "client"
    source = repository / "examples/01_aclnn_client/main.cpp"
    twin = _runtime.twin_root()
    command = ["g++", "-std=c++11", f"-I{twin / 'include'}", f"-I{installed / 'op_api/include'}"]
    command += [str(source), "-o", str(program), f"-L{installed / 'op_api/lib'}"]
    command += [word for word in flags.link_flags() if "vendors" not in word]
    subprocess.run(command, check=True)
    script = f". '{installed}/bin/set_env.bash' && exec '{program}'"
    done = subprocess.run(
        ["bash", "-c", script], check=True, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.endswith(": ok\n")
    # Without the package's folder the program finds no aclnn functions.
    alone = subprocess.run([program], capture_output=True, text=True, check=False)
    assert alone.returncode != 0
    assert "libcust_opapi.so" in alone.stderr


@pytest.mark.slow
@pytest.mark.twin_only("looks for packages as the twin does")
def test_removing_it_gives_the_operators_of_the_wheel_back(tmp_path: Path) -> None:
    package = pack(_runtime.package_root(), tmp_path / "out")
    opp = tmp_path / "opp"
    install(package, opp=opp)
    kernel = opp / "vendors/cannery" / TBE / "kernel/twin/swi_glu_grad/swi_glu_grad_2.so"
    kernel.unlink()
    assert run(ASCEND_OPP_PATH=str(opp)).startswith("561003 ")
    install(package, opp=opp)
    assert run(ASCEND_OPP_PATH=str(opp)) == "computed\n"
    install(package, "--uninstall", opp=opp)
    assert contents(opp) == {}
    assert run(ASCEND_OPP_PATH=str(opp)) == "computed\n"
