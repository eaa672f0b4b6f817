# Stub of the native module (python/src/module.cpp).
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cannery._native import ops as ops

def open(directories: Sequence[str], map_host: bool = True) -> None: ...
def close() -> None: ...
def soc_name() -> str: ...
def maps_host() -> bool: ...
def operator_library() -> str: ...

class Kernel:
    def __init__(self, path: bytes, name: str) -> None: ...
    def launch(
        self,
        arrays: Sequence[npt.NDArray[Any] | np.ndarray[Any, Any]],
        block_dim: int,
        workspace: int,
        tiling: bytes,
        tiling_key: int,
        dump: bytes,
    ) -> list[tuple[int, str]]: ...
