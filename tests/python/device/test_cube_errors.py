# SPDX-License-Identifier: Apache-2.0
"""Every error of the cube core has a kernel that causes it, and a corrected kernel that runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import cannery

from .conftest import DEVICE_KERNELS, Compile

SOURCE = (DEVICE_KERNELS / "cube_bugs.cpp").read_text()
NAMES = re.findall(r"X\((\w+)\)", SOURCE.partition("#define ALL_BUGS(X)")[2].partition("enum")[0])


class Bug(NamedTuple):
    """A seeded bug, its error, and whether hardware mode reports it too."""

    name: str
    code: str
    text: str
    hardware: bool = True


BUGS = [
    Bug("L1Beyond", "T103", r"L1 out of bounds: DataCopy dst covers 2048 B at L1\+0x7fb00"),
    Bug("L0aBeyond", "T103", r"L0A out of bounds: LoadData .* dst covers 1024 B"),
    Bug("L0cMisaligned", "T104", r"misaligned L0C .* multiple of 1024"),
    Bug("L0aMisaligned", "T104", r"misaligned L0A .* multiple of 512"),
    Bug("WrongMemory", "T401", r"takes src in L1, it is at B2"),
    Bug("PadIntoL1", "T401", r"DataCopyPad takes dst in UB"),
    Bug("BiasLengthDropped", "T407", r"multiple of 64 B: .* 96 B .* drops the last 32 B", False),
    Bug("DimensionTooLarge", "T450", r"Mmad with k 4096, expected 0 to 4095"),
    Bug("SumsTooMany", "T107", r"Mmad c covers 4096 B, the tensor at L0C\+0x0 has 1152 B", False),
    Bug("RowsTooMany", "T450", r"nValue 16385, expected 0 to 16384"),
    Bug("StripesOverlap", "T451", r"32 rows with dstNzC0Stride 16", False),
    Bug("FractalsOverlap", "T451", r"dstGap 0 and dstFracGap 0 writes fractal 1", False),
    Bug("RowsOverlapInGm", "T451", r"rows overlap: Fixpipe of 32 x 32 with dstStride 24", False),
    Bug("TransposeOfBytes", "T452", r"int8_t with ifTranspose"),
    Bug("TransposeOfInt4", "T452", r"int4\w* into L0A"),
    Bug("BackwardTooFar", "T453", r"backwards from square 0 over 2 repeats of stride 1"),
    Bug("SmallK", "T454", r"with enSmallK"),
    Bug("RepeatedImage", "T455", r"SetLoadDataRepeat with repeatTime 2"),
    Bug("SeveralBiasBlocks", "T455", r"to BT of 2 blocks"),
    Bug("ColumnsNotWhole", "T456", r"kExtension 8, expected multiples of 16", False),
    Bug("FeatureMapNotSet", "T457", r"reads the feature map"),
    Bug("QuantWordNotSet", "T457", r"QF322B8_PRE reads the quantisation word"),
    Bug("ImageTooSmall", "T458", r"rows from 32 .* it has 32 rows"),
    Bug("FillsNothing", "T459", r"repeatTimes 1 and blockNum 0", False),
    Bug("BiasWithoutEffect", "T460", r"bias without effect", False),
    Bug("UnitsNeverWritten", "T461", r"waits for L0C\+0x0 to be written"),
    Bug("UnitsNeverRead", "T461", r"waits for L0C\+0x400 to be copied out"),
    Bug("RowMajorIntoL1", "T462", r"Fixpipe to L1 with CFG_ROW_MAJOR", False),
    Bug("StripesOfUnevenRows", "T463", r"20 rows with srcStride 20", False),
    Bug("WrongMode", "T464", r"from float to float with F322F16, expected NoQuant"),
    Bug("UnknownMode", "T464", r"VSHIFTS322S16, expected QF322B8_PRE or VQF322B8_PRE"),
    Bug("VectorWithoutMode", "T464", r"with a vector and F322F16"),
    Bug("ScaleNotSet", "T466", r"scale of bits 0xffc0dead in column 0"),
    Bug("SignContradicts", "T466", r"writes int8\w*, but bit 46 .* says unsigned", False),
    Bug("IndexOutOfRange", "T467", r"the pair \(3, 3\) for column 0, group 0"),
]
BY_NAME = [pytest.param(bug, id=bug.name) for bug in BUGS]


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    return compile_device("cube_bugs")


def run(kernel: Any, name: str, fixed: bool) -> None:
    out = np.zeros(16384, np.uint8)  # plain bytes: the bugs write several types
    kernel(1, np.ones(65536, np.float16), out, tiling_key=2 * NAMES.index(name) + fixed)


@pytest.mark.parametrize("bug", BY_NAME)
def test_broken_kernel_ends_with_its_error(kernel: Any, bug: Bug) -> None:
    with pytest.raises(cannery.KernelError) as caught:
        run(kernel, bug.name, False)
    text = str(caught.value)
    assert caught.value.code == bug.code, text
    assert re.search(bug.text, text, re.DOTALL), text
    assert re.search(r"\n  at \S*cube_bugs\.cpp:\d+ \w+", text), text
    assert "core 0 AIC" in text
    # With T461 the core waits forever, so the status reports a timeout.
    assert caught.value.status == (507014 if bug.code == "T461" else 507015)


@pytest.mark.parametrize("bug", BY_NAME)
def test_corrected_kernel_runs(kernel: Any, bug: Bug) -> None:
    run(kernel, bug.name, True)


@pytest.mark.parametrize("bug", BY_NAME)
def test_hardware_mode(kernel: Any, bug: Bug) -> None:
    with cannery.use(mode="hardware"):
        if bug.hardware:
            with pytest.raises(cannery.KernelError) as caught:
                run(kernel, bug.name, False)
            assert caught.value.code == bug.code
        else:
            run(kernel, bug.name, False)


def test_every_bug_is_expected() -> None:
    assert [bug.name for bug in BUGS] == NAMES


def test_every_code_of_the_cube_side_has_a_bug(repository: Path) -> None:
    sources = (repository / "twin" / "device" / "cube").rglob("*.cpp")
    headers = (repository / "twin" / "device" / "cube").rglob("*.h")
    text = "".join(path.read_text("utf-8") for path in (*sources, *headers))
    assert set(re.findall(r'"(T4[5-7]\d)"', text)) == {
        bug.code for bug in BUGS if bug.code >= "T450"
    }


REFUSED = {
    "Mmad(c, a, bytes, MmadParams())": "both operands have one type",
    "Mmad(c, bytes, bytes, MmadParams())": "int8_t and int4b_t give int32_t",
    "Fixpipe(integers, c, FixpipeParamsV220())": "Fixpipe to Gm",
    "Fixpipe<float, float, CFG_NZ>(c, c, FixpipeParamsV220())": "Fixpipe to L1",
    "Fixpipe<float, float, CFG_COLUMN_MAJOR>(out, c, FixpipeParamsV220())": "CFG_COLUMN_MAJOR",
    "LoadData(wide, wide, LoadData2DParams())": "no such element type",
    "LoadDataWithTranspose(wide, wide, LoadData2dTransposeParams())": "LoadDataWithTranspose takes",
    "InitConstValue(bytes, InitConstValueParams<int8_t>())": "InitConstValue takes",
    "DataCopy(c, bytes, DataCopyParams())": "from half in C1 to float in C2 only",
    "Mmad(sums, nibbles, nibbles, sums, MmadParams())": "int4b_t takes none",
}


@pytest.mark.slow
def test_types_are_refused_by_name(tmp_path: Path) -> None:
    """One compilation must report every call whose types the twin refuses."""
    source = tmp_path / "refused.cpp"
    source.write_text(
        '#include "kernel_operator.h"\nusing namespace AscendC;\n'
        'extern "C" __global__ __aicore__ void refused(GM_ADDR x) {\n'
        "LocalTensor<half> a; LocalTensor<int8_t> bytes; LocalTensor<float> c;\n"
        "LocalTensor<int64_t> wide; LocalTensor<int32_t> sums; LocalTensor<int4b_t> nibbles;\n"
        "GlobalTensor<int32_t> integers; GlobalTensor<float> out;\n"
        + "".join(f"{call};\n" for call in REFUSED)
        + "}\n"
    )
    with pytest.raises(cannery.CompileError) as caught:
        cannery.compile_kernel(source, "refused")
    for call, sentence in REFUSED.items():
        assert sentence in str(caught.value), call
