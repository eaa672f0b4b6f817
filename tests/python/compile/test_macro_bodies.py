# SPDX-License-Identifier: Apache-2.0
"""Macros that kernels use expand to reserved names only. A kernel may define a macro with any
other name after the #include, and the compiler replaces this name in the expansion, too.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import cannery

TWIN = Path(__file__).resolve().parents[3] / "twin"


def words(text: str) -> list[str]:
    return text.split()


FOLDERS = ["device", "core"]
#: Macros that no kernel names. The compiled source ends with them.
APPENDED = ["TWIN_EXPORT_KERNEL"]
KEYWORDS = words(
    """alignas asm auto bool char class const constexpr decltype do else extern false if inline int
    long namespace operator reinterpret_cast return short signed sizeof static static_assert
    static_cast struct template true typename unsigned using void volatile while"""
)
#: Types of <cstdint>. A macro with such a name would break the kernel itself.
TYPES = {"uint8_t", "uint32_t"}
#: EXTERN_IMPL_BUFPOOL defines public members of the API, so it must use their names. Python sets
#: CANNERY_KERNEL_TYPE by -D. TILING_KEY_VAR is a variable in tests of kernels, which are host code.
EXEMPT = {"EXTERN_IMPL_BUFPOOL", "TWIN_KERNEL_TYPE_OVERRIDE", "TILING_KEY_VAR"}
#: Macros that unit tests of kernels use. `cannery cc` compiles these tests for the host.
HOST_ONLY = ["core/unit_test.h"]
RESERVED = re.compile(r"twin|Twin|TWIN|__|_[A-Z]")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\(([^)]*)\))?((?:[^\n]*\\\n)*[^\n]*)", re.M)
NOT_NAMES = re.compile(r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/|//[^\n]*', re.S)


def macros(text: str) -> list[tuple[str, set[str]]]:
    """Returns the macros that a header defines, each with the names in its body that are neither
    keywords nor parameters.
    """
    found = []
    for name, _, parameters, body in DEFINE.findall(text):
        own = set(re.findall(r"\w+", parameters))
        names = set(re.findall(r"(?<![\w.])[A-Za-z_]\w*", NOT_NAMES.sub(" ", body)))
        found.append((name, names - own - {*KEYWORDS, *TYPES}))
    return found


def violations(texts: list[str], roots: list[str]) -> dict[str, list[str]]:
    """Returns, for each macro that a kernel can expand, the names in its body that a macro of the
    kernel could replace.
    """
    bodies: dict[str, set[str]] = {}
    for text in texts:
        for name, names in macros(text):
            bodies.setdefault(name, set()).update(names)
    reached: set[str] = set()
    todo = [*roots, *(name for name in bodies if not RESERVED.match(name))]
    while todo:
        name = todo.pop()
        if name not in reached and name in bodies:
            reached.add(name)
            todo += bodies[name]

    def open_to_kernels(name: str) -> bool:
        joined = any(each.startswith(name) for each in bodies)  # NAME_##parameter is a macro, too
        return not RESERVED.match(name) and not joined

    found = {
        name: sorted(filter(open_to_kernels, bodies[name])) for name in sorted(reached - EXEMPT)
    }
    return {name: names for name, names in found.items() if names}


def headers() -> list[str]:
    paths = [path for folder in FOLDERS for path in sorted((TWIN / folder).rglob("*.h"))]
    kept = [path for path in paths if str(path.relative_to(TWIN)) not in HOST_ONLY]
    return [path.read_text(encoding="utf-8") for path in kept]


def test_macros_of_the_headers_use_reserved_names() -> None:
    assert violations(headers(), APPENDED) == {}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#define ASSERT(x) ::twin::Fail(x)\n", {"ASSERT": ["Fail"]}),
        ("#define ASSERT(x) TWIN_DO(x)\n#define TWIN_DO(x) \\\n  Fail(x)\n", {"TWIN_DO": ["Fail"]}),
        ('#define ASSERT(x) ::twin::TwinFail(x, "Fail")\n', {}),
        ("#define TWIN_ONLY_IN_HEADERS(x) Fail(x)\n", {}),
    ],
)
def test_a_violation_is_found(text: str, found: dict[str, list[str]]) -> None:
    assert violations([text], []) == found


KERNEL = """#include "kernel_operator.h"
MACROS
using namespace AscendC;
struct TD { uint32_t first; uint32_t second; };
extern "C" __global__ __aicore__ void user(GM_ADDR out, GM_ADDR workspace, GM_ADDR data) {
    REGISTER_TILING_DEFAULT(TD);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    GET_TILING_DATA(plain, data);
    GET_TILING_DATA_WITH_STRUCT(TD, given, data);
    GET_TILING_DATA_MEMBER(TD, second, member, data);
    if (TILING_KEY_IS(0)) { KERNEL_LOG(KERNEL_ERROR, "%d", 1); }
    ASCENDC_ASSERT((member != 9), { KERNEL_LOG(KERNEL_ERROR, "%d", 1); });
    assert(member != 9999);
    ascendc_assert(member != 999);
    if ASCEND_IS_AIV { PRELOAD(1); }
}
"""
NAMES = words(
    """Aic Aiv AIV CoreKind FailAssertion Here KernelBinary KernelLog Location NameTaskType
    ReadTiling TilingKeyIs TilingKey CheckTiling g_coreType integral_constant kDone tiling std Self
    is_trivially_copyable_v maybe_unused ICachePreLoad"""
)


def test_a_kernel_has_macros_of_these_names(cache: Path) -> None:
    source = KERNEL.replace("MACROS", "\n".join(f"#define {name} 3 +% 4" for name in NAMES))
    cannery.compile_kernel(source, "user", portable=False)
