# SPDX-License-Identifier: Apache-2.0
"""Custom Ascend C operators, and a CPU twin of the chip that runs them without toolkit and card.

Every module is imported at its first use: `import cannery` alone loads neither NumPy nor a native
library.

PYTEST_DONT_REWRITE: without this word, pytest warns if cannery is loaded before cannery's plugin.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cannery import (
        advanced_tiling,
        compile,
        errors,
        golden,
        ops,
        profiling,
        settings,
        testing,
    )
    from cannery.compile import Kernel, compile_kernel, load, read_dump, read_ub_map
    from cannery.errors import (
        AclError,
        AclnnError,
        BackendError,
        CanneryError,
        CompileError,
        Hazard,
        HazardError,
        IncompleteOutputError,
        IncompleteOutputWarning,
        KernelError,
        KernelWarning,
        NotBuiltError,
        OneSidedErrorWarning,
        TwinOnlyError,
    )
    from cannery.int4 import pack_int4, unpack_int4
    from cannery.ops import *  # noqa: F403  operators are also attributes of cannery
    from cannery.optiling import Tiling, load_op_host, matmul_tiling, tiling
    from cannery.profiling import load_profile, profile
    from cannery.settings import use

__all__ = [
    "AclError",
    "AclnnError",
    "BackendError",
    "CanneryError",
    "CompileError",
    "Hazard",
    "HazardError",
    "IncompleteOutputError",
    "IncompleteOutputWarning",
    "Kernel",
    "KernelError",
    "KernelWarning",
    "NotBuiltError",
    "OneSidedErrorWarning",
    "Tiling",
    "TwinOnlyError",
    "__version__",
    "advanced_tiling",
    "compile",
    "compile_kernel",
    "errors",
    "golden",
    "load",
    "load_op_host",
    "load_profile",
    "matmul_tiling",
    "ops",
    "pack_int4",
    "profile",
    "profiling",
    "read_dump",
    "read_ub_map",
    "settings",
    "testing",
    "tiling",
    "unpack_int4",
    "use",
]

__version__ = "0.1.0"

_MODULES = frozenset(
    {
        *("advanced_tiling", "cases", "compile", "errors", "golden", "ops", "profiling"),
        *("project", "settings", "testing"),
    }
)
_HOMES = {
    "AclError": "errors",
    "AclnnError": "errors",
    "BackendError": "errors",
    "CanneryError": "errors",
    "CompileError": "errors",
    "Hazard": "errors",
    "HazardError": "errors",
    "IncompleteOutputError": "errors",
    "IncompleteOutputWarning": "errors",
    "Kernel": "compile",
    "KernelError": "errors",
    "KernelWarning": "errors",
    "NotBuiltError": "errors",
    "OneSidedErrorWarning": "errors",
    "Tiling": "optiling",
    "TwinOnlyError": "errors",
    "compile_kernel": "compile",
    "load": "compile",
    "load_op_host": "optiling",
    "load_profile": "profiling",
    "matmul_tiling": "optiling",
    "pack_int4": "int4",
    "profile": "profiling",
    "read_dump": "compile",
    "read_ub_map": "compile",
    "tiling": "optiling",
    "unpack_int4": "int4",
    "use": "settings",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    if not name.startswith("_") and name in _operators().__all__:
        return getattr(_operators(), name)
    # With `name` and `obj`, Python can suggest an attribute with a similar name.
    raise AttributeError(
        f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__]
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_operators().__all__})


def _operators() -> Any:
    return importlib.import_module(f"{__name__}.ops")
