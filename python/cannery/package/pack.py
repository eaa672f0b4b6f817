# SPDX-License-Identifier: Apache-2.0
"""Makes one file that installs a vendor tree. The same tree always gives the same bytes."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import platform
import re
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from cannery.errors import CanneryError

__all__ = ["PackageError", "pack"]

_SCRIPTS = Path(__file__).parent / "scripts"
#: The path of each script in the archive.
_PLACES = {
    "install.sh": "{script}",
    "upgrade.sh": "{script}",
    "help.info": "{script}",
    "uninstall.sh": "packages/vendors/{vendor}/scripts/{script}",
    "common.sh": "packages/vendors/{vendor}/scripts/{script}",
}
_VENDOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_VERSION = re.compile(r"[0-9]+(\.[0-9A-Za-z]+)*")


class PackageError(CanneryError):
    """A folder is not a complete vendor tree."""


def pack(tree: Path, out: Path) -> Path:
    """Writes out/custom_opp_<os>_<machine>.run, which installs the tree (vendors/<vendor>)."""
    tree = Path(tree).resolve()
    info = _check(tree)
    payload = gzip.compress(_archive(tree), compresslevel=9, mtime=0)
    header = _header(tree.name, payload)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"custom_opp_{_os_name()}_{info['machine']}.run"
    # The file gets its name only when it is complete.
    descriptor, partial = tempfile.mkstemp(dir=out, prefix=path.name + ".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(header + payload)
        # Sets the mode that open() would set, and makes the file executable.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(partial, 0o777 & ~mask)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise
    return path


def _check(tree: Path) -> dict[str, str]:
    """Checks that the tree is complete; returns the entries of its version.info."""
    if not tree.is_dir():
        raise PackageError(f"{tree}: is no folder; build the operators first")
    if (tree / "scripts").exists():
        raise PackageError(f"{tree}: is an installed package; take the tree that the build left")
    if not _VENDOR.fullmatch(tree.name):
        raise PackageError(
            f"{tree}: a vendor's name has letters, digits, '_' and '-', got {tree.name!r}"
        )
    try:
        lines = (tree / "version.info").read_text("utf-8").splitlines()
    except OSError as error:
        raise PackageError(f"{tree}: is no vendor tree: {error}") from error
    info = dict(line.partition("=")[::2] for line in lines)
    for key in ("version", "machine"):
        if not info.get(key):
            raise PackageError(f"{tree / 'version.info'}: has no line {key}=; build it again")
    if not _VERSION.fullmatch(info["version"]):
        raise PackageError(
            f"{tree / 'version.info'}: expected a version like 1.2.3, got {info['version']!r}"
        )
    libraries = f"lib/linux/{info['machine']}"
    for wanted in (
        "op_api/lib/libcust_opapi.so",
        f"op_impl/ai_core/tbe/op_tiling/{libraries}/libcust_opmaster_rt2.0.so",
        f"op_proto/{libraries}/libcust_opsproto_rt2.0.so",
        "op_impl/ai_core/tbe/config/*/aic-*-ops-info.json",
        "op_impl/ai_core/tbe/kernel/config/*/binary_info_config.json",
    ):
        if not any(tree.glob(wanted)):
            raise PackageError(f"{tree}: has no {wanted}; build the operators again")
    return info


def _archive(tree: Path) -> bytes:
    """Returns a tar archive with sorted entries and fixed owners, times and modes, so that the same
    tree gives the same bytes.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, path in sorted(_entries(tree)):
            entry = tarfile.TarInfo(name)
            if path.is_symlink():
                entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(path)
                _check_link(tree, path)
                archive.addfile(entry)
            elif path.is_dir():
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(entry)
            else:
                data = path.read_bytes()
                entry.size = len(data)
                entry.mode = 0o755 if name.endswith((".sh", ".so")) else 0o644
                archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _entries(tree: Path) -> Iterator[tuple[str, Path]]:
    """Yields the name in the archive, and the path of the file, for each entry."""
    yield "packages", tree
    yield "packages/vendors", tree
    inside = f"packages/vendors/{tree.name}"
    yield inside, tree
    yield f"{inside}/scripts", tree
    for path in tree.rglob("*"):
        yield f"{inside}/{path.relative_to(tree).as_posix()}", path
    for script, place in _PLACES.items():
        yield place.format(script=script, vendor=tree.name), _SCRIPTS / script


def _check_link(tree: Path, link: Path) -> None:
    target = os.readlink(link)
    if os.path.isabs(target) or not (link.parent / target).resolve().is_relative_to(tree):
        raise PackageError(f"{link}: links to {target}, which is not in the package")


def _header(vendor: str, payload: bytes) -> bytes:
    """Returns the script that precedes the archive; it contains its own length and checksum."""
    text = (_SCRIPTS / "header.sh").read_text("utf-8")
    values = {
        "VENDOR": vendor,
        "PAYLOAD_BYTES": str(len(payload)),
        "PAYLOAD_SHA256": hashlib.sha256(payload).hexdigest(),
        "HEADER_SHA256": "0" * 64,
    }
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    place = "@HEADER_BYTES@"
    rest = len(text.encode()) - len(place)
    size = next(n for n in range(rest, rest + 20) if n == rest + len(str(n)))
    text = text.replace(place, str(size))
    lines = text.splitlines(keepends=True)
    summed = "".join(line for line in lines if not line.startswith("header_sha256="))
    digest = hashlib.sha256(summed.encode()).hexdigest()
    return text.replace(
        f"header_sha256={values['HEADER_SHA256']}", f"header_sha256={digest}"
    ).encode()


def _os_name() -> str:
    """Returns the operating system for the name of the package: debian, ubuntu, openEuler."""
    try:
        name = platform.freedesktop_os_release()["ID"]
    except OSError:
        name = "linux"
    return re.sub(r"[^A-Za-z0-9.]", "", name) or "linux"
