# SPDX-License-Identifier: Apache-2.0
"""Tests that a kernel is compiled once for each kind of core that runs it. The tests count
compilations and read messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import cannery

pytestmark = pytest.mark.twin_only("the host's compiler and what is kept of its work")

Count = Callable[[], int]

#: A kernel that writes 1 on a cube core and 2 on vector cores, each into its own cache line.
SOURCE = """#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void typed(GM_ADDR out) {
    %s
    GlobalTensor<int32_t> gm;
    gm.SetGlobalBuffer((__gm__ int32_t*)out);
#ifdef __DAV_C220_CUBE__
    const uint32_t line = 0;
#else
    const uint32_t line = 1 + GetSubBlockIdx();
#endif
    gm.SetValue(line * 16, line == 0 ? 1 : 2);
    DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
        gm[line * 16]);
}
"""


def source(kind: str | None = None, before: str = "", inside: str = "") -> str:
    task_type = "" if kind is None else f"KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_{kind});"
    return before + SOURCE % (task_type + inside)


def result(kernel: cannery.Kernel) -> list[int]:
    memory = np.zeros(4 * 16, np.int32)
    skip = -memory.ctypes.data % 64 // 4
    out = memory[skip : skip + 48].reshape(3, 16)
    kernel(1, out)
    return out[:, 0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "runs", "cores"),
    [
        ("AIV_ONLY", 1, [0, 2, 0]),
        ("MIX_AIV_1_0", 1, [0, 2, 0]),
        ("AIC_ONLY", 1, [1, 0, 0]),
        ("MIX_AIC_1_1", 2, [1, 2, 0]),
        ("MIX_AIC_1_2", 2, [1, 2, 2]),
        (None, 2, [0, 2, 0]),  # the #ifdef requires a compilation for each kind of core
    ],
)
def test_compilations_and_cores(
    cache: Path, compilations: Count, kind: str | None, runs: int, cores: list[int]
) -> None:
    assert result(cannery.compile_kernel(source(kind), "typed")) == cores
    assert compilations() == runs
    cannery.compile_kernel(source(kind), "typed")
    assert compilations() == runs


@pytest.mark.slow
def test_types_behind_a_macro(cache: Path, compilations: Count) -> None:
    """The first compilation finds a kernel type that only a macro's expansion shows."""
    before = "#define MIXED KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1)\n"
    assert result(cannery.compile_kernel(source(None, before, "MIXED;"), "typed")) == [1, 2, 0]
    assert compilations() == 2


@pytest.mark.slow
def test_a_lost_library_of_two_is_made_anew(cache: Path, compilations: Count) -> None:
    kernel = cannery.compile_kernel(source("MIX_AIC_1_1"), "typed")
    kernel.library.with_suffix(".cube.so").unlink()
    assert result(cannery.compile_kernel(source("MIX_AIC_1_1"), "typed")) == [1, 2, 0]
    assert compilations() == 4


@pytest.mark.slow
def test_half_a_kernel_does_not_run(cache: Path) -> None:
    """A mix kernel is refused if its library for cube cores is missing; it must not run as AIV."""
    kernel = cannery.compile_kernel(source("MIX_AIC_1_1"), "typed")
    kernel.library.with_suffix(".cube.so").unlink()
    with pytest.raises(cannery.CompileError, match=r"no longer in the cache .*\.cube\.so"):
        result(kernel)


@pytest.mark.release
def test_a_header_of_the_other_compilation_counts(
    cache: Path, compilations: Count, tmp_path: Path
) -> None:
    """If a header of the cube core's compilation changes, the kernel is compiled again, even if
    only vector cores ran the kernel before. The header can change the kernel type."""
    header = tmp_path / "cube.h"
    header.write_text("")
    before = (
        f'#ifdef __DAV_C220_CUBE__\n#include "{header}"\n#endif\n'
        "#ifndef MORE\n#define MORE\n#endif\n"
    )
    text = source(None, before, "MORE;")
    assert result(cannery.compile_kernel(text, "typed")) == [0, 2, 0]
    header.write_text("#define MORE KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2)\n")
    assert result(cannery.compile_kernel(text, "typed")) == [1, 2, 2]
    assert compilations() == 4


ONE_SIDE = """
#ifdef __DAV_C220_%s__
inline void OneSide() {}
#endif
"""


def failure(text: str) -> str:
    with pytest.raises(cannery.CompileError) as caught:
        cannery.compile_kernel(text, "typed")
    return str(caught.value)


@pytest.mark.release
def test_code_for_one_kind_only(cache: Path) -> None:
    for side, good, other in (("CUBE", "AIC_ONLY", "vector"), ("VEC", "AIV_ONLY", "cube")):
        before = ONE_SIDE % side
        cannery.compile_kernel(source(good, before, "OneSide();"), "typed")
        text = failure(source("MIX_AIC_1_2", before, "OneSide();"))
        assert f"kernel 'typed' does not compile for {other} cores:\n" in text
        assert "OneSide" in text
        assert text.count("does not compile") == 1


@pytest.mark.slow
def test_code_for_neither_kind(cache: Path) -> None:
    text = failure(source("MIX_AIC_1_2", inside="Nowhere();"))
    assert "does not compile for vector cores nor for cube cores:\n" in text
    assert text.count("Nowhere") == failure(source("AIV_ONLY", inside="Nowhere();")).count(
        "Nowhere"
    )


@pytest.mark.slow
def test_no_type_and_code_for_one_kind_only(cache: Path) -> None:
    text = failure(source(None, ONE_SIDE % "VEC", "OneSide();"))
    assert "does not compile for cube cores" in text
    assert "try: KERNEL_TASK_TYPE_DEFAULT" in text
