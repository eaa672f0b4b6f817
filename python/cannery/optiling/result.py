# SPDX-License-Identifier: Apache-2.0
"""The result of a tiling function."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery.optiling import calls
from cannery.optiling.layout import Form, dtype_of, values_of

__all__ = ["Tiling"]


@dataclass(frozen=True)
class Tiling:
    """The tiling of one call. `t["rows"]` is a field of its data; `t.ok` is false if the operator
    refused the call.
    """

    op: str  #: the operator's type
    soc: str
    inputs: tuple[Any, ...]  #: (shape, dtype) of each input; None for an absent one
    outputs: tuple[Any, ...]  #: (shape, dtype) of each output; empty if inference failed
    attrs: Mapping[str, Any]  #: the attributes that the caller gave
    status: int  #: 0, or the status that the first phase of aclnn would return
    message: str  #: why the status is not 0
    key: int = 0
    block_dim: int = 0
    schedule_mode: int = 0
    workspaces: tuple[int, ...] = ()  #: sizes in bytes, including the system workspace
    data: bytes = field(default=b"", repr=False)  #: the bytes that the kernel receives
    row: int = 0  #: index in the definition's lists of dtypes
    library: Path | None = field(default=None, repr=False)  #: the library with the tiling function
    forms: tuple[Form, ...] = field(default=(), repr=False)

    @property
    def ok(self) -> bool:
        return self.status == 0

    @functools.cached_property
    def array(self) -> npt.NDArray[Any]:
        """The data as a structured array without dimensions, which a kernel accepts as its tiling.
        If the fields are not known, the array's dtype has no fields.
        """
        dtype = _dtype(self.library, self.forms, len(self.data)) if self.library else None
        return np.frombuffer(self.data, dtype or np.dtype(f"V{len(self.data)}"), 1).reshape(())

    @functools.cached_property
    def fields(self) -> dict[str, Any]:
        """The fields of the data by name, as Python's own numbers; structs are dictionaries, arrays
        are lists.
        """
        values = values_of(self.array[()]) if self.data else {}
        return values if isinstance(values, dict) else {}

    def __getitem__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            known = ", ".join(self.fields) or self.message or "none that is described"
            raise KeyError(f"{self.op}: no tiling field {name!r}; it has {known}") from None

    @property
    def chip(self) -> dict[str, Any]:
        """Properties of the chip that tiling uses: vector_cores, cube_cores, ub_bytes, ..."""
        return calls.chip(self.soc)

    @property
    def user_workspace(self) -> int:
        """The bytes of workspace for the kernel itself; the first 16 MiB belong to the system."""
        return max(0, sum(self.workspaces) - int(self.chip["system_workspace_bytes"]))


@functools.lru_cache(maxsize=256)
def _dtype(library: Path, forms: tuple[Form, ...], size: int) -> np.dtype[Any] | None:
    return dtype_of(library, forms, size)
