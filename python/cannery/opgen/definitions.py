# SPDX-License-Identifier: Apache-2.0
"""Makes prototypes from the OpDef classes in op_host/*.cpp, because a project of msopgen has no
prototype files. `python -m cannery.opgen.definitions LIBNNOPBASE LIBRARY` prints the definitions in
a compiled op_host. The command runs code of LIBRARY, so it needs a separate process.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from .dtypes import DTYPES, FORMATS

#: Names of attribute types in definitions, each with its name in prototypes.
ATTR_TYPES = {
    "Int": "int",
    "Float": "float",
    "Bool": "bool",
    "String": "string",
    "ListInt": "list_int",
    "ListFloat": "list_float",
    "ListBool": "list_bool",
}


#: The SoC families that the twin supports.
SOCS = ("ascend910b", "ascend910_93")


def prototypes(described: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns the prototypes for the operators that `describe` returned, and a line `operator:
    rule` for each fault. Rows with a dtype that the twin lacks, and repeated rows, are left out.
    """
    faults: list[str] = []
    return [_prototype(_without_rows(entry), faults) for entry in described], faults


def left_out(described: list[dict[str, Any]]) -> list[str]:
    """Returns a sentence for each operator that has rows with dtypes that the twin lacks."""
    lines = []
    for entry in described:
        dtypes = {dtype for tensor in _tensors_of(entry) for dtype in tensor["dtypes"]}
        unknown = sorted(dtypes - DTYPES.keys())
        if unknown and _rows_of(entry):
            lines.append(f"{entry['type']}: not built for {', '.join(unknown)}")
    return lines


def _tensors_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    return [*entry["inputs"], *entry["outputs"]]


def _rows_of(entry: dict[str, Any]) -> list[int]:
    """Returns the rows of the definition whose dtypes the twin has; of equal rows, the first."""
    tensors = _tensors_of(entry)
    dtypes = zip(*(tensor["dtypes"] for tensor in tensors), strict=False)
    formats = zip(*(tensor["formats"] for tensor in tensors), strict=False)
    first: dict[Any, int] = {}
    for row, both in enumerate(zip(dtypes, formats, strict=False)):
        if all(dtype in DTYPES for dtype in both[0]):
            first.setdefault(both, row)
    return list(first.values())


def _without_rows(entry: dict[str, Any]) -> dict[str, Any]:
    """Returns an operator without the rows that the twin cannot run. If no row is left, or if the
    definition has a defect or is for no chip of the twin, nothing changes.
    """
    rows = [] if entry["defect"] or not entry["row_socs"] else _rows_of(entry)
    if not rows:
        return entry

    def kept(tensor: dict[str, Any]) -> dict[str, Any]:
        return {
            **tensor,
            "dtypes": [tensor["dtypes"][row] for row in rows],
            "formats": [tensor["formats"][row] for row in rows],
        }

    cut = {kind: list(map(kept, entry[kind])) for kind in ("inputs", "outputs")}
    return {**entry, **cut, "row_socs": [entry["row_socs"][row] for row in rows]}


def _prototype(entry: dict[str, Any], faults: list[str]) -> dict[str, Any]:
    op = entry["type"]
    if entry["defect"]:
        faults.append(f"{op}: {entry['defect']}")
    socs = [soc for soc in entry["socs"] if soc in SOCS]
    if not socs:
        given = ", ".join(entry["socs"]) or "none"
        faults.append(
            f"{op}: AddConfig: expected ascend910b (A2) or ascend910_93 (A3); given: {given}; "
            "for msopgen ai_core-ascend910b1 is Atlas A2, ai_core-ascend910b an older chip"
        )
    proto = {
        "type": op,
        "category": "custom",
        "socs": socs,
        "summary": f"{op}.",
        "doc": "As its definition in op_host says.\n",
        "input": [_tensor(op, "input", tensor, faults) for tensor in entry["inputs"]],
        "attr": [_attr(op, attr, faults) for attr in entry["attrs"]],
        "output": [_tensor(op, "output", tensor, faults) for tensor in entry["outputs"]],
        "rule": [],
    }
    kernel = _kernel(entry, socs, faults)
    row_socs = [[soc for soc in socs if soc in row] for row in entry["row_socs"]]
    if any(row != socs for row in row_socs):
        proto["row_socs"] = row_socs
    return {**proto, "kernel": kernel} if kernel else proto


def _kernel(entry: dict[str, Any], socs: list[str], faults: list[str]) -> dict[str, str]:
    """Returns the kernel's file and function from ExtendCfgInfo; empty for the default names."""
    said = {
        tuple(kernel)
        for soc, kernel in zip(entry["socs"], entry["kernels"], strict=True)
        if soc in socs
    }
    if len(said) > 1:
        faults.append(
            f"{entry['type']}: ExtendCfgInfo: opFile.value and opInterface.value differ by SoC, "
            f"{', '.join(map(str, sorted(said)))}; the twin has one kernel for all of them"
        )
    return {
        key: name
        for names in said
        for key, name in zip(("file", "function"), names, strict=True)
        if name
    }


def other_socs(described: list[dict[str, Any]]) -> list[str]:
    """Returns a sentence for each operator that is also defined for chips that the twin does not
    support.
    """
    lines = []
    for entry in described:
        others = [soc for soc in entry["socs"] if soc not in SOCS]
        if others and len(others) < len(entry["socs"]):
            lines.append(
                f"{entry['type']}: not built for {', '.join(others)}, which is no A2 or A3"
            )
    return lines


def _tensor(op: str, kind: str, entry: dict[str, Any], faults: list[str]) -> dict[str, Any]:
    for word, known in (("dtypes", DTYPES), ("formats", FORMATS)):
        for value in entry[word]:
            if value not in known:
                faults.append(f"{op}: {entry['name']}: {value}; the twin has {', '.join(known)}")
    tensor = {
        "name": entry["name"],
        "param_type": entry["param_type"],
        "dtypes": entry["dtypes"],
        "formats": entry["formats"],
        "shape": "any",
        "doc": f"{entry['name']}.",
    }
    if kind == "input":
        tensor["auto_contiguous"] = entry["auto_contiguous"]
        tensor["value_depend"] = entry["value_depend"]
        if entry["scalar"]:
            tensor["scalar"] = entry["scalar"]
    return tensor


def _attr(op: str, entry: dict[str, Any], faults: list[str]) -> dict[str, Any]:
    kind = ATTR_TYPES.get(entry["type"])
    if kind is None:
        faults.append(f"{op}: {entry['name']}: {entry['type']}; expected {', '.join(ATTR_TYPES)}")
    attr = {
        "name": entry["name"],
        "type": kind or "int",
        "param_type": "required" if entry["required"] else "optional",
        "doc": f"{entry['name']}.",
    }
    if not entry["required"]:
        value = entry["value"]
        if kind == "list_float":
            value = [float(item) for item in value]
        attr["default"] = float(value) if kind == "float" and value is not None else value
    return attr


def describe(base: str, library: str) -> str:
    """Returns the operators that `library` registers, as JSON. Raises OSError if the library cannot
    be loaded.
    """
    loaded = ctypes.CDLL(base, mode=os.RTLD_GLOBAL)
    loaded.twinDescribeOperators.restype = ctypes.c_char_p
    loaded.twinDescribeOperators.argtypes = [ctypes.c_char_p]
    loaded.aclGetRecentErrMsg.restype = ctypes.c_char_p
    text = loaded.twinDescribeOperators(os.fsencode(library))
    if text is None:
        raise OSError((loaded.aclGetRecentErrMsg() or b"no reason").decode(errors="replace"))
    return bytes(text).decode()


def main(arguments: list[str]) -> int:
    try:
        sys.stdout.write("\n" + describe(*arguments) + "\n")
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
