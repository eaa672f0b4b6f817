# SPDX-License-Identifier: Apache-2.0
"""Runs an operator: computes its tiling, allocates its outputs and launches its kernel."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cannery import settings
from cannery.compile import Kernel, compile_kernel
from cannery.compile.kernel import NULL
from cannery.compile.launch_syntax import kernel_names
from cannery.compile.source import read_source
from cannery.errors import CanneryError, from_status
from cannery.opgen import literals
from cannery.opgen.dtypes import DTYPES, FORMATS, c_dtype, ge_dtype, ge_format
from cannery.opgen.names import macro_name, snake_case
from cannery.ops.arguments import output_array
from cannery.optiling.operators import HostSide
from cannery.optiling.request import numpy_dtype
from cannery.optiling.result import Tiling

__all__ = ["OpHostSources", "run_operator"]


@dataclass(frozen=True)
class OpHostSources:
    """The compiled sources of op_host, and what a kernel of the same operator needs of them."""

    files: tuple[Path, ...]
    include_dirs: tuple[str, ...]
    defines: tuple[str, ...]
    tiling_headers: tuple[Path, ...]  #: headers with tiling classes, which kernels do not include


def run_operator(
    host: HostSide,
    sources: OpHostSources,
    kernel: Any,
    arrays: Sequence[Any],
    attrs: Mapping[str, Any],
    soc: str | None,
    outputs: Sequence[Any] | None,
) -> Any:
    for index, array in enumerate(arrays):
        if array is not None and not isinstance(array, np.ndarray):
            raise TypeError(f"arrays: expected arrays and None, got {array!r} as number {index}")
    decided = host.tiling(arrays, attrs, soc, outputs, deterministic=False)
    if not decided.ok:
        raise from_status(decided.status, decided.op, decided.message)
    if not isinstance(kernel, Kernel):
        kernel = _compiled(host, sources, kernel, decided)
    results = [
        _output(None if outputs is None else outputs[index], planned)
        for index, planned in enumerate(decided.outputs)
    ]
    tensors = [*arrays, *[None] * (len(decided.inputs) - len(arrays)), *results]
    workspace = decided.user_workspace
    chip = contextlib.nullcontext() if soc is None else settings.use(soc=soc)
    with chip:
        kernel(
            decided.block_dim,
            *(NULL if tensor is None else tensor for tensor in tensors),
            *([] if workspace else [NULL]),
            workspace=workspace,
            # A kernel has the tiling parameter even if there is no tiling data.
            tiling=decided.data or bytes(8),
            tiling_key=decided.key,
        )
    return results[0] if len(results) == 1 else tuple(results)


def _output(given: Any, planned: tuple[tuple[int, ...], str] | None) -> Any:
    if planned is None or isinstance(given, np.ndarray):
        return given
    return output_array(planned[0], numpy_dtype(planned[1]))


def _compiled(host: HostSide, sources: OpHostSources, file: Any, decided: Tiling) -> Kernel:
    """Returns the kernel in a source, compiled for the dtypes of this call."""
    if not isinstance(file, str | os.PathLike):
        raise TypeError(
            f"kernel: expected a compiled kernel or the path of its source, got {file!r}"
        )
    path = Path(file).absolute()
    text = read_source(path, path.stem).text
    headers = [header for header in sources.tiling_headers if header.name not in text]
    try:
        lines = [literals.cpp_include(header) for header in headers]
    except ValueError as error:
        raise CanneryError(str(error)) from None
    folders = [str(path.parent), *sources.include_dirs]
    around = [str(folder) for folder in path.parents if folder.name == "op_kernel"]
    return compile_kernel(
        f"{''.join(lines)}#line 1 {literals.cpp(str(path))}\n{text}",
        _kernel_name(host.op, path, text),
        [*sources.defines, *_row_defines(host.definition, decided.row)],
        [*folders, *around],
    )


def _kernel_name(op: str, path: Path, text: str) -> str:
    names = list(kernel_names(text))
    if snake_case(op) in names:
        return snake_case(op)
    if len(names) == 1:
        return names[0]
    raise CanneryError(
        f"{path}: expected a kernel {snake_case(op)}, or only one; it has "
        f"{', '.join(names) or 'none'}. Give cannery.load(...) of it"
    )


def _row_defines(definition: dict[str, Any] | None, row: int) -> list[str]:
    """Returns the macros with which the toolkit's kernel build defines the dtypes of a kernel."""
    tensors = [] if definition is None else [*definition["inputs"], *definition["outputs"]]
    defines = []
    for tensor in tensors:
        macro, dtype = macro_name(tensor["name"]), tensor["dtypes"][row]
        form = tensor["formats"][row]
        if dtype in DTYPES:
            defines += [f"DTYPE_{macro}={c_dtype(dtype)}", f"ORIG_DTYPE_{macro}={ge_dtype(dtype)}"]
        if form in FORMATS:
            defines.append(f"FORMAT_{macro}={ge_format(form)}")
    return defines
