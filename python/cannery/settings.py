# SPDX-License-Identifier: Apache-2.0
"""The settings of a process. `use` changes them; environment variables have the same meaning."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import EllipsisType, TracebackType
from typing import Any, Literal, SupportsIndex

from cannery._environment import BACKENDS, choice, current_backend
from cannery._runtime import check_backend, check_machine, refuse_hazards
from cannery.errors import CanneryError

__all__ = [
    "API_LEVELS",
    "HAZARDS",
    "MODES",
    "SOCS",
    "Settings",
    "api_level",
    "cache_dir",
    "check_choices",
    "checks",
    "current_backend",
    "refuse_hazards",
    "soc_name",
    "use",
]

#: The chips that the twin can model, Atlas A2 first.
SOCS = (
    *("Ascend910B1", "Ascend910B2", "Ascend910B2C", "Ascend910B3", "Ascend910B4", "Ascend910B4-1"),
    *("Ascend910_9362", "Ascend910_9372", "Ascend910_9381", "Ascend910_9382"),
    *("Ascend910_9391", "Ascend910_9392"),
)
_VERSION = re.compile(r"(\d+)\.(\d+)(\.[\w.-]+)?\Z", re.ASCII)
_DEFAULT_SOC = "Ascend910B2"
#: The levels of the toolkit that docs/api-coverage.md lists, oldest first. The twin has the names
#: of all.
API_LEVELS = ("8.1.RC1", "8.5", "9.0", "9.1")
MODES = ("strict", "hardware", "pedantic")
HAZARDS = ("off", "auto-sync", "explicit")
#: The default for kernels that users compile, and for the operators of a project that is being
#: developed. The default for other operators is "off".
DEFAULT_HAZARDS = "auto-sync"
#: The largest number of instructions per launch whose times a profile keeps. The constant is here
#: because the command line shows it in its help, and does not import cannery.profiling for that.
KEPT_INSTRUCTIONS = 500_000
_MAX_SEED = 2**64 - 1
_MAX_THREADS = 1024
_MIN_SECONDS, _MAX_SECONDS = 0.05, 86400


def _whole(name: str, value: Any, low: int, high: int) -> str:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: expected a whole number, got {value!r}")
    number = operator.index(value)
    if not low <= number <= high:
        raise ValueError(f"{name}: expected {low} to {high}, got {number}")
    return str(number)


def _seconds(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"timeout_s: expected seconds as a number, got {value!r}")
    if not _MIN_SECONDS <= value <= _MAX_SECONDS:
        raise ValueError(
            f"timeout_s: expected {_MIN_SECONDS} to {_MAX_SECONDS} seconds, got {value!r}"
        )
    return repr(float(value))


def _level(name: str, value: Any) -> str:
    """Returns the newest of API_LEVELS that is not newer than this version of the toolkit."""
    version = _version(value) if isinstance(value, str) else None
    older = [level for level in API_LEVELS if version is not None and _version(level) <= version]
    return older[-1] if older else choice(name, value, API_LEVELS)


def _version(text: str) -> tuple[int, ...]:
    """Returns the first two numbers of a version such as 8.1.RC1 or 8.5.0; empty if there are
    none.
    """
    match = _VERSION.match(text)
    return (int(match[1]), int(match[2])) if match else ()


def _folder(value: Any) -> str:
    if not isinstance(value, str | os.PathLike) or not str(value) or "\0" in str(value):
        raise TypeError(f"cache_dir: expected a path, got {value!r}")
    return str(_at_home("cache_dir", Path(value)))


def _at_home(name: str, path: Path) -> Path:
    try:
        return path.expanduser().absolute()
    except RuntimeError as error:  # the path begins with ~name, but no such user exists
        raise CanneryError(
            f"{name}: {path}: {error}; set CANNERY_CACHE_DIR to a full path"
        ) from None


_KEYS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "backend": ("CANNERY_BACKEND", lambda v: choice("backend", v, BACKENDS)),
    "soc": ("CANNERY_SOC", lambda v: choice("soc", v, SOCS)),
    "threads": ("CANNERY_THREADS", lambda v: _whole("threads", v, 1, _MAX_THREADS)),
    "core_order": ("CANNERY_CORE_ORDER", lambda v: _whole("core_order", v, 0, _MAX_SEED)),
    "mode": ("CANNERY_MODE", lambda v: choice("mode", v, MODES)),
    "hazards": ("CANNERY_HAZARDS", lambda v: choice("hazards", v, HAZARDS)),
    "timeout_s": ("CANNERY_TIMEOUT_S", _seconds),
    "cache_dir": ("CANNERY_CACHE_DIR", _folder),
    "api": ("CANNERY_API", lambda v: _level("api", v)),
}


class Settings:
    """Applies settings when it is made. The end of a `with` block restores the earlier settings."""

    def __init__(self, values: Mapping[str, str | None]) -> None:
        self._before = {variable: os.environ.get(variable) for variable in values}
        _write(values)

    def __enter__(self) -> Settings:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        _write(self._before)
        return False


def use(
    backend: Literal["twin", "npu"] | EllipsisType | None = ...,
    *,
    soc: str | EllipsisType | None = ...,
    threads: SupportsIndex | EllipsisType | None = ...,
    core_order: SupportsIndex | EllipsisType | None = ...,
    mode: Literal["strict", "hardware", "pedantic"] | EllipsisType | None = ...,
    hazards: str | EllipsisType | None = ...,
    timeout_s: float | EllipsisType | None = ...,
    cache_dir: str | os.PathLike[str] | EllipsisType | None = ...,
    api: str | EllipsisType | None = ...,
) -> Settings:
    """Changes settings from now on, or for a block: `with cannery.use(...):`. None sets the
    default.

    backend: "twin" or "npu"; it cannot change after the first operator has run in this process.
    BackendError names what "npu" needs and this machine lacks. The other settings are for the twin.
    soc: the chip that the twin models, one of `cannery.settings.SOCS`; default Ascend910B2.
    threads: worker threads of the twin, 1 to 1024; default as many as the machine has.
    core_order: seed that shuffles the order in which blocks start; 0, the default, is index order.
    mode: "strict" (values that the chip silently loses are errors), "hardware" (they are not), or
    "pedantic": like strict; accesses beyond a declared size, and modes that are still set when a
    kernel ends, are also errors.
    hazards: the check that memory accesses are ordered, for every launch (docs/hazards.md).
    "auto-sync" assumes the flags that the toolkit's compiler inserts on vector cores, "explicit"
    assumes none, "off" does not check. The default is "auto-sync" for the kernels of
    `compile_kernel` and `load` and for the operators of a project that `cannery build` has built,
    and "off" for installed operators. A finding is a HazardError.
    timeout_s: longest time without an instruction before a launch is ended; default 5 s.
    cache_dir: the folder for compiled kernels.
    api: a version of the toolkit, such as "8.1.RC1" or "8.5.0". Compiling a kernel then warns about
    each name in it that the version does not have; default: no such warnings. A version between two
    of `cannery.settings.API_LEVELS` counts as the older one.

    Settings are stored in the environment of the process (CANNERY_BACKEND and so on) and read when
    a launch is enqueued. If an argument is wrong, raises TypeError or ValueError, changes nothing.
    """
    choices: dict[str, Any] = {
        "backend": backend,
        "soc": soc,
        "threads": threads,
        "core_order": core_order,
        "mode": mode,
        "hazards": hazards,
        "timeout_s": timeout_s,
        "cache_dir": cache_dir,
        "api": api,
    }
    values: dict[str, str | None] = {}
    for key, (variable, parse) in _KEYS.items():
        if choices[key] is not ...:
            values[variable] = None if choices[key] is None else parse(choices[key])
    if values.keys() & {"CANNERY_BACKEND", "CANNERY_HAZARDS"}:
        _refuse_hazards_of({**os.environ, **values})
    if "CANNERY_BACKEND" in values:
        wanted = values["CANNERY_BACKEND"] or BACKENDS[0]
        check_backend(wanted)
        check_machine(wanted)
    return Settings(values)


def _refuse_hazards_of(environment: Mapping[str, str | None]) -> None:
    backend = environment.get("CANNERY_BACKEND") or BACKENDS[0]
    refuse_hazards(backend, environment.get("CANNERY_HAZARDS"))


def check_choices() -> None:
    """Raises ValueError if the environment variable for the chip, the mode or the hazard level has
    a wrong value. Wrong values of other variables are reported when the first device is opened.
    """
    for key, accepted in (("soc", SOCS), ("mode", MODES), ("hazards", HAZARDS)):
        variable = _KEYS[key][0]
        choice(variable, os.environ.get(variable) or accepted[0], accepted)


def checks() -> dict[str, str]:
    """Returns the level of the hazard checker and the mode of the twin; empty on a card."""
    if current_backend() != "twin":
        return {}
    defaults = {"hazards": HAZARDS[0], "mode": MODES[0]}
    return {key: os.environ.get(_KEYS[key][0]) or value for key, value in defaults.items()}


def soc_name(soc: str | None = None) -> str:
    """Returns `soc` if it names a chip, or raises ValueError; for None, returns the chip that the
    twin models.
    """
    if soc is None:
        return choice("CANNERY_SOC", os.environ.get("CANNERY_SOC") or _DEFAULT_SOC, SOCS)
    return choice("soc", soc, SOCS)


def api_level() -> str | None:
    """Returns the level of the toolkit whose names are checked, one of API_LEVELS, or None. Raises
    ValueError if CANNERY_API is no version, or one before the first level.
    """
    level = os.environ.get("CANNERY_API")
    return _level("CANNERY_API", level) if level else None


def cache_dir() -> Path:
    """Returns the folder for compiled kernels: CANNERY_CACHE_DIR, or cannery/ in the user's
    cache.
    """
    chosen = os.environ.get("CANNERY_CACHE_DIR")
    if chosen:
        return _at_home("CANNERY_CACHE_DIR", Path(chosen))
    base = os.environ.get("XDG_CACHE_HOME")
    return _at_home("the user's cache", Path(base or "~/.cache") / "cannery")


def _write(values: Mapping[str, str | None]) -> None:
    for variable, value in values.items():
        if value is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = value
