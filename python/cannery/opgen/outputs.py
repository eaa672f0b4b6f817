# SPDX-License-Identifier: Apache-2.0
"""The files that the generator makes, and the template or function that makes each of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Scope(Enum):
    """How often the generator makes a file."""

    PROJECT = "once, from all operators"
    OP = "once per operator"
    ENTRY = "once per public C function of an operator"
    ROW = "once per operator and dtype row that has a kernel of its own"
    SOC = "once per SoC, from all its operators"


@dataclass(frozen=True)
class Output:
    """A file below the output folder.

    `source` is a template or a function: in packagefiles.py for a SoC's file, else in jsonfiles.py.
    """

    path: str
    source: str
    scope: Scope = Scope.OP
    #: The path of a copy that is committed to the repository; empty if only builds make the file.
    committed: str = ""

    @property
    def is_template(self) -> bool:
        return self.source.endswith(".jinja")


LIST_OF_PAGES = "docs/operators.md"
OUTPUTS: tuple[Output, ...] = (
    Output("op_host/{snake}_def.cpp", "op_def.cpp.jinja"),
    Output("op_host/aclnnInner_{snake}.h", "aclnn_inner.h.jinja"),
    Output("op_host/aclnnInner_{snake}.cpp", "aclnn_inner.cpp.jinja"),
    Output("op_host/{snake}_checks.h", "checks.h.jinja"),
    Output("op_host/{snake}_interface.h", "interface.h.jinja"),
    Output("op_host/aclnn_{entry}_phase2.cpp", "aclnn_phase2.cpp.jinja", Scope.ENTRY),
    Output("op_host/aclnn_{snake}_forward.cpp", "aclnn_forward.cpp.jinja"),
    Output("include/aclnnop/aclnn_{entry}.h", "aclnn.h.jinja", Scope.ENTRY),
    Output("calls/{snake}_call.cpp", "call.cpp.jinja"),
    Output("graph/{snake}_proto.h", "op_proto.h.jinja"),
    Output("graph/op_proto.h", "op_protos.h.jinja", Scope.PROJECT),
    Output("kernel/{snake}_{row}.cpp", "kernel_row.cpp.jinja", Scope.ROW),
    Output("docs/{snake}.md", "api.md.jinja", committed="docs/api/{snake}.md"),
    Output("proto/{snake}.json", "model"),
    Output("msopgen/{snake}.json", "msopgen"),
    Output("package/{soc}/aic-{soc}-ops-info.json", "ops_info", Scope.SOC),
    Output("package/{soc}/binary_info_config.json", "binary_info", Scope.SOC),
    Output("operators.md", "operators.md.jinja", Scope.PROJECT, LIST_OF_PAGES),
)
