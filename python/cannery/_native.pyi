# Types of the native module, which python/src/module.cpp implements.
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

def open(directories: Sequence[str], map_host: bool = True) -> None: ...
def close() -> None: ...
def soc_name() -> str: ...
def runtime_path() -> str: ...
def device_id() -> int: ...
def maps_host() -> bool: ...

class OperatorLibrary:
    def __init__(self, directories: Sequence[str], calls: bytes) -> None: ...
    @property
    def path(self) -> str: ...

class Operator:
    def __init__(
        self,
        library: OperatorLibrary,
        name: str,
        api: str,
        parameters: Sequence[tuple[str, str]],
    ) -> None: ...
    def __call__(self, *values: Any, settings: Mapping[str, str] = ...) -> None: ...

class Kernel:
    def __init__(self, path: bytes, name: str, launch_form: bool) -> None: ...
    def launch(
        self,
        arguments: Sequence[tuple[npt.NDArray[Any] | np.ndarray[Any, Any] | bytes, int]],
        block_dim: int,
        workspace: int,
        tiling: bytes,
        tiling_key: int,
        dump: bytes,
    ) -> list[tuple[int, str]]: ...
