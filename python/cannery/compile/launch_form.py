# SPDX-License-Identifier: Apache-2.0
"""Writes a kernel in the toolkit's launch form, which bisheng compiles: one file with the device
code and the host function that starts the kernel with <<<...>>>.
"""

from __future__ import annotations

import re

from cannery.compile.cores import CUBE_WORDS, KERNEL_TYPES, attribute_type
from cannery.compile.launch_syntax import has_launches
from cannery.compile.request import COPY, Request
from cannery.compile.source import parameters
from cannery.errors import CompileError, TwinOnlyError

__all__ = ["ARCHITECTURES", "launch_unit", "reading_unit", "refuse_launches", "start_type"]

#: bisheng's names for the cores of A2 and A3, by kernel type.
ARCHITECTURES = {
    KERNEL_TYPES["AIV_ONLY"]: "dav-c220-vec",
    KERNEL_TYPES["AIC_ONLY"]: "dav-c220-cube",
    KERNEL_TYPES["MIX_AIC_1_2"]: "dav-c220",
}

_DEFAULT_TYPE = re.compile(r"\bKERNEL_TASK_TYPE_DEFAULT\s*\(\s*KERNEL_TYPE_(\w+)")
_TYPE_OF_KEY = r"\bKERNEL_TASK_TYPE\s*\(\s*{key}[uUlL]*\s*,\s*KERNEL_TYPE_(\w+)"
_TEMPLATE = r"\btemplate\s*<[^;{{}}]*\b__global__\b[^;{{}}()]*\b{name}\s*\("
_KERNEL = re.compile(r"\b__global__\b[^;{}()]*?(\w+)\s*\([^()]*\)\s*\{")
_HARD_SYNC_ALL = re.compile(r"\bSyncAll\s*(?:<[^<>]*>)?\s*\(\s*\)")
_KEPT = (
    *("__global__", "__aicore__", "__gm__", "GM_ADDR", "__vector__", "__cube__", "__mix__"),
    *("KERNEL_TASK_TYPE_DEFAULT", "KERNEL_TASK_TYPE", "REGISTER_TILING_DEFAULT"),
    "REGIST_MATMUL_OBJ",
)
_TILING = re.compile(r"\bREGISTER_TILING_DEFAULT\s*\(\s*([\w:]+)\s*\)")

# For a kernel in a package, the toolkit's `opc` writes these macros. For a kernel that Python
# launches, cannery writes them.
_TILING_MACROS = """\
#define GET_TILING_DATA_WITH_STRUCT(type, data, address) \\
    type data;                                           \\
    CanneryFetch(&data, sizeof(type), address)
__aicore__ inline void CanneryFetch(void* data, uint32_t bytes, GM_ADDR address)
{
    for (uint32_t i = 0; i < bytes; ++i) {
        reinterpret_cast<uint8_t*>(data)[i] = address[i];
    }
}
"""
# The toolkit's own generator launches kernels in the same way: the user's kernel becomes an inline
# function. An outer kernel passes the address of the system workspace to the device API and then
# calls this function.
_UNIT = """\
#include "kernel_operator.h"
{tiling}#undef __global__
#define __global__ inline
#include "{copy}"
#undef __global__
#define __global__ __attribute__((cce_kernel))
extern "C" __global__ __aicore__ void cannery_entry_{name}({declared})
{{
{prologue}    AscendC::SetSysWorkspaceForce(system);
    {name}({passed});
}}
extern "C" int32_t rtGetC2cCtrlAddr(uint64_t* address, uint32_t* bytes);
extern "C" const uint32_t cannery_parameters = {count};
extern "C" const char cannery_names[] = "{names}";
extern "C" int32_t cannery_launch(uint32_t blocks, void* stream, void* system,
                                  void* const* arguments)
{{
    uint64_t sync = 0;
{ask}    cannery_entry_{name}<<<blocks, nullptr, stream>>>({given});
    return 0;
}}
"""
# The cores of a mix kernel synchronise through memory whose address the runtime returns. The Matmul
# server of the kernel needs a cleared message area.
_MIX_PROLOGUE = """\
    AscendC::SetSyncBaseAddr(sync);
#if defined(REGIST_MATMUL_OBJ)
    if ASCEND_IS_AIC {
        AscendC::clearWorkspace(system);
    }
#endif
"""
_MIX_ASK = """\
    uint32_t bytes = 0;
    if (const int32_t status = rtGetC2cCtrlAddr(&sync, &bytes)) {
        return status;
    }
"""


def refuse_launches(request: Request) -> None:
    """Raises TwinOnlyError for a source with launches, because the launch form makes an inline
    function of each kernel.
    """
    if has_launches(request.source.text):
        _refuse(request, "stands in a source with launches of its own, a program for bisheng")


def reading_unit() -> str:
    """Returns a source that is only preprocessed, not compiled. The preprocessor does not expand
    the macros that `start_type` and `launch_unit` search for.
    """
    kept = "".join(f"#undef {word}\n#define {word} {word}\n" for word in _KEPT)
    return f'#include "kernel_operator.h"\n{kept}#include "{COPY}"\n'


def start_type(request: Request, text: str, key: int) -> int:
    """Returns the kernel's type for a tiling key. If `text` does not declare the type, words
    in `text`, such as Matmul and SyncAll, decide.
    """
    kind = request.kernel_type
    name = request.name
    text = _without_other_kernels(text, name)
    if kind is None:
        named = re.search(_TYPE_OF_KEY.format(key=key), text) or _DEFAULT_TYPE.search(text)
        kind = KERNEL_TYPES.get(named[1]) if named else attribute_type(text, name)
    if kind is None:
        alone = "MIX_AIV_1_0" if _HARD_SYNC_ALL.search(text) else "AIV_ONLY"
        kind = KERNEL_TYPES["MIX_AIC_1_2" if CUBE_WORDS.search(text) else alone]
    if kind not in ARCHITECTURES:
        word = next(word for word, number in KERNEL_TYPES.items() if number == kind)
        _refuse(request, f"is {word}, which no launch starts: it takes AIV_ONLY, AIC_ONLY and "
                "MIX_AIC_1_2")  # fmt: skip
    return kind


def launch_unit(request: Request, text: str, kind: int) -> str:
    """Returns the source that bisheng compiles; it includes the copy of the user's source. `text`
    is the preprocessed source, which has the definition of the kernel.
    """
    name = request.name
    if not name.isidentifier():
        _refuse(request, "is an instance or lies in a namespace")
    if re.search(_TEMPLATE.format(name=name), text):
        _refuse(request, "is a template, of which `opc` makes the instances")
    found = parameters(text, name)
    if found is None:
        raise CompileError(
            f"kernel {name!r} does not compile with bisheng:\n"
            f"{request.source.label}: error: '::{name}' has not been declared\n"
            f'try: define `extern "C" __global__ __aicore__ void {name}(...)` in '
            f"{request.source.label}"
        )
    for declared, parameter in found:
        if not (declared.endswith("*") or declared.split()[-1] == "GM_ADDR"):
            _refuse(request, f"takes {declared} {parameter} by value: put it into tiling data")
    mix = kind == KERNEL_TYPES["MIX_AIC_1_2"]
    taken = [f"argument{i}" for i in range(len(found))]
    addresses = ["system", *(f"arguments[{i}]" for i in range(len(found)))]
    return _UNIT.format(
        tiling=_tiling_macros(text),
        copy=COPY,
        name=name,
        declared=", ".join(["uint64_t sync", "GM_ADDR system", *(f"GM_ADDR {t}" for t in taken)]),
        prologue=_MIX_PROLOGUE if mix else "    (void)sync;\n",
        passed=", ".join(f"({d}){t}" for (d, _), t in zip(found, taken, strict=True)),
        count=len(found),
        names=", ".join(parameter for _, parameter in found),
        ask=_MIX_ASK if mix else "",
        given=", ".join(["sync", *(f"static_cast<uint8_t*>({each})" for each in addresses)]),
    )


def _without_other_kernels(text: str, name: str) -> str:
    kept, end = [], 0
    for found in _KERNEL.finditer(text):
        if found[1] != name and found.start() >= end:
            kept.append(text[end : found.start()])
            end = _behind_body(text, found.end())
    return "".join([*kept, text[end:]])


def _behind_body(text: str, start: int) -> int:
    """Returns the index after the block whose opening brace ends at `start`."""
    depth = 1
    for brace in re.finditer("[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return start + brace.end()
    return len(text)


def _tiling_macros(text: str) -> str:
    named = _TILING.search(text)
    default = (
        f"#define GET_TILING_DATA(data, address) "
        f"GET_TILING_DATA_WITH_STRUCT({named[1]}, data, address)\n"
        if named
        else ""
    )
    return _TILING_MACROS + default


def _refuse(request: Request, why: str) -> None:
    raise TwinOnlyError(
        f"compile_kernel: kernel {request.name!r} {why}; choose backend='twin', or make an "
        "operator of it (docs/add-an-op.md)"
    )
