# SPDX-License-Identifier: Apache-2.0
"""Finds what the backend npu needs on this machine: the toolkit's libraries, its environment
variables, and a package of operators.
"""

from __future__ import annotations

import ctypes.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "Need",
    "add_private",
    "announce",
    "describe_missing",
    "home",
    "installed_packages",
    "library_dirs",
    "made_with",
    "needs",
]

#: File names of the acl runtime. Some newer toolkits have only libacl_rt.so.
RUNTIMES = ("libascendcl.so", "libacl_rt.so")
META = ("libnnopbase.so",)
OPERATORS = ("libcust_opapi.so",)

_CUSTOM = "ASCEND_CUSTOM_OPP_PATH"
_HOMES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
#: Default installation folders of the toolkit, for root and for other users.
_USUAL = ("/usr/local/Ascend", "~/Ascend")
_SET_ENV = ("ascend-toolkit/set_env.sh", "cann/set_env.sh")


@dataclass(frozen=True)
class Need:
    """One thing that the backend npu needs, and where it was found."""

    name: str
    found: str  #: path or value of the thing that was found; empty if it is missing
    advice: str


#: The package that `cannery build --soc` makes of cannery's own operators in a checkout.
OWN = Path(__file__).resolve().parents[2] / "build" / "npu" / "vendors" / "cannery"
_private = [OWN]


def made_with(package: Path) -> Path:
    """Returns the file with the path of the toolkit that built the package. The package is used
    with this toolkit only.
    """
    return package.parents[1] / "toolkit"


def _private_packages() -> list[Path]:
    here = home()
    return [each for each in _private if here is not None and _reads(made_with(each), here)]


def _reads(file: Path, toolkit: Path) -> bool:
    try:
        return file.read_text("utf-8") == str(toolkit.resolve())
    except (OSError, UnicodeError):
        return False


def add_private(package: Path) -> None:
    """Adds a package, which need not exist yet. Installed packages are searched after it."""
    if package not in _private:
        _private.append(package)


def announce() -> None:
    """Adds the private packages to ASCEND_CUSTOM_OPP_PATH, which the toolkit's libraries read when
    they first need an operator.
    """
    paths = [path for path in os.environ.get(_CUSTOM, "").split(os.pathsep) if path]
    new = [str(path) for path in _private_packages() if str(path) not in paths]
    if new:
        os.environ[_CUSTOM] = os.pathsep.join([*new, *paths])


def home() -> Path | None:
    """Returns the toolkit's folder, as set_env.sh has set it; None if set_env.sh has not run."""
    return next((Path(value) for name in _HOMES if (value := os.environ.get(name))), None)


def library_dirs() -> list[str]:
    """Returns the folders of libraries in search order; "" means a search by the dynamic loader."""
    # torch_npu searches for libcust_opapi.so in the same order.
    packages = [*_private_packages(), *installed_packages()]
    vendors = [str(each / "op_api" / "lib") for each in packages]
    return [*vendors, *map(str, _toolkit_dirs()), ""]


def installed_packages() -> list[Path]:
    """Returns the folders of the operator packages that environment variables name, in the order of
    the search. Some of them may not exist.
    """
    custom = os.environ.get(_CUSTOM, "")
    packages = [Path(part) for part in custom.split(os.pathsep) if part]
    opp = os.environ.get("ASCEND_OPP_PATH")
    return [*packages, *(_vendors(Path(opp) / "vendors") if opp else ())]


def needs() -> list[Need]:
    """Returns everything that the backend npu needs, found or missing. This function loads no
    library, because two acl runtimes in one process would conflict.
    """
    toolkit = _install()
    package = (
        "make a package for the card where the toolkit is (docs/on-a-card.md), then "
        "`bash custom_opp_*.run --install-path=FOLDER` and "
        "`source FOLDER/vendors/*/bin/set_env.bash`"
    )
    opp = os.environ.get("ASCEND_OPP_PATH", "")
    custom = os.environ.get(_CUSTOM, "")
    return [
        _library("the acl runtime", RUNTIMES, toolkit),
        _library("the aclnn library", META, toolkit),
        Need("the variable ASCEND_OPP_PATH", opp or custom, toolkit),
        _library("compiled operators", OPERATORS, package),
    ]


def describe_missing(missing: Sequence[Need]) -> str:
    """Returns a text that lists what is missing, what to do about it, and the folders that were
    searched.
    """
    lines = []
    for advice in dict.fromkeys(need.advice for need in missing):
        names = ", ".join(need.name for need in missing if need.advice == advice)
        lines.append(f"{names}\n    {advice}")
    lines.append("looked in: " + ", ".join([*_searched(), "the system's folders of libraries"]))
    return "\n  ".join(lines)


def _searched() -> list[str]:
    loader = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    return list(dict.fromkeys(filter(None, [*library_dirs(), *loader])))


def _install() -> str:
    scripts = [Path(root).expanduser() / script for root in _USUAL for script in _SET_ENV]
    there = next((path for path in scripts if path.is_file()), None)
    if there is not None:
        return f"`source {there}` in this shell first"
    return (
        "install the CANN toolkit, 8.1.RC1 or newer (https://www.hiascend.com/software/cann), then "
        f"`source {scripts[0]}` in this shell"
    )


def _library(what: str, names: Sequence[str], advice: str) -> Need:
    paths = [Path(folder) / name for name in names for folder in _searched()]
    found = next((str(path) for path in paths if path.is_file()), None)
    if found is None:
        # The dynamic loader may find a library outside of these folders.
        stems = [name.removeprefix("lib").removesuffix(".so") for name in names]
        found = next(filter(None, map(ctypes.util.find_library, stems)), "")
    return Need(f"{what} ({' or '.join(names)})", found, advice)


def _vendors(folder: Path) -> list[Path]:
    """Returns the vendors' packages in the order of load_priority= in config.ini. The list is
    empty if config.ini does not exist.
    """
    file = folder / "config.ini"
    try:
        # Reading a pipe would block for ever, so only a regular file is read.
        lines = file.read_text("utf-8", "replace").splitlines() if file.is_file() else []
    except OSError:
        return []
    for line in lines:
        key, _, names = line.partition("=")
        if key.strip() == "load_priority":
            return [folder / name.strip() for name in names.split(",") if name.strip()]
    return []


def _toolkit_dirs() -> list[Path]:
    homes = (os.environ.get(name) for name in _HOMES)
    return [Path(home) / "lib64" for home in dict.fromkeys(homes) if home]
