# SPDX-License-Identifier: Apache-2.0
"""The rows of a prototype and random inputs for each row. A row is one of the combinations of
dtypes that the prototype declares.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from cannery.opgen.model import Attr, Operator, Tensor
    from cannery.optiling import Tiling
    from cannery.optiling.operators import HostSide
    from cannery.testing.shapes import Shapes

    #: The type of a project's function inputs(row, shapes, rng), which returns inputs by name.
    Maker = Callable[["OperatorRow", Shapes, np.random.Generator], Mapping[str, Any]]

__all__ = ["CHIPS", "OperatorRow"]

#: For each family of chips that a prototype can name: the chip for its tests.
CHIPS = {"ascend910b": "Ascend910B2", "ascend910_93": "Ascend910_9391"}


#: The largest number of dimensions of a tensor of the C API.
_MAX_DIMS = 8


@dataclass(frozen=True)
class OperatorRow:
    """One combination of dtypes that a prototype declares, on one chip."""

    op: Operator
    row: int
    soc: str
    #: The function `inputs` of the project's module cases.<op>, if there is one.
    maker: Maker | None = None
    #: The folder of the compiled operators, `vendors/<vendor>`, if the project is built.
    vendor: Path | None = None

    def __str__(self) -> str:
        dtypes = "-".join(dict.fromkeys(tensor.dtypes[self.row] for tensor in self.op.inputs))
        return f"row{self.row}-{dtypes}-{self.soc}"

    def dtype(self, name: str) -> np.dtype[Any]:
        """Returns the dtype of the tensor with the Python name `name`."""
        import ml_dtypes
        import numpy as np

        (dtype,) = (t.dtypes[self.row] for t in self.op.arguments if t.py_name == name)
        return np.dtype(getattr(ml_dtypes, dtype, dtype))

    # The parameters of inputs() and shape() are positional-only, because an operator's input may
    # have the same name as one of these parameters.
    def inputs(
        self, shape: tuple[int, ...], seed: int = 0, /, **shapes: tuple[int, ...]
    ) -> dict[str, Any]:
        """Returns values for every required input, and for those optional inputs that `shapes`
        names: `operator_row.inputs((4, 65), gamma=(65,))`. A dynamic input is a list of two arrays
        of one shape.

        shape: the shape of the first input. An input that is not in `shapes` has the shape that
        its prototype describes, as in (N, D). Without a description, it has the shape `shape`.
        Raises ShapeError if a shape contradicts the prototype.

        The function `inputs` of the project's cases/<op>.py makes those inputs that it returns;
        the other inputs are random. Raises CanneryError if a returned input does not fit the
        prototype.
        """
        import numpy as np

        from cannery.testing.shapes import Shapes
        from cannery.testing.sizes import check_size

        check_size(self.op.inputs[0].py_name, shape, self.dtype(self.op.inputs[0].py_name))
        rng = np.random.default_rng([seed, self.row])
        every = Shapes(self.op, shape, shapes)
        made = dict(self.maker(self, every, rng)) if self.maker else {}
        values = {}
        for tensor in self.op.inputs:
            name = tensor.py_name
            if name in made:
                values[name] = made[name]
            elif name in shapes or not tensor.optional:
                values[name] = self._random(rng, tensor, every[name])
        if self.maker is not None:
            self._check_made({**values, **made}, shape)
        return values

    def _check_made(self, values: Mapping[str, Any], shape: tuple[int, ...]) -> None:
        """Raises CanneryError if the names or shapes of inputs that the project's function has made
        contradict the prototype.
        """
        from cannery.errors import CanneryError
        from cannery.testing.shapes import ShapeError, Shapes

        found = {name: getattr(value, "shape", None) for name, value in values.items()}
        shapes = {name: each for name, each in found.items() if each is not None}
        try:
            every = Shapes(self.op, shapes.get(self.op.inputs[0].py_name, shape), shapes)
            # `Shapes` has checked the names in `shapes`.
            for name in values.keys() - shapes.keys():
                every.check(name)
        except ShapeError as error:
            where = getattr(self.maker, "__module__", "the project")
            raise CanneryError(f"{where}: inputs: {error}") from None

    def shape(
        self,
        tiles: str,
        attrs: Mapping[str, Any] | None = None,
        rest: tuple[int, ...] = (97,),
        /,
        **shapes: tuple[int, ...],
    ) -> tuple[int, ...]:
        """Returns a shape of the first input for which the operator's tiling makes these tiles.

        tiles: "one-tile"; "full-ub": each core has a tile that fills the local memory;
        "three-tiles": each core has at least three such tiles; "tail": one row more than that.
        attrs: by their Python names.   rest: all extents but the first; this function chooses the
        first.   shapes: the shapes of other inputs, as for `inputs`.

        Raises CanneryError if the tiling does not show when a tile fills the local memory,
        NotBuiltError if the project is not built, and ValueError if `rest` has too many extents.
        """
        from cannery.testing.tiles import rows_for

        if len(rest) >= _MAX_DIMS:
            raise ValueError(
                f"rest: expected at most {_MAX_DIMS - 1} extents, because a tensor of a card has "
                f"at most {_MAX_DIMS} dimensions, got {len(rest)}"
            )
        named = {attr.name: (attrs or {})[attr.py_name] for attr in self._given(attrs)}

        def ask(rows: int) -> Tiling:
            tensors = self._tensors((rows, *rest), shapes)
            return self._host.tiling(tensors, named, self.soc, None, False)

        return (rows_for(tiles, ask, math.prod(rest)), *rest)

    @functools.cached_property
    def _host(self) -> HostSide:
        from cannery.errors import NotBuiltError, TwinOnlyError
        from cannery.optiling.operators import host_side_in
        from cannery.settings import current_backend

        if current_backend() != "twin":
            raise TwinOnlyError("shape: the twin's tiling tells it; on a card choose it yourself")
        if self.vendor is None:
            raise NotBuiltError(f"{self.op.snake}: is not built for the twin; run `cannery build`")
        return host_side_in(self.vendor, self.op.type)

    def _given(self, attrs: Mapping[str, Any] | None) -> list[Attr]:
        known = {attr.py_name: attr for attr in self.op.attrs}
        for name in attrs or {}:
            if name not in known:
                raise ValueError(
                    f"attrs: {self.op.snake} has {', '.join(known) or 'none'}, got {name!r}"
                )
        return [known[name] for name in attrs or {}]

    def _tensors(self, shape: tuple[int, ...], shapes: Mapping[str, Any]) -> list[Any]:
        """Returns the inputs of a call as `cannery.tiling` takes them."""
        import numpy as np

        from cannery.testing.shapes import Shapes

        every = Shapes(self.op, shape, shapes)
        tensors: list[Any] = []
        for tensor in self.op.inputs:
            dtype = self.dtype(tensor.py_name)
            if tensor.value_depend:
                tensors.append(np.ones(1, dtype))
            elif tensor.scalar:
                tensors.append(np.ones((2,) if tensor.scalar == "list" else (), dtype))
            elif tensor.dynamic:
                tensors.append([(every[tensor.py_name], dtype)] * 2)
            elif tensor.optional and tensor.py_name not in shapes:
                tensors.append(None)
            else:
                tensors.append((every[tensor.py_name], dtype))
        return tensors

    def _random(self, rng: np.random.Generator, tensor: Tensor, shape: tuple[int, ...]) -> Any:
        import numpy as np

        from cannery.testing.random import normal
        from cannery.testing.sizes import check_size

        dtype = self.dtype(tensor.py_name)
        if tensor.value_depend:
            return np.ones(1, dtype).tolist()
        if tensor.scalar:
            return dtype.type(1) if tensor.scalar == "scalar" else [dtype.type(1)] * 2
        if tensor.dynamic:
            single = dataclasses.replace(tensor, param_type="required")
            return [self._random(rng, single, shape) for _ in range(2)]
        check_size(tensor.py_name, shape, dtype)
        if dtype.kind == "b":
            return rng.integers(0, 2, shape).astype(dtype)
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
        return normal(rng, shape, dtype)
