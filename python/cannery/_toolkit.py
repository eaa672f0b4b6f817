# SPDX-License-Identifier: Apache-2.0
"""What the backend npu needs on this machine: the toolkit's libraries, its environment variables, a
package of operators.
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

#: Older toolkits have the first library; some newer ones have only the second.
RUNTIMES = ("libascendcl.so", "libacl_rt.so")
META = ("libnnopbase.so",)
OPERATORS = ("libcust_opapi.so",)

_CUSTOM = "ASCEND_CUSTOM_OPP_PATH"
_HOMES = ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME")
#: The folders where the toolkit's installer puts it, for root and for other users.
_USUAL = ("/usr/local/Ascend", "~/Ascend")
_SET_ENV = ("ascend-toolkit/set_env.sh", "cann/set_env.sh")


@dataclass(frozen=True)
class Need:
    """One thing that the backend needs, and where it is."""

    name: str
    found: str  #: empty if it is missing
    advice: str


#: The package that `cannery build --soc` leaves in the checkout of cannery's own operators.
OWN = Path(__file__).resolve().parents[2] / "build" / "npu" / "vendors" / "cannery"
_private = [OWN]


def made_with(package: Path) -> Path:
    """Returns the file that says which toolkit made the package. Another toolkit does not load the
    package.
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
    """Adds a package that is searched before the installed ones, as soon as the package exists."""
    if package not in _private:
        _private.append(package)


def announce() -> None:
    """Puts the private packages into the variable that the toolkit's libraries read when an
    operator is first needed.
    """
    paths = [path for path in os.environ.get(_CUSTOM, "").split(os.pathsep) if path]
    new = [str(path) for path in _private_packages() if str(path) not in paths]
    if new:
        os.environ[_CUSTOM] = os.pathsep.join([*new, *paths])


def home() -> Path | None:
    """Returns the toolkit's folder, by the variables that its set_env.sh sets."""
    return next((Path(value) for name in _HOMES if (value := os.environ.get(name))), None)


def library_dirs() -> list[str]:
    """Folders to search for libraries, the best first; "" is the dynamic loader's own search."""
    # torch_npu searches for libcust_opapi.so in the same order.
    packages = [*_private_packages(), *installed_packages()]
    vendors = [str(each / "op_api" / "lib") for each in packages]
    return [*vendors, *map(str, _toolkit_dirs()), ""]


def installed_packages() -> list[Path]:
    """Folders of the packages that are searched before cannery's own, in that order. Some of them
    may not exist.
    """
    custom = os.environ.get(_CUSTOM, "")
    packages = [Path(part) for part in custom.split(os.pathsep) if part]
    opp = os.environ.get("ASCEND_OPP_PATH")
    return [*packages, *(_vendors(Path(opp) / "vendors") if opp else ())]


def needs() -> list[Need]:
    """Everything that the backend needs, found or missing. The function loads no library, because
    two runtimes in one process would answer for each other.
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
    """A text with what is missing, grouped by what to do about it, and with the folders that were
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
        # The system's own list of libraries may have it.
        stems = [name.removeprefix("lib").removesuffix(".so") for name in names]
        found = next(filter(None, map(ctypes.util.find_library, stems)), "")
    return Need(f"{what} ({' or '.join(names)})", found, advice)


def _vendors(folder: Path) -> list[Path]:
    """Returns the vendors' packages in the order of the line load_priority= of config.ini; none
    without that file.
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
