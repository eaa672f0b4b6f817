# SPDX-License-Identifier: Apache-2.0
"""Tests `Kernel.ub_map`, its pictures, and the bars in messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import cannery
from cannery.compile.ub_map import Buffer, Piece, UbMap, letter, save

pytestmark = pytest.mark.twin_only("a card has no map of its memories")

# Tiling key 0 is the plain layout. Key 1 has no room for the last buffer. Keys 2 to 4 use a tensor
# that is too long. Key 5 calls Reset 3 times, key 6 99 times. Key 7 uses UB outside all buffers.
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void maps(GM_ADDR x, GM_ADDR out) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> done;
    TBuf<> spare;
    pipe.InitBuffer(in, 2, 8192);  // in
    pipe.InitBuffer(done, 1, 16384);
    pipe.InitBuffer(spare, 1000);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer((__gm__ float*)x);
    to.SetGlobalBuffer((__gm__ float*)out);
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, from, 64);
    in.EnQue(a);
    a = in.DeQue<float>();
    LocalTensor<float> b = done.AllocTensor<float>();
    if (TILING_KEY_IS(1)) {
        pipe.InitBuffer(spare, 184320);
    } else if (TILING_KEY_IS(2)) {
        Adds(b, a, 1.0f, 3072);
    } else if (TILING_KEY_IS(3)) {
        Adds(b, a, 1.0f, 65536);
    } else if (TILING_KEY_IS(4)) {
        spare.Get<float>(300);
    }
    const uint32_t count = GetBlockIdx() == 0 ? 64 : 32;
    Adds(b, a, 1.0f, count);
    in.FreeTensor(a);
    done.EnQue(b);
    b = done.DeQue<float>();
    DataCopy(to[GetBlockIdx() * 64], b, count);
    done.FreeTensor(b);
    for (int i = 0; i < 3 && TILING_KEY_IS(5); ++i) {
        pipe.Reset();
        pipe.InitBuffer(spare, i == 1 ? 2048 : 1024);
    }
    for (uint32_t i = 1; i < 100 && TILING_KEY_IS(6); ++i) {
        pipe.Reset();
        pipe.InitBuffer(spare, 32 * i);
    }
    if (TILING_KEY_IS(7)) {
        LocalTensor<float> far = pipe.GetAbsAddr<TPosition::VECCALC, float>(131072, 64);
        Duplicate(far, 0.0f, 64);
        PipeBarrier<PIPE_ALL>();
    }
}
"""


def document(text: str) -> ElementTree.Element:
    """Parses a picture that the package has drawn."""
    return ElementTree.fromstring(text.encode())  # noqa: S314


def read_picture(path: Path) -> ElementTree.Element:
    return document(path.read_text(encoding="utf-8"))


FAILURES = {1: "T106", 2: "T107", 3: "T103", 4: "T107"}


@pytest.fixture(scope="module")
def compiled(shared_cache: Path) -> cannery.Kernel:
    with cannery.use(cache_dir=shared_cache):
        return cannery.compile_kernel(SOURCE, "maps")


@pytest.fixture
def kernel(compiled: cannery.Kernel) -> cannery.Kernel:
    """Returns a kernel object that was never called."""
    return cannery.compile.kernel.Kernel(compiled.libraries, "maps", compiled.arguments)


def arrays() -> tuple[np.ndarray, np.ndarray]:
    return np.ones(64, np.float32), np.zeros(128, np.float32)


def only(found: UbMap) -> tuple[cannery.compile.ub_map.Cores, cannery.compile.ub_map.Layout]:
    (cores,) = found.cores
    (layout,) = cores.layouts
    return cores, layout


@pytest.mark.parametrize("when", ["before", "after", "recorded"])
def test_layout(kernel: cannery.Kernel, when: str) -> None:
    x, out = arrays()
    if when != "before":
        kernel(2, x, out, record=when == "recorded")
    before = out.tobytes()
    found = kernel.ub_map(2, x, out) if when == "before" else kernel.ub_map()
    assert out.tobytes() == before
    assert (found.kernel, found.tiling_key, found.block_dim, found.error) == ("maps", 0, 2, "")
    cores, layout = only(found)
    assert cores.names == ("0 AIV", "1 AIV")
    line = 1 + next(i for i, text in enumerate(SOURCE.splitlines()) if text.endswith("// in"))
    first, *others = layout.buffers
    assert (first.memory, first.begin, first.bytes, first.kind) == ("UB", 0, 8192, "VECIN")
    assert (first.queue, first.slot, first.line) == (0, 0, line)
    assert first.file.endswith("maps.cpp")
    assert [(b.queue, b.slot, b.begin, b.bytes) for b in others] == [
        *((0, 1, 8192, 8192), (1, 0, 16384, 16384), (2, 0, 32768, 1024)),
    ]
    assert [b.touched for b in layout.buffers] == [256, 0, 256, 0]
    assert layout.taken("UB") == cores.most("UB") == cores.last("UB") == 33792
    assert layout.free("UB", 196608) == (Piece("UB", 33792, 196608 - 33792),)
    assert layout.loose == ()


def test_text(kernel: cannery.Kernel) -> None:
    x, out = arrays()
    text = str(kernel.ub_map(2, x, out)).splitlines()
    assert text[0] == "maps, tiling key 0, 2 blocks, KERNEL_TYPE_AIV_ONLY on Ascend910B2"
    assert text[1] == "2 AIV: 0 AIV to 1 AIV"
    assert text[2].startswith("  UB  |00001111")
    assert text[2].endswith("| 33792 of 196608 B taken (17.2 %), 162816 B free")
    assert text[3].split()[:5] == ["0", "0x00000", "2", "x", "8192"]
    assert text[3].endswith("VECIN #0, maps.cpp:9, touched 256 B")
    assert text[5].endswith("TBuf #2, maps.cpp:11, never touched")
    assert text[6].split() == [".", "0x08400", "162816", "B", "free"]


def test_rounds(kernel: cannery.Kernel) -> None:
    x, out = arrays()
    (cores,) = kernel.ub_map(1, x, out, tiling_key=5).cores
    assert [layout.times for layout in cores.layouts] == [1, 2, 1]
    assert [layout.taken("UB") for layout in cores.layouts] == [33792, 1024, 2048]
    assert (cores.most("UB"), cores.last("UB")) == (33792, 1024)  # layouts 1 and 3 are equal
    found = kernel.ub_map(1, x, out, tiling_key=6)
    (cores,) = found.cores
    assert (len(cores.layouts), cores.more) == (32, 68)
    assert "and 68 further layouts" in str(found)
    assert (cores.most("UB"), cores.last("UB")) == (33792, 32 * 99)  # the last layout is stored
    document(found.svg())


def test_tiling_keys(kernel: cannery.Kernel) -> None:
    x, out = arrays()
    for key in (0, 7):
        kernel(1, x, out, tiling_key=key)
    assert kernel.ub_map().tiling_key == 7
    assert only(kernel.ub_map())[1].loose == (Piece("UB", 131072, 256),)
    assert "+  0x20000           256 B  touched, of no buffer" in str(kernel.ub_map())
    assert kernel.ub_map(tiling_key=0).tiling_key == 0
    with pytest.raises(ValueError, match=r"tiling_key: expected .*called with \(0, 7\), got 3"):
        kernel.ub_map(tiling_key=3)


@pytest.mark.parametrize("key", FAILURES)
def test_failure_has_a_map_and_a_bar(kernel: cannery.Kernel, key: int) -> None:
    x, out = arrays()
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, x, out, tiling_key=key)
    assert caught.value.code == FAILURES[key]
    message = str(caught.value).splitlines()
    assert message[1].startswith("  UB |")
    assert ". free" in message[1]
    bar, access = (line.index("|") + 1 for line in message[1:3])
    assert bar == access
    marks = message[2][access:]
    assert marks.strip(" =!") == ""
    assert marks.endswith("!")
    assert len(marks) <= 60
    found = kernel.ub_map()
    assert found.error.startswith(FAILURES[key])
    assert str(found).splitlines()[0].startswith(f"maps, tiling key {key}")
    # The exception's message contains the bar, so the map must not draw it again.
    assert str(found).splitlines()[-1].startswith("failed, and the memories were these: T10")
    assert only(found)[1].taken("UB") == 33792
    assert FAILURES[key] in found.svg()


def test_bar_shows_the_shares(kernel: cannery.Kernel) -> None:
    x, out = arrays()
    with pytest.raises(cannery.KernelError) as caught:
        kernel(1, x, out, tiling_key=1)
    marks = str(caught.value).splitlines()[2].partition("|")[2]
    # The buffer needs 184320 B. 162816 B are free, drawn as `=`; the missing 21504 B are `!`.
    assert marks.count("!") / (marks.count("!") + marks.count("=")) == pytest.approx(
        0.117, abs=0.05
    )


def test_picture(kernel: cannery.Kernel, tmp_path: Path) -> None:
    x, out = arrays()
    kernel(2, x, out)
    kernel.ub_map().save(tmp_path / "map.svg")
    root = read_picture(tmp_path / "map.svg")
    space = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{space}svg"
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    boxes = [each for each in root.iter(f"{space}rect") if each.attrib["width"] != "100%"]
    assert len(boxes) >= 5
    for box in boxes:
        assert 0 <= float(box.attrib["x"]) <= float(box.attrib["x"]) + float(box.attrib["width"])
        assert float(box.attrib["x"]) + float(box.attrib["width"]) <= width
        assert float(box.attrib["y"]) + float(box.attrib["height"]) <= height
    hints = [each.text or "" for each in root.iter(f"{space}title")]
    assert any("0x2000 to 0x4000, 8192 B: VECIN #0" in hint for hint in hints)
    with pytest.raises(ValueError, match=r"expected FILE\.svg, got .*map\.png"):
        kernel.ub_map().save(tmp_path / "map.png")


def test_odd_names(kernel: cannery.Kernel, tmp_path: Path) -> None:
    """A picture is valid XML even if a path or a message contains special characters."""
    record: dict[str, Any] = {
        "kernel": "a<b>&\"'\x01\udc80",
        "kernel_type": "K",
        "tiling_key": 2**64 - 1,
        "block_dim": 1,
        "soc": "]]>",
        "memories": {"UB": 64},
        "message": "T1 <x>\n& \x00",
        "left_out": 0,
    }
    buffer = {"memory": "UB", "begin": 0, "bytes": 32, "touched": 0, "queue": 40, "slot": 0}
    buffers = [{**buffer, "kind": "TBuf", "file": "/&/<\x02>.cpp", "line": n} for n in range(500)]
    layout = {"times": 1, "buffers": buffers, "loose": []}
    cores = {"kind": "AIV", "names": ["0 AIV"], "more": 0, "layouts": [layout]}
    record["cores"] = [{**cores, "most": {"UB": 32}, "last": {"UB": 32}}]
    file = tmp_path / "map.jsonl"
    file.write_text(json.dumps(record) + "\n")
    (found,) = cannery.read_ub_map(file)
    root = document(found.svg())
    assert "a<b>&\"'??" in "".join(root.itertext())
    assert "... and " in str(found)
    assert letter(found.cores[0].layouts[0].buffers[0]) == "E"
    save([found, found], tmp_path / "map.svg")
    read_picture(tmp_path / "map.svg")


@pytest.mark.parametrize("content", ["{", "[1]\n", '{"kernel": "a"}\n', "\x00"])
def test_no_map(tmp_path: Path, content: str) -> None:
    (tmp_path / "map.jsonl").write_text(content)
    with pytest.raises(cannery.CanneryError, match="is no map of launches, or is cut short"):
        cannery.read_ub_map(tmp_path / "map.jsonl")
    with pytest.raises(cannery.CanneryError, match="cannot be read"):
        cannery.read_ub_map(tmp_path / "none.jsonl")


def test_mistakes(kernel: cannery.Kernel) -> None:
    x, out = arrays()
    with pytest.raises(cannery.CanneryError, match=r"no call yet; ub_map\(block_dim, arguments"):
        kernel.ub_map()
    for wrong in (lambda: kernel.ub_map(tiling=b"1"), lambda: kernel.ub_map(None, x, out)):
        with pytest.raises(TypeError, match="block_dim: expected with arguments, workspace or"):
            wrong()
    with pytest.raises(cannery.KernelError, match="T602 wrong number of arguments"):
        kernel.ub_map(1, x)
    for blocks in (0, 65536):
        with pytest.raises(ValueError, match=f"block_dim: expected 1 to 65535, got {blocks}"):
            kernel.ub_map(blocks, x, out)
    with pytest.raises(ValueError, match="C-contiguous"):
        kernel.ub_map(1, x, out[::2])
    readonly = out.copy()
    readonly.flags.writeable = False
    assert kernel.ub_map(1, x, readonly).error.startswith("T105")
    kernel(1, x, np.zeros(64, np.float32))
    with pytest.raises(cannery.CanneryError, match="an array of its last call is gone"):
        kernel.ub_map()


MIX = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void mixed(GM_ADDR out) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    TQue<TPosition::A1, 2> l1;
    TQue<TPosition::CO1, 1> l0c;
    TBuf<TPosition::VECCALC> ub;
    pipe.InitBuffer(l1, 2, 65536);
    pipe.InitBuffer(l0c, 1, 4096);
    if ASCEND_IS_AIV {
        pipe.InitBuffer(ub, GetSubBlockIdx() == 0 ? 1024 : 2048);
    }
}
"""


@pytest.mark.slow
def test_mix(shared_cache: Path) -> None:
    with cannery.use(cache_dir=shared_cache):
        kernel = cannery.compile_kernel(MIX, "mixed")
    found = kernel.ub_map(2, np.zeros(8, np.float32))
    assert [(cores.kind, cores.names) for cores in found.cores] == [
        ("AIC", ("0 AIC", "1 AIC")),
        ("AIV", ("0 AIV", "1 AIV")),
        ("AIV", ("0 AIV1", "1 AIV1")),
    ]
    cube, first, second = found.cores
    assert found.memories(cube) == ("L1", "L0A", "L0B", "L0C", "BT", "FB")
    assert (cube.most("L1"), cube.most("L0C"), cube.most("L0A")) == (131072, 4096, 0)
    # InitBuffer also reserves the cube core's queues on vector cores, where nothing uses them.
    assert found.memories(first) == ("UB", "L1", "L0C")
    assert (first.most("UB"), second.most("UB")) == (1024, 2048)
    assert (found.sizes["UB"], found.sizes["L1"]) == (196608, 524288)
    document(found.svg())


STUCK = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void stuck(GM_ADDR x) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 1024);
    if (TILING_KEY_IS(1) && GetBlockIdx() == 2) {
        buffer.Get<float>(1024);
    }
    if (TILING_KEY_IS(0) && GetBlockIdx() != 1) {
        SyncAll();
    }
}
"""


def test_cores_of_a_launch_that_fails() -> None:
    """After a deadlock, the map shows all cores. After T107, it shows only cores 0 to 2."""
    kernel = cannery.compile_kernel(STUCK, "stuck")
    x = np.zeros(64, np.float32)
    found = kernel.ub_map(5, x)
    assert found.error.startswith("T301 deadlock")
    (cores,) = found.cores
    assert (len(cores.names), found.left_out) == (5, 0)
    found = kernel.ub_map(5, x, tiling_key=1)
    assert found.error.startswith("T107")
    (cores,) = found.cores
    assert (len(cores.names), found.left_out, found.fields()["left_out"]) == (3, 2, 2)
    assert "without the 2 cores above the one that failed" in str(found)


def test_sixty_four_buffers_have_signs_of_their_own() -> None:
    buffers = [Buffer("UB", 0, 32, 0, queue, 0, "TBuf", "a.cpp", 1) for queue in range(64)]
    assert len({letter(buffer) for buffer in buffers} - set(".+=!>")) == 64


@pytest.mark.parametrize("key", [0, 1])
def test_order_of_cores_changes_nothing(kernel: cannery.Kernel, key: int) -> None:
    x, out = np.ones(64, np.float32), np.zeros(64 * 48, np.float32)
    want = str(kernel.ub_map(48, x, out, tiling_key=key))
    assert ("48 AIV" in want) == (key == 0)
    for threads, order in ((1, 0), (2, 0), (2, 7)):
        with cannery.use(threads=threads, core_order=order):
            assert str(kernel.ub_map(48, x, out, tiling_key=key)) == want
