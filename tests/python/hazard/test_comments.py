# SPDX-License-Identifier: Apache-2.0
"""`// hazard-ok: CODE reason` on the line of a finding allows the finding. The tests show where the
comment counts, and what the message says if the comment does not count."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery import _runtime
from cannery.compile.elf import section

from ..processes import run_cannery
from ..selection import rest_slow

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

BODY = """\
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    GlobalTensor<float> from;
    from.SetGlobalBuffer((__gm__ float*)x);
    pipe.InitBuffer(buffer, 1024);
    LocalTensor<float> tile = buffer.Get<float>();
    DataCopy(tile, from, 256);
    MARK
"""
HEAD = '#include "kernel_operator.h"\nusing namespace AscendC;\n'
KERNEL = 'extern "C" __global__ __aicore__ void twice(GM_ADDR x) {\n' + BODY + "}\n"
SECOND = "DataCopy(tile, from[256], 256);"
GOOD = f"{SECOND}  // hazard-ok: T803 only the second load is used"


def source(second: str) -> str:
    return HEAD + KERNEL.replace("MARK", second)


def launch(text: str | Path, **options: object) -> None:
    kernel = cannery.compile_kernel(text, "twice", **options)  # type: ignore[arg-type]
    kernel(1, np.ones(512, np.float32))


def hazard_of(text: str | Path) -> cannery.Hazard:
    with pytest.raises(cannery.HazardError) as caught:
        launch(text)
    assert len(caught.value.hazards) == 1
    assert caught.value.hazards[0].note in str(caught.value)
    return caught.value.hazards[0]


def test_the_finding_is_there_without_a_comment() -> None:
    hazard = hazard_of(source(SECOND))
    assert (hazard.code, hazard.note) == ("T803", "")


def test_text_has_its_comments_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launch(source(GOOD))
    # If the source is a string, the checker must not read comments of a file of the same name.
    (tmp_path / "twice.cpp").write_text(source(GOOD))
    monkeypatch.chdir(tmp_path)
    assert hazard_of(source(SECOND)).note == ""


def test_either_line_will_do() -> None:
    text = source(SECOND)
    first = "DataCopy(tile, from, 256);"
    launch(text.replace(first, f"{first}  // hazard-ok: T803 only the second load is used"))


@pytest.mark.slow
def test_files_and_their_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    file = sources / "twice.cpp"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    file.write_text(source(GOOD))
    monkeypatch.chdir(tmp_path)
    launch(Path("sources/twice.cpp"))
    monkeypatch.chdir(elsewhere)
    launch(file)
    body = "template <typename T> __aicore__ inline void Body(T x) {\n" + BODY + "}\n"
    (sources / "body.h").write_text(body.replace("MARK", GOOD))
    file.write_text(
        f'{HEAD}#include "body.h"\n'
        'extern "C" __global__ __aicore__ void twice(GM_ADDR x) { Body(x); }\n'
    )
    launch(file)
    monkeypatch.chdir(tmp_path)
    file.write_text(file.read_text().replace("body.h", "inner/body.h"))
    (sources / "inner").mkdir()
    (sources / "body.h").rename(sources / "inner" / "body.h")
    launch(file.read_text(), include_dirs=["sources"])


NOTES = {
    "// hazard-ok: T999 why": "names T999, not T803",
    "// hazard-ok: T803": "gives no reason",
    "// hazard-ok: T803   ": "gives no reason",
    "// hazard-ok T803 why": "has no colon behind it",
    "// hazard-ok: because": "names no code",
    "// hazard-ok: t803 why": "names t803, not T803",
    "// Hazard-OK: T803 why": "is written 'Hazard-OK'",
    "/* hazard-ok: T803 why */": "is no comment of the form `// hazard-ok: T803 reason`",
}


@pytest.mark.parametrize("comment", rest_slow(NOTES))
def test_what_does_not_count_is_said(comment: str) -> None:
    text = source(f"{SECOND}  {comment}")
    assert hazard_of(text).note == f"the hazard-ok on line 11 {NOTES[comment]}"


def test_a_comment_above_is_said_to_stand_there() -> None:
    text = source(f"// hazard-ok: T803 why\n    {SECOND}")
    assert hazard_of(text).note == "the hazard-ok on line 11 stands above line 12, not on it"


@pytest.mark.parametrize(
    "comment",
    rest_slow(
        [
            '// hazard-ok: T803 wéil é 日本 "quoted" 100 % \\\\ $x',
            "// hazard-ok: T801 one  // hazard-ok: T803 and the other",
            "//hazard-ok: T803 close",
            "/* a */  // hazard-ok: T803 behind another comment",
        ],
        2,
    ),
)
def test_what_counts(comment: str) -> None:
    launch(source(f"{SECOND}  {comment}"))


@pytest.mark.release
def test_programs_carry_theirs(tmp_path: Path) -> None:
    """A program contains the hazard-ok comments of its sources, so it may run in any folder."""
    main = """
#include "acl/acl.h"
int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream;
    aclrtCreateStream(&stream);
    void* x = nullptr;
    aclrtMalloc(&x, 2048, ACL_MEM_MALLOC_HUGE_FIRST);
    twice<<<1, nullptr, stream>>>((uint8_t*)x);
    return aclrtSynchronizeStream(stream) == 0 ? 0 : 1;
}
"""
    for name, second, status in (("good", GOOD, 0), ("bad", SECOND, 1)):
        (tmp_path / f"{name}.cpp").write_text(source(second) + main)
        built = run_cannery("cc", f"{name}.cpp", "-o", name, cwd=tmp_path)
        assert built.returncode == 0, built.stderr
        with cannery.use(hazards="auto-sync"):
            ran = subprocess.run([tmp_path / name], cwd="/", check=False, capture_output=True)
        assert ran.returncode == status, name


def test_operators_carry_theirs() -> None:
    """An operator's library contains its hazard-ok comments, with file names of the source tree."""
    kernels = _runtime.package_root() / "op_impl" / "ai_core" / "tbe" / "kernel" / "twin"
    library = next((kernels / "swi_glu_grad").glob("*.so"))
    fields = (section(library.read_bytes(), "twin_hazard_ok") or b"").split(b"\0")
    assert b"swi_glu_grad/compute.h" in fields
    assert len(fields) % 3 == 1
