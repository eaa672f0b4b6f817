# SPDX-License-Identifier: Apache-2.0
"""The folders of the repository, and the files that the sources of each folder may include or
import. tools/layout_gate.py uses these lists to check the sources and a table in CONTRIBUTING.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Headers:
    """Headers that the sources of a layer may include, and their description in CONTRIBUTING.md."""

    words: str
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class Layer:
    """Sources below `folder` may include standard headers, files below `folder`, and `allowed`."""

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
#: The headers in base/, log/ and opdev/ are for unit tests of op_host; operators do not use them.
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

#: A file belongs to the first layer whose folder contains it. So op_host/aclnn/, which has its own
#: rules, comes before op_host/.
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

#: Further rows of the table in CONTRIBUTING.md: folders without a Layer, and their last column.
OTHER_FOLDERS = {
    "op_proto/": "nothing",
    "python/cannery/": "modules on a lower floor",
    "python/cannery/opgen/": "prototypes",
    "tools/": "everything",
}

#: The folders of twin/device in floors (levels), lowest first. A folder may include only folders on
#: lower floors, so folders on the same floor do not include each other.
DEVICE_FLOORS = (
    ("types",),
    ("lanes",),
    ("issue",),
    ("tensor",),
    ("sync",),
    ("vec", "atomic", "cache"),
    ("data_copy", "gather", "compare"),
    ("pipe", "sys"),
    ("fill", "library", "c_api"),
    ("reduce", "sort", "transpose", "cube"),
    ("math", "activation", "quantization", "filter", "pad", "select", "normalization", "softmax"),
    ("matmul",),
    ("kfc",),
)

#: Modules and packages of python/cannery in floors (levels), lowest first. They import only what is
#: on lower floors. "" is cannery/__init__.py, which exports the public names.
PYTHON_FLOORS = (
    (
        *("_environment", "_native", "_status_names", "_toolkit", "build_stamp"),
        *("debugger", "golden", "int4", "opgen"),
    ),
    ("errors", "outputs"),
    ("_runtime", "checked_operator", "package", "packages"),
    ("settings",),
    ("project_settings",),
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
    """Returns the number of the floor of each folder or module; the lowest floor is 0."""
    return {name: number for number, names in enumerate(floors) for name in names}


def folder_rows() -> dict[str, str]:
    """Returns, for each folder, the last column of its row in CONTRIBUTING.md's table."""
    rows = {layer.folder: ", ".join(each.words for each in layer.allowed) for layer in LAYERS}
    rows["twin/device/"] += ", folders on a lower floor"
    return rows | OTHER_FOLDERS
