# SPDX-License-Identifier: Apache-2.0
"""The folders of the repository, and what the sources in each of them may know.

tools/layout_gate.py checks the sources, and the table of folders in CONTRIBUTING.md, against these
lists.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Headers:
    """Headers that the sources of a layer may include, and the words for them in the table."""

    words: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class Layer:
    """Sources below `folder` may include standard headers, their own files, and `allowed`."""

    folder: str
    allowed: tuple[Headers, ...]
    #: Folders that are on the include path of this layer.
    roots: tuple[str, ...]
    #: Words that must not occur in a source, not even in a comment.
    forbidden: tuple[str, ...] = ()


CANN_HOST = Headers(
    "header names that a CANN toolkit has for tiling",
    ("register/*", "exe_graph/*", "graph/*", "tiling/*", "platform/*"),
)
C_API = Headers("`acl/`, `aclnn/`", ("acl/*", "aclnn/*", "aclnnop/*"))
#: The headers of base, log and opdev are for unit tests of op_host; operators do not use them.
CANN = Headers(
    "all header names that a CANN toolkit has",
    (
        *(*CANN_HOST.patterns, *C_API.patterns, "kernel_tiling/*", "lib/*"),
        *("base/*", "log/*", "opdev/*"),
    ),
)
CORE = Headers("`twin/core`", ("core/*",))
SOC = Headers("`twin/soc`", ("soc/*",))
DEVICE = Headers("`twin/device`", ("device/*",))
KERNEL_TILING = Headers("`kernel_tiling/`", ("kernel_tiling/*",))
NO_TWIN = ("twin", "cannery")
NO_ASCENDC = ("namespace AscendC",)

#: A file belongs to the first layer whose folder contains it: op_host/aclnn/ stands before
#: op_host/, because it has rules of its own.
LAYERS = (
    Layer(
        "op_kernel/",
        (
            Headers(
                "`kernel_operator.h`, `lib/matmul_intf.h`",
                ("kernel_operator.h", "lib/matmul_intf.h"),
            ),
        ),
        ("op_kernel",),
        NO_TWIN,
    ),
    Layer(
        "op_host/aclnn/",
        (C_API, Headers("generated headers", ("aclnnInner_*.h", "*_checks.h", "*_interface.h"))),
        ("op_host/aclnn",),
        NO_TWIN,
    ),
    Layer(
        "op_host/",
        (CANN_HOST, Headers("its tiling structs", ("*_tiling.h", "*_interface.h"))),
        ("op_host", "op_kernel"),
        NO_TWIN,
    ),
    Layer("twin/core/", (SOC,), ("twin",), NO_ASCENDC),
    Layer("twin/soc/", (Headers("`twin/core/types.h`", ("core/types.h",)),), ("twin",), NO_ASCENDC),
    Layer("twin/hazard/", (CORE, SOC), ("twin",), NO_ASCENDC),
    Layer("twin/timing/", (CORE, SOC), ("twin",), NO_ASCENDC),
    Layer("twin/device/", (CORE, SOC, KERNEL_TILING), ("twin", "twin/include")),
    Layer("twin/host/", (CORE, SOC, DEVICE, CANN), ("twin", "twin/include")),
    Layer("twin/include/", (CORE, DEVICE, CANN), ("twin", "twin/include")),
    Layer("python/src/", (C_API, Headers("`pybind11/`", ("pybind11/*",))), ("python/src",)),
)

#: Folders without C++ rules of their own, and the words for what their sources may know.
OTHER_FOLDERS = {
    "op_proto/": "nothing",
    "python/cannery/": "modules on a lower floor",
    "python/cannery/opgen/": "prototypes",
    "tools/": "everything",
}

#: The folders of twin/device, lowest floor first. A folder may include folders on lower floors.
#: Folders on the same floor do not include each other.
DEVICE_FLOORS = (
    ("types",),
    ("lanes",),
    ("issue",),
    ("tensor",),
    ("sync",),
    ("vec", "atomic", "cache"),
    ("data_copy", "gather", "compare"),
    ("pipe", "sys"),
    ("fill", "library"),
    ("reduce", "sort", "transpose", "cube"),
    ("math", "activation", "quantization", "filter", "pad", "select", "normalization", "softmax"),
    ("matmul",),
    ("kfc",),
)

#: Modules and packages of python/cannery, lowest floor first, with the same rule. "" is the package
#: cannery itself, which offers the public names of everything below it.
PYTHON_FLOORS = (
    (
        *("_environment", "_native", "_status_names", "_toolkit"),
        *("debugger", "golden", "int4", "opgen"),
    ),
    ("errors",),
    ("_runtime", "package", "packages"),
    ("settings",),
    ("vendor_folder",),
    ("ops",),
    ("compile", "profiling", "project"),
    ("optiling",),
    ("advanced_tiling", "testing"),
    ("", "cases"),
    ("selftest", "testing.plugin"),
    ("cli",),
    ("__main__",),
)


def floor_numbers(floors: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Returns the number of the floor for each folder or module, counted from below."""
    return {name: number for number, names in enumerate(floors) for name in names}


def folder_rows() -> dict[str, str]:
    """For each folder, the words in CONTRIBUTING.md's table for what its sources may know."""
    rows = {layer.folder: ", ".join(each.words for each in layer.allowed) for layer in LAYERS}
    rows["twin/device/"] += ", folders on a lower floor"
    return rows | OTHER_FOLDERS
