# SPDX-License-Identifier: Apache-2.0
"""Every error of the twin has a kernel that causes it, and a corrected kernel that runs."""

from __future__ import annotations

import ctypes
import platform
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import cannery

from .conftest import DEVICE_KERNELS, Compile

EXCEPTION = (507035, "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION")
TIMEOUT = (507034, "ACL_ERROR_RT_VECTOR_CORE_TIMEOUT")
SOURCE = (DEVICE_KERNELS / "seeded_bugs.cpp").read_text()
NUMBERS = {name: i for i, name in enumerate(re.findall(r"^BUG\((\w+)\)", SOURCE, re.MULTILINE))}


class Bug(NamedTuple):
    """A seeded bug, its error in strict mode, and whether hardware mode reports it."""

    name: str
    code: str
    text: str  # regular expression for the message
    status: tuple[int, str] = EXCEPTION
    hardware: bool = True  # hardware mode reports it too
    blocks: int = 1


BUGS = [
    Bug("ReadsGmBeyond", "T101", r"DataCopy reads 256 B at byte 32 of .*, which has 256 B"),
    Bug("WritesGmBeyond", "T101", r"DataCopy writes 256 B at byte 32 of .*, which has 256 B"),
    Bug("ReadsGmScalarBeyond", "T101", r"GlobalTensor::GetValue reads 4 B at byte 256"),
    Bug("NullGm", "T102", r"reads 256 B through a null pointer"),
    Bug("UnknownGm", "T102", r"at 0x1000, which no tensor"),
    Bug("UbBeyond", "T103", r"Adds dst covers 196608 B at UB\+0x100, end 0x30100 > 0x30000"),
    Bug("MisalignedView", "T104", r"Adds dst starts at UB\+0x4, expected a multiple of 32"),
    Bug("MisalignedGm", "T104", r"DataCopy at 0x[0-9a-f]+, expected a multiple of .* 4 B"),
    Bug("WritesInput", "T105", r"DataCopy writes 256 B at byte 0 of"),
    Bug("UbFull", "T106", r"1 TBuf buffers of 196608 B ends at 0x30100 > 0x30000"),
    Bug("BeyondTensor", "T107", r"Adds dst covers 260 B, .* has 256 B left", hardware=False),
    Bug("ViewBeyondTensor", "T107", r"starts 288 B into a tensor of 256 B", hardware=False),
    Bug(
        "GetBeyondBuffer",
        "T107",
        r"TBuf::Get of 68 B at byte 0 of a buffer of 64 B",
        hardware=False,
    ),
    Bug("NoBuffers", "T108", r"0 VECIN buffers of 256 B", hardware=False),
    Bug("EmptyBuffers", "T108", r"1 VECIN buffers of 0 B", hardware=False),
    Bug("TooManyBuffers", "T108", r"64 more VECIN buffers, 1 of 64 are taken"),
    Bug("NoFreeBuffer", "T201", r"AllocTensor on VECIN #1 finds all 1 buffers in use", TIMEOUT),
    Bug("QueueEmpty", "T202", r"DeQue on VECIN #1"),
    Bug("QueueFull", "T203", r"EnQue on VECIN #1 of depth 1 with 1 tensors"),
    Bug("FreedTwice", "T204", r"FreeTensor on VECIN #1"),
    Bug("EnQueOfFreed", "T205", r"EnQue on VECIN #1 of a buffer that is free"),
    Bug("PositionsDiffer", "T206", r"DeQue on TQueBind #1", TIMEOUT),
    Bug("OtherQueue", "T207", r"FreeTensor on VECIN #2"),
    Bug("QueueWithoutInit", "T208", r"AllocTensor on VECIN before InitBuffer"),
    Bug("BufferWithoutInit", "T208", r"TBuf::Get before InitBuffer"),
    Bug(
        "SyncAllMissed",
        "T301",
        r"1 of 3 cores ended.*core 0 AIV waits for .*needs SyncAll on core \d AIV \(ended\)",
        TIMEOUT,
        blocks=3,
    ),
    Bug("SyncAllWithoutHardware", "T307", r"KERNEL_TYPE_AIV_ONLY", TIMEOUT, blocks=2),
    Bug("FlagSetTwice", "T302", r"SetFlag<HardEvent::MTE2_V>\(3\) .*seeded_bugs.cpp:\d+"),
    Bug("WaitWithoutSet", "T303", r"WaitFlag<HardEvent::V_MTE3>\(5\)", TIMEOUT),
    Bug("EventOfCubeCore", "T304", r"SetFlag<HardEvent::MTE1_M> in a vector kernel"),
    Bug("EventIdOutOfRange", "T304", r"SetFlag<HardEvent::MTE2_V>\(8\), expected 0 to 7"),
    Bug("EventsExhausted", "T305", r"all 8 ids of HardEvent::MTE3_V"),
    Bug("FlagLeftSet", "T306", r"SetFlag<HardEvent::V_MTE2>\(6\)", hardware=False),
    Bug("NoTensor", "T401", r"DataCopy takes dst in UB .* it is at GM"),
    Bug("CountNegative", "T402", r"Adds of -1 elements"),
    Bug("RepeatsWrap", "T402", r"256 is passed .* takes it for 0", hardware=False),
    Bug("StrideWraps", "T402", r"264 is assigned to dstRepStride, .* for 8", hardware=False),
    Bug("MaskBeyondRepeat", "T403", r"Adds with mask 65, .* has 64 elements", hardware=False),
    Bug("HighMaskOfFloat", "T403", r"Adds with mask\[1\] = 0x2, expected 0", hardware=False),
    Bug("Overlap", "T405", r"Adds writes dst at UB\+0x[0-9a-f]+ \(512 B\) over", hardware=False),
    Bug("WrongRounding", "T406", r"Cast from float to bfloat16_t with CAST_NONE"),
    Bug("NoSuchRounding", "T406", r"Cast from float to bfloat16_t with RoundMode 40, expected"),
    Bug("NoSuchScaledRounding", "T406", r"Cast from int32_t to half with RoundMode 40, expected 0"),
    Bug("UnalignedLength", "T407", r"DataCopy of 228 B; .* drops the last 4 B", hardware=False),
    Bug("UnalignedLocalLength", "T407", r"DataCopy of 228 B", hardware=False),
    Bug("PadTooWide", "T408", r"0 B left and 36 B right, expected at most 32 B"),
    Bug("HalfElement", "T408", r"blockLen 30 B, expected a multiple of 4 B", hardware=False),
    Bug("TooManyBlocks", "T408", r"DataCopy of 4096 blocks, expected 0 to 4095"),
    Bug("BlockTooLong", "T408", r"blockLen 2097152 B, expected 0 to 2097151"),
    Bug("CopyBelowZero", "T408", r"DataCopy of -8 elements, .* make 4294967288"),
    Bug("LocalCopyBelowZero", "T408", r"DataCopy of -8 elements, .* make 4294967288"),
    Bug("LocalCopyTooLong", "T103", r"DataCopy dst covers 2097184 B"),
    Bug("HalfOfTensor", "T409", r"And of 64 32-bit elements", hardware=False),
    Bug("BlocksDoNotFit", "T402", r"65537 is assigned to blockCount, which has", hardware=False),
    Bug("BlocksBelowZero", "T408", r"of 65535 \(-1 cut to 16 bits\) blocks, expected 0 to 4095"),
    Bug("BlockBelowZero", "T408", r"blockLen 4294967292 \(-4 cut to 32 bits\) B, expected 0 to"),
    Bug("NullPointer", "T501", r"host address (\(nil\)|0x0)"),
    Bug("StackOverflow", "T502", r"frames exceed \d+ KiB"),
    Bug("Trapped", "T504", r"trap"),
    Bug("Aborted", "T505", r"abort"),
    Bug("Thrown", "T506", r"thrown by the kernel"),
    Bug("ThrownNumber", "T506", r"not derived from std::exception"),
    Bug("EndlessScalar", "T507", r"the last one is.*seeded_bugs.cpp", TIMEOUT),
    Bug("EndlessPolling", "T508", r"the last one is.*seeded_bugs.cpp", TIMEOUT),
    Bug("EndlessInstructions", "T508", r"the last one is.*seeded_bugs.cpp", TIMEOUT),
]
BY_NAME = [pytest.param(bug, id=f"{bug.code}-{bug.name}") for bug in BUGS]


@pytest.fixture(scope="module")
def kernel(compile_device: Compile) -> Any:
    # A card's compiler refuses some of the kernels, such as those with recursion.
    return compile_device("seeded_bugs", portable=False)


def arrays() -> tuple[Any, Any]:
    source = np.arange(64, dtype=np.float32)
    source.flags.writeable = False
    return source, np.full(64, -1, np.float32)


def run(kernel: Any, name: str, fixed: bool, blocks: int = 1) -> None:
    source, target = arrays()
    kernel(blocks, source, target, tiling_key=2 * NUMBERS[name] + fixed)
    np.testing.assert_array_equal(target, source)


def fails(kernel: Any, bug: Bug) -> str:
    """Runs the broken kernel and checks its error; then the corrected kernel must run."""
    started = time.perf_counter()
    with cannery.use(timeout_s=0.2), pytest.raises(cannery.KernelError) as caught:
        run(kernel, bug.name, False, bug.blocks)
    assert time.perf_counter() - started < 30  # on a card this includes a compilation
    error = caught.value
    assert (error.code, error.status, error.name) == (bug.code, *bug.status), str(error)
    run(kernel, bug.name, True, bug.blocks)
    return str(error)


def lines_of(name: str) -> range:
    """Returns the lines of the seeded bug in the source."""
    before, _, body = SOURCE.partition(f"\nBUG({name})")
    start = before.count("\n") + 2
    one_line = body.partition("\n")[0].endswith("}")
    return range(start, start + 1 + (0 if one_line else body.partition("\n}\n")[0].count("\n")))


@pytest.mark.parametrize("bug", BY_NAME)
def test_broken_kernel_ends_with_its_error(kernel: Any, bug: Bug) -> None:
    text = fails(kernel, bug)
    assert re.search(bug.text, text, re.DOTALL), text
    assert re.search(r"core \d+ AIV", text), text
    # For a crash or operator[], the message names the line of the last Ascend C call.
    place = re.search(r"\n  at \S*seeded_bugs\.cpp:(\d+) (\w+)", text)
    assert place is not None, text
    if not bug.code.startswith("T5"):
        assert int(place.group(1)) in lines_of(bug.name), text


@pytest.mark.skipif(platform.machine() != "x86_64", reason="divisions by zero do not trap")
def test_a_division_by_zero_goes_on(kernel: Any, capfd: pytest.CaptureFixture[str]) -> None:
    run(kernel, "DivisionByZero", False)
    assert "warning: an integer was divided by zero after " in capfd.readouterr().err
    with cannery.use(mode="hardware"):
        run(kernel, "DivisionByZero", False)
    assert capfd.readouterr().err == ""
    run(kernel, "DivisionByZero", True)
    with cannery.use(mode="pedantic"), pytest.raises(cannery.KernelError, match="T503 arithmetic"):
        run(kernel, "DivisionByZero", False)


# Timeouts are left out: they do not depend on the mode, and each takes seconds.
@pytest.mark.parametrize("bug", [case for case in BY_NAME if case.values[0].status != TIMEOUT])
def test_hardware_mode(kernel: Any, bug: Bug) -> None:
    """Bugs with a silent effect run in hardware mode; bugs that no hardware can run fail."""
    # The hazard checker would report flags that are left set, in every mode.
    with cannery.use(mode="hardware", hazards="off"):
        if bug.hardware:
            fails(kernel, bug)
        else:
            run(kernel, bug.name, False, bug.blocks)


def test_every_seeded_bug_is_expected() -> None:
    assert {bug.name for bug in BUGS} | {"OtherChip", "DivisionByZero"} == set(NUMBERS)


def test_more_blocks_than_cores_wait_for_each_other(kernel: Any) -> None:
    key = 2 * NUMBERS["SyncAllMissed"] + 1
    with pytest.raises(cannery.KernelError, match="wait for a free place") as caught:
        kernel(49, *arrays(), tiling_key=key)  # Ascend910B2 has 48 cores
    assert (caught.value.code, caught.value.status) == ("T301", 507034)
    assert "Ascend910B2 has 48" in str(caught.value)
    kernel(48, *arrays(), tiling_key=key)
    with cannery.use(soc="Ascend910B4"), pytest.raises(cannery.KernelError, match="has 40"):
        kernel(48, *arrays(), tiling_key=key)


def test_first_block_is_reported_whatever_the_order(kernel: Any) -> None:
    texts = set()
    for threads in (1, 2):
        for order in (0, 1, 2, 3):
            with (
                cannery.use(threads=threads, core_order=order),
                pytest.raises(cannery.KernelError) as caught,
            ):
                run(kernel, "UbFull", False, 8)
            texts.add(re.sub(r"core \d+ AIV, block \d+", "core", str(caught.value)))
    assert len(texts) == 1


def test_failures_in_a_row(kernel: Any) -> None:
    for _ in range(20):
        for bug in ("ReadsGmBeyond", "NullPointer", "Thrown", "QueueEmpty"):
            with pytest.raises(cannery.KernelError):
                run(kernel, bug, False, 4)
        run(kernel, "QueueEmpty", True)


# --- launches that fail before the kernel runs


def test_block_count_of_the_launch(kernel: Any) -> None:
    with pytest.raises(ValueError, match="block_dim: expected 1 to 65535, got 65536"):
        kernel(65536, *arrays(), tiling_key=1)


def test_number_of_pointers(kernel: Any) -> None:
    with pytest.raises(cannery.AclError, match=r"T602 .*takes 2 arguments \(in, out\), got 1"):
        kernel(1, arrays()[0], tiling_key=1)


def test_kernel_type_that_the_chip_has_not(kernel: Any) -> None:
    run(kernel, "OtherChip", True)
    with pytest.raises(cannery.AclError, match=r"T604 .*type 6, which A2 and A3 do not have"):
        run(kernel, "OtherChip", False)


def test_dump_that_cannot_be_written(kernel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANNERY_DUMP", "/proc/no-such-folder/stream.txt")
    with pytest.raises(cannery.AclError, match=r"T605 .*cannot open /proc/no-such-folder"):
        run(kernel, "QueueEmpty", True)
    monkeypatch.delenv("CANNERY_DUMP")
    run(kernel, "QueueEmpty", True)


class _Binary(ctypes.Structure):
    _fields_ = (
        ("abi", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("arg_count", ctypes.c_uint32),
        ("parameters", ctypes.c_void_p),
        ("arg_names", ctypes.c_char_p),
        ("call", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


def call_on_this_thread(library: str) -> None:
    """Calls a kernel like an ordinary function. The process ends with the twin's message."""
    binary = _Binary.in_dll(ctypes.CDLL(library), "twin_kernel_binary")
    binary.call((ctypes.c_void_p * 2)())


@pytest.mark.twin_only("a card's library has no such function")
def test_kernel_called_as_a_function(kernel: Any) -> None:
    tests = str(Path(__file__).resolve().parents[1])
    code = (
        f"import sys; sys.path[:0] = {[tests, *sys.path]!r}\n"
        "from device.test_seeded_bugs import call_on_this_thread\n"
        f"call_on_this_thread({str(kernel.library)!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode != 0
    assert "T603 an Ascend C call outside a kernel" in done.stderr
