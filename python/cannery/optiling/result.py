# SPDX-License-Identifier: Apache-2.0
"""What a tiling function has decided."""

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
    """The tiling of one call: `t["rows"]` is a field of its data, `t.ok` whether there is any."""

    op: str  #: the operator's type
    soc: str
    inputs: tuple[Any, ...]  #: (shape, dtype) each, None for absent ones
    outputs: tuple[Any, ...]  #: the same, as given or inferred; empty where that failed
    attrs: Mapping[str, Any]  #: as given
    status: int  #: 0, else what the first phase of aclnn would return
    message: str  #: why the status is not 0
    key: int = 0
    block_dim: int = 0
    schedule_mode: int = 0
    workspaces: tuple[int, ...] = ()  #: in bytes, with the system's
    data: bytes = field(default=b"", repr=False)  #: what the kernel gets
    row: int = 0  #: of the definition's lists of dtypes
    library: Path | None = field(default=None, repr=False)  #: that the tiling function is in
    forms: tuple[Form, ...] = field(default=(), repr=False)

    @property
    def ok(self) -> bool:
        return self.status == 0

    @functools.cached_property
    def array(self) -> npt.NDArray[Any]:
        """The data as a structured array without dimensions, which a kernel takes for its tiling.
        A dtype without fields where nothing says what they are.
        """
        dtype = _dtype(self.library, self.forms, len(self.data)) if self.library else None
        return np.frombuffer(self.data, dtype or np.dtype(f"V{len(self.data)}"), 1).reshape(())

    @functools.cached_property
    def fields(self) -> dict[str, Any]:
        """Names and values, in Python's own numbers; dictionaries for structs, lists for arrays."""
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
        """Numbers of the chip: vector_cores, cube_cores, ub_bytes, l1_bytes, ..., as tiling is
        told them.
        """
        return calls.chip(self.soc)

    @property
    def user_workspace(self) -> int:
        """Bytes of workspace that are the kernel's own: the first 16 MiB are the system's."""
        return max(0, sum(self.workspaces) - int(self.chip["system_workspace_bytes"]))


@functools.lru_cache(maxsize=256)
def _dtype(library: Path, forms: tuple[Form, ...], size: int) -> np.dtype[Any] | None:
    return dtype_of(library, forms, size)
