# SPDX-License-Identifier: Apache-2.0
"""cannery.tiling: returns what an operator's tiling function decides, without running the
operator.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cannery import _runtime, packages, settings
from cannery.optiling import calls
from cannery.optiling.request import attr_list, tensor_list
from cannery.optiling.result import Tiling

__all__ = ["HostSide", "host_side_in", "tiling"]


class HostSide:
    """The compiled host functions of one operator: its definition, tiling and inference."""

    def __init__(self, place: Path, library: Path, op: str) -> None:
        """place: the library, or the folder of the package, that has the operator.   library: the
        library with the tiling function.
        """
        self.op = op
        self.library = library
        self._place = os.fspath(place)
        described = calls.describe(os.fsencode(place), op)
        self.definition: dict[str, Any] | None = described["definition"]

    def tiling(
        self,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any] | None,
        soc: str | None,
        outputs: Sequence[Any] | None,
        deterministic: bool,
    ) -> Tiling:
        chip = settings.soc_name(soc)
        attrs = {} if attrs is None else attrs
        request: dict[str, Any] = {
            "place": self._place,
            "op": self.op,
            "soc": chip,
            "inputs": tensor_list("input", inputs, self._params("inputs")),
            "outputs": None
            if outputs is None
            else tensor_list("output", outputs, self._params("outputs")),
            "attrs": attr_list(attrs, self.definition),
            "deterministic": bool(deterministic),
        }
        answer = calls.tiling(request)
        message = answer["message"]
        if message:
            message += f"\n  inputs: {_told(request['inputs'], self._params('inputs'))}"
        return Tiling(
            op=self.op,
            soc=chip,
            inputs=tuple(map(_shape_and_dtype, request["inputs"])),
            outputs=tuple(map(_planned, answer["outputs"])),
            attrs=dict(attrs),
            status=answer["status"],
            message=message,
            **_decided(answer, self.library),
        )

    def _params(self, kind: str) -> list[dict[str, Any]] | None:
        return None if self.definition is None else self.definition[kind]


def _told(tensors: Sequence[Any], params: Sequence[dict[str, Any]] | None) -> str:
    """Returns the tensors as text, with their names, so that readers see exchanged tensors."""
    words = []
    for index, tensor in enumerate(tensors):
        name = f"{params[index]['name']} " if params is not None else ""
        if isinstance(tensor, list):
            words.append(f"{name}[{_told(tensor, None)}]")
            continue
        given = None if tensor is None else f"{tuple(tensor['shape'])} {tensor['dtype']}"
        words.append(name + (given or "absent"))
    return ", ".join(words)


def _planned(output: Any) -> Any:
    """Returns (shape, dtype) for an output in the answer, None, or a list of them."""
    if isinstance(output, dict):
        return [_planned(one) for one in output["list"]]
    return None if output is None else (tuple(output[0]), output[1])


def _decided(answer: dict[str, Any], library: Path) -> dict[str, Any]:
    if answer["status"] != 0:
        return {}
    return {
        "key": answer["key"],
        "block_dim": answer["block_dim"],
        "schedule_mode": answer["schedule_mode"],
        "workspaces": tuple(answer["workspaces"]),
        "data": bytes.fromhex(answer["data"]),
        "row": answer["row"],
        "library": library,
        "forms": tuple(map(tuple, answer["forms"])),
    }


def _shape_and_dtype(tensor: Any) -> Any:
    if isinstance(tensor, list):
        return [_shape_and_dtype(one) for one in tensor]
    return None if tensor is None else (tuple(tensor["shape"]), tensor["dtype"])


def tiling(
    op: str,
    inputs: Sequence[Any],
    attrs: Mapping[str, Any] | None = None,
    *,
    soc: str | None = None,
    outputs: Sequence[Any] | None = None,
    deterministic: bool = False,
) -> Tiling:
    """Returns what the tiling function of an operator decides for these shapes. No kernel runs.

    op: type or name, "SwiGluGrad" or "swi_glu_grad". The operator is searched in the project around
    the current folder, in packages of ASCEND_CUSTOM_OPP_PATH, in installed Python packages, and in
    cannery, in this order.
    inputs: in the prototype's order, each (shape, dtype) or (shape, dtype, format), with sizes in
    elements; None for an absent optional one, and a list of them for a dynamic one. Inputs that are
    left out at the end are absent. An array gives its shape and dtype, and its values if tiling
    reads them.
    attrs: values by name; an attribute that is left out has its default.
    soc: one of `cannery.settings.SOCS`; the default is the chip of `cannery.use`.
    outputs: in the form of inputs. The default is what the operator's inference of shapes and
    dtypes returns; without inference the outputs are like the first input.
    deterministic: the value of ACL_OPT_DETERMINISTIC that tiling sees.

    If the operator refuses the call, no exception is raised: `status` is the status of the first
    phase of aclnn, and `message` has the reason. Raises TypeError or ValueError for arguments that
    the operator cannot have (an unknown attribute, an input too many, no dtype), ValueError for an
    unknown operator, CanneryError if its library cannot be loaded, TwinOnlyError with the backend
    npu.
    """
    if not isinstance(op, str):
        raise TypeError(f"op: expected the type or name of an operator, got {op!r}")
    variable = os.environ.get("ASCEND_CUSTOM_OPP_PATH", "")
    return _find(op, os.getcwd(), variable).tiling(inputs, attrs, soc, outputs, deterministic)


@functools.lru_cache(maxsize=256)
def _find(op: str, folder: str, variable: str) -> HostSide:
    known: list[str] = []
    for package in _packages(folder, variable):
        for path in sorted(package.glob("cannery/proto/*.json")):
            op_type = json.loads(path.read_text("utf-8"))["type"]
            if op in (op_type, path.stem):
                return host_side_in(package, op_type)
            known.append(op_type)
    raise packages.unknown(op, known, "op")


def host_side_in(package: Path, op: str) -> HostSide:
    """Returns the host functions of the operator type `op` in a package, `vendors/<vendor>`."""
    folder = package / "op_impl/ai_core/tbe/op_tiling/lib/linux" / platform.machine()
    return HostSide(package, folder / "libcust_opmaster_rt2.0.so", op)


def _packages(folder: str, variable: str) -> Iterator[Path]:
    for around in (Path(folder), *Path(folder).parents):
        if any(around.glob("op_host/*.cpp")):
            yield from sorted(around.glob("build/opp/vendors/*/"))
            break
    yield from (Path(path) for path in variable.split(os.pathsep) if path)
    entries = importlib.metadata.entry_points(group=packages.GROUP)
    for name in sorted({entry.value for entry in entries}):
        spec = importlib.util.find_spec(name)
        places = spec.submodule_search_locations if spec else None
        if places:
            yield Path(places[0]) / "_opp/vendors" / name
    yield _runtime.package_root()
