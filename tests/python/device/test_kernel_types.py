# SPDX-License-Identifier: Apache-2.0
"""Tests the kernel type of each function and tiling key, and for which cores code exists. The type
follows from macros and attributes in the source, or from the code that the kernel calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cannery

HEADER = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
ARGUMENTS = "GM_ADDR out, GM_ADDR work"

#: A function `Note`, with which each core writes a number into its own line of 64 B.
WHO = """
__aicore__ inline void Note(GM_ADDR out, int32_t value) {
    uint32_t line = GetBlockIdx() * 3;
    if ASCEND_IS_AIV {
        line = GetBlockIdx() / GetTaskRation() * 3 + 1 + GetSubBlockIdx();
    }
    GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer((__gm__ int32_t*)out);
    gm.SetValue(line * 16, value);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
        gm[line * 16]);
}
"""
#: A matrix product of 16 x 16 x 16. A kernel that calls it has code for the cube core.
CUBE = """
__aicore__ inline void Multiply() {
    LocalTensor<float> c(TPosition::CO1, 0, 256);
    LocalTensor<half> a(TPosition::A2, 0, 256);
    LocalTensor<half> b(TPosition::B2, 0, 256);
    InitConstValue(a, InitConstValueParams<half>(1, 1, 0, half(1.0f)));
    InitConstValue(b, InitConstValueParams<half>(1, 1, 0, half(1.0f)));
    SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams params;
    params.m = params.n = params.k = 16;
    params.cmatrixInitVal = true;
    Mmad(c, a, b, params);
}
"""

Types = Callable[..., list[str]]

#: The reason why a card may choose another type than the twin.
REACHED = "finds the type by what the compiled kernel reaches; for a card its words decide"


@pytest.fixture
def types(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Types:
    """Returns a function types(source, name, keys=(0,)) that returns the type for each key."""

    def launch(source: str, name: str, keys: tuple[int, ...] = (0,)) -> list[str]:
        dump = tmp_path / "dump.txt"
        monkeypatch.setenv("CANNERY_DUMP", str(dump))
        # A card refuses virtual functions. Without `portable`, the twin allows them; they must not
        # change the kernel type.
        kernel = cannery.compile_kernel(source, name, portable=False)
        found = []
        for key in keys:
            dump.write_text("")
            kernel(1, board(1), board(1), tiling_key=key)
            (line,) = [line for line in dump.read_text().splitlines() if "KERNEL_TYPE_" in line]
            found.append(line.partition("KERNEL_TYPE_")[2].split()[0].rstrip(",:;"))
        return found

    return launch


def board(blocks: int) -> np.ndarray:
    memory = np.zeros((blocks * 3 + 1) * 16, np.int32)
    skip = -memory.ctypes.data % 64 // 4
    return memory[skip : skip + blocks * 48].reshape(blocks * 3, 16)


def notes(source: str, name: str, blocks: int = 2, key: int = 0) -> list[list[int]]:
    """Returns the numbers that the cube core and both vector cores of each block write."""
    out = board(blocks)
    cannery.compile_kernel(source, name)(blocks, out, board(blocks), tiling_key=key)
    return out[:, 0].reshape(blocks, 3).tolist()


SEVERAL = (
    HEADER
    + WHO
    + CUBE
    + f"""
extern "C" __global__ __aicore__ void cube_named({ARGUMENTS}) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    Note(out, 1);
}}
extern "C" __global__ __aicore__ void vector_named({ARGUMENTS}) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    Note(out, 2);
}}
extern "C" __global__ __aicore__ void mix_named({ARGUMENTS}) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Note(out, 3);
}}
extern "C" __global__ __aicore__ void vector_plain({ARGUMENTS}) {{ Note(out, 4); }}
extern "C" __global__ __aicore__ void vector_meets({ARGUMENTS}) {{
    SyncAll();
    Note(out, 5);
}}
extern "C" __global__ __aicore__ void mix_uses({ARGUMENTS}) {{
    Multiply();
    Note(out, 6);
}}
extern "C" __global__ __vector__ void attribute_plain({ARGUMENTS}) {{ Note(out, 7); }}
extern "C" __global__ __vector__ void attribute_meets({ARGUMENTS}) {{
    SyncAll();
    Note(out, 8);
}}
"""
)


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("name", "kind", "block"),
    [
        ("cube_named", "AIC_ONLY", [1, 0, 0]),
        ("vector_named", "AIV_ONLY", [0, 2, 0]),
        ("mix_named", "MIX_AIC_1_2", [3, 3, 3]),
        ("vector_plain", "AIV_ONLY", [0, 4, 0]),
        ("vector_meets", "MIX_AIV_1_0", [0, 5, 0]),
        ("mix_uses", "MIX_AIC_1_2", [6, 6, 6]),
        ("attribute_plain", "AIV_ONLY", [0, 7, 0]),
        ("attribute_meets", "MIX_AIV_1_0", [0, 8, 0]),
    ],
)
@pytest.mark.twin_only(REACHED)
@pytest.mark.release
def test_kernels_of_one_file_have_their_own_types(
    types: Types, name: str, kind: str, block: list[int]
) -> None:
    assert types(SEVERAL, name) == [kind]
    assert notes(SEVERAL, name) == [block, block]


@pytest.mark.slow
def test_types_per_tiling_key(types: Types) -> None:
    source = (
        HEADER
        + WHO
        + f"""
extern "C" __global__ __aicore__ void keyed({ARGUMENTS}) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    if (TILING_KEY_IS(1)) {{
        KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);
        Note(out, 1);
    }} else if (TILING_KEY_IS(10000000000000000001UL)) {{
        KERNEL_TASK_TYPE(10000000000000000001UL, KERNEL_TYPE_MIX_AIC_1_1);
        Note(out, 2);
    }} else {{
        Note(out, 3);
    }}
}}
"""
    )
    keys = (0, 1, 10000000000000000001)
    assert types(source, "keyed", keys) == ["AIV_ONLY", "AIC_ONLY", "MIX_AIC_1_1"]
    blocks = [notes(source, "keyed", 1, key) for key in keys]
    assert blocks == [[[0, 3, 0]], [[1, 0, 0]], [[2, 2, 0]]]


@pytest.mark.twin_only(REACHED)
def test_key_without_a_type_beside_keys_with_one() -> None:
    """A tiling key without a type is refused (T606) only when a launch uses this key."""
    source = (
        HEADER
        + CUBE
        + f"""
extern "C" __global__ __aicore__ void partly({ARGUMENTS}) {{
    if (TILING_KEY_IS(1)) {{
        KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIC_ONLY);
        Multiply();
    }}
}}
"""
    )
    kernel = cannery.compile_kernel(source, "partly")
    with pytest.raises(cannery.AclError, match=r"T606.*MIX_AIC_1_2 under tiling key 3"):
        kernel(1, board(1), board(1), tiling_key=3)


HELPERS = {
    "inline": "__aicore__ inline void Helper() { Multiply(); }",
    "plain": "__aicore__ void Helper() { Multiply(); }",
    "template": "template <class T> __aicore__ void HelperOf() { Multiply(); }\n"
    "__aicore__ inline void Helper() { HelperOf<half>(); }",
    "method": "class Product { public: __aicore__ void Process(); };\n"
    "__aicore__ void Product::Process() { Multiply(); }\n"
    "__aicore__ inline void Helper() { Product product; product.Process(); }",
    "virtual": "class Base { public: virtual void Process() = 0; };\n"
    "class Product : public Base { public: void Process() override { Multiply(); } };\n"
    "__attribute__((noinline)) void Run(Base& base) { base.Process(); }\n"
    "__aicore__ inline void Helper() { Product product; Run(product); }",
}


@pytest.mark.parametrize("helper", sorted(HELPERS))
@pytest.mark.twin_only(REACHED)
@pytest.mark.release
def test_what_a_helper_in_a_header_uses(types: Types, helper: str, tmp_path: Path) -> None:
    """A matrix product counts only for a kernel that reaches it, not for other kernels."""
    header = tmp_path / "helpers.h"
    header.write_text(HEADER + CUBE + HELPERS[helper])
    source = (
        f'#include "{header}"\n'
        f'extern "C" __global__ __aicore__ void reaches({ARGUMENTS}) {{ Helper(); }}\n'
        f'extern "C" __global__ __aicore__ void beside({ARGUMENTS}) {{}}\n'
    )
    assert types(source, "reaches") == ["MIX_AIC_1_2"]
    assert types(source, "beside") == ["AIV_ONLY"]


@pytest.mark.release
def test_what_a_branch_for_cube_cores_uses(types: Types, tmp_path: Path) -> None:
    """The #ifdef that separates cube and vector code may be in a header."""
    header = tmp_path / "branch.h"
    header.write_text(
        HEADER + CUBE + "__aicore__ inline void Helper() {\n"
        "#ifdef __DAV_C220_CUBE__\n    Multiply();\n#endif\n}\n"
    )
    source = (
        f'#include "{header}"\n'
        f'extern "C" __global__ __aicore__ void hidden({ARGUMENTS}) {{ Helper(); }}\n'
    )
    assert types(source, "hidden") == ["MIX_AIC_1_2"]


MACROS = (
    HEADER
    + WHO
    + """
#if defined(__DAV_C220_CUBE__) && defined(__DAV_C220_VEC__)
#error "one kind at a time"
#elif defined(__DAV_C220_CUBE__)
#define WHAT 10
#elif defined(__DAV_C220_VEC__)
#define WHAT 20
#else
#define WHAT 30
#endif
"""
)


def mix(body: str, kind: str = "MIX_AIC_1_2", before: str = "") -> str:
    return (
        MACROS
        + before
        + f'extern "C" __global__ __aicore__ void both({ARGUMENTS}) {{\n'
        + f"    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{kind});\n    {body}\n}}\n"
    )


@pytest.mark.slow
@pytest.mark.smoke
def test_macros_of_both_compilations() -> None:
    assert notes(mix("Note(out, WHAT);"), "both", 1) == [[10, 20, 20]]
    assert notes(mix("Note(out, WHAT);", "AIC_ONLY"), "both", 1) == [[10, 0, 0]]
    assert notes(mix("Note(out, WHAT);", "MIX_AIV_1_0"), "both", 1) == [[0, 20, 0]]


def test_functions_overloaded_by_core() -> None:
    overloads = """
#ifdef __DAV_C220_CUBE__
class Worker { public: __aicore__ inline int32_t Value(int32_t seed) { return seed + 1; } };
__aicore__ inline int32_t Value(Worker& worker) { return worker.Value(100); }
#else
class Worker { public: __aicore__ inline int32_t Value() { return 200; } int32_t state[8]; };
__aicore__ inline int32_t Value(Worker& worker) { return worker.Value(); }
#endif
"""
    source = mix("Worker worker; Note(out, Value(worker));", before=overloads)
    assert notes(source, "both", 1) == [[101, 200, 200]]


def test_kind_of_core_is_a_constant() -> None:
    chosen = """
template <int32_t type> struct Chosen;
template <> struct Chosen<AIC> { static constexpr int32_t value = 7; };
template <> struct Chosen<AIV> { static constexpr int32_t value = 8; };
template <class T> __aicore__ inline int32_t Pick(T value) {
    if ASCEND_IS_AIC {
        return value.cube;
    }
    if ASCEND_IS_NOT_AIC {
        return value.vector;
    }
}
#ifdef __DAV_C220_CUBE__
struct Own { int32_t cube = 1; };
#else
struct Own { int32_t vector = 2; };
#endif
"""
    source = mix("Note(out, 10 * Chosen<g_coreType>::value + Pick(Own()));", before=chosen)
    assert notes(source, "both", 1) == [[71, 82, 82]]


def test_globals_of_both_compilations_are_apart() -> None:
    shared = "inline int32_t& Counter() { static int32_t counter = WHAT; return counter; }\n"
    with pytest.warns(cannery.KernelWarning, match="a static variable of a function"):
        assert notes(mix("Note(out, Counter());", before=shared), "both", 1) == [[10, 20, 20]]


@pytest.mark.release
def test_template_selection_names_types(types: Types) -> None:
    source = (
        '#include "ascendc/host_api/tiling/template_argument.h"\n'
        + HEADER
        + WHO
        + """
ASCENDC_TPL_ARGS_DECL(Chosen, ASCENDC_TPL_UINT_DECL(N, 8, ASCENDC_TPL_UI_LIST, 1, 2, 3));
ASCENDC_TPL_SEL(
    ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIV_ONLY),
                         ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 1)),
    ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_AIC_ONLY),
                         ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 2)),
    ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_KERNEL_TYPE_SEL(ASCENDC_TPL_MIX_AIC_1_2),
                         ASCENDC_TPL_UINT_SEL(N, ASCENDC_TPL_UI_LIST, 3)));
template <uint64_t N>
"""
        + f"__global__ __aicore__ void chosen({ARGUMENTS}) {{ Note(out, N); }}\n"
    )
    assert types(source, "chosen", (0, 1, 2)) == ["AIV_ONLY", "AIC_ONLY", "MIX_AIC_1_2"]
    blocks = [notes(source, "chosen", 1, key) for key in (0, 1, 2)]
    assert blocks == [[[0, 1, 0]], [[2, 0, 0]], [[3, 3, 3]]]


@pytest.mark.slow
def test_asked_for_type_overrides_all(tmp_path: Path) -> None:
    source = mix("Note(out, WHAT);")
    for kind, block in (
        ("AIV_ONLY", [0, 20, 0]),
        ("AIC_ONLY", [10, 0, 0]),
        ("MIX_AIC_1_1", [10, 20, 0]),
    ):
        out = board(1)
        cannery.compile_kernel(source, "both", kernel_type=kind)(1, out, board(1))
        assert out[:, 0].tolist() == block


@pytest.mark.slow
def test_a_type_outside_of_functions_counts_for_kernels_without_one(types: Types) -> None:
    """A default type outside of functions counts for all kernels of a source, except those that
    name a type or have an attribute."""
    source = (
        HEADER
        + f"""
extern "C" __global__ __aicore__ void before({ARGUMENTS}) {{}}
KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
extern "C" __global__ __aicore__ void behind({ARGUMENTS}) {{}}
extern "C" __global__ __aicore__ void named({ARGUMENTS}) {{
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
}}
extern "C" __global__ __aicore__ void of_key({ARGUMENTS}) {{
    KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);
}}
extern "C" __global__ __vector__ __aicore__ void attribute({ARGUMENTS}) {{}}
"""
    )
    assert types(source, "before") == ["MIX_AIC_1_2"]
    assert types(source, "behind") == ["MIX_AIC_1_2"]
    assert types(source, "named") == ["MIX_AIV_1_0"]
    assert types(source, "of_key", (1, 2)) == ["AIV_ONLY", "MIX_AIC_1_2"]
    assert types(source, "attribute") == ["AIV_ONLY"]
