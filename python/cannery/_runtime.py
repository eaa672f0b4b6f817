# SPDX-License-Identifier: Apache-2.0
"""Finds the libraries of the chosen backend and opens them at the first use of a device."""

from __future__ import annotations

import atexit
import os
import threading
import warnings
from pathlib import Path
from types import ModuleType

from cannery import _toolkit
from cannery._environment import current_backend
from cannery.errors import BackendError, TwinOnlyError

__all__ = [
    "check_backend",
    "check_machine",
    "library_dirs",
    "native",
    "native_module",
    "package_root",
    "proto_dir",
    "refuse_hazards",
    "twin_root",
]

_lock = threading.Lock()
_opened: str | None = None


def _renew_lock() -> None:
    global _lock
    _lock = threading.Lock()


# The child process of a fork makes a new lock, because the old lock may stay locked for ever.
os.register_at_fork(after_in_child=_renew_lock)


def native_module() -> ModuleType:
    """Returns the native module without opening the libraries of a backend."""
    try:
        from cannery import _native
    except ImportError as error:
        raise ImportError(
            f"cannery's native module cannot be loaded ({error}); run `./build.sh build` in a "
            "checkout or `pip install .`"
        ) from error
    return _native


def twin_root() -> Path:
    """Returns the folder with the twin's libraries (lib), headers (include) and packages (opp)."""
    return Path(str(native_module().__file__)).resolve().parent / "_twin"


def package_root() -> Path:
    """Returns the folder of cannery's operator package, with the layout of a toolkit's package."""
    return twin_root() / "opp" / "vendors" / "cannery"


def proto_dir() -> Path:
    """Returns the folder with the models (JSON files) of cannery's own operators."""
    return package_root() / "cannery" / "proto"


def native() -> ModuleType:
    """Returns the native module; the first call opens the libraries of the chosen backend."""
    global _opened
    module = native_module()
    with _lock:
        if _opened is None:
            backend = current_backend()
            refuse_hazards(backend, os.environ.get("CANNERY_HAZARDS"))
            check_machine(backend)
            if backend == "npu":
                _toolkit.announce()
            module.open(library_dirs(backend))
            for text in module.unknown_settings().splitlines():
                warnings.warn(text, stacklevel=2)
            atexit.register(module.close)
            _opened = backend
        else:
            _refuse_other(current_backend())
    return module


def check_backend(wanted: str) -> None:
    """Raises RuntimeError if this process already uses the other backend."""
    with _lock:
        if _opened is not None:
            _refuse_other(wanted)


def check_machine(backend: str) -> None:
    """Raises BackendError if the backend needs something that this machine lacks."""
    if backend != "npu":
        return
    missing = [need for need in _toolkit.needs() if not need.found]
    if missing:
        raise BackendError(
            "this machine lacks what backend 'npu' needs:\n"
            f"  {_toolkit.describe_missing(missing)}\n"
            "  `cannery doctor` shows what is there; backend 'twin' needs none of this"
        )


def refuse_hazards(backend: str, hazards: str | None) -> None:
    """Raises TwinOnlyError if the hazard checker is requested for a card."""
    if backend != "twin" and hazards not in (None, "", "off"):
        raise TwinOnlyError(
            f"hazards: {hazards!r} asks for the twin's hazard checker, which a card does not have"
            "\n  try: backend 'twin', or hazards='off'"
        )


def _refuse_other(wanted: str) -> None:
    if wanted != _opened:
        raise RuntimeError(
            f"backend: this process already uses {_opened!r} and cannot change to {wanted!r}; "
            "choose it before the first operator runs, or start another process"
        )


def library_dirs(backend: str) -> list[str]:
    """Returns the folders of libraries in search order; "" means a search by the dynamic loader."""
    if backend == "twin":
        return [str(twin_root() / "lib"), str(package_root() / "op_api" / "lib")]
    return _toolkit.library_dirs()
