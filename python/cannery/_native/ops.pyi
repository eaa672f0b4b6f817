# generated from op_proto/swi_glu_grad.toml; do not edit
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_Tensor = npt.NDArray[Any] | None
_IntArray = Sequence[int] | np.ndarray[Any, Any] | None

def swi_glu_grad(
    y_grad: _Tensor,
    x: _Tensor,
    dim: int,
    x_grad: _Tensor,
) -> None: ...
