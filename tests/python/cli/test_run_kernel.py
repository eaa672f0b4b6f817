# SPDX-License-Identifier: Apache-2.0
"""Tests `cannery run FILE:KERNEL` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import pytest

from ..processes import run_cannery

pytestmark = pytest.mark.twin_only("compiles a kernel for the twin")

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
template <typename T> __aicore__ inline void Scale(GM_ADDR x, GM_ADDR y, uint32_t count, T factor) {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, count * sizeof(T));
    pipe.InitBuffer(out, 1, count * sizeof(T));
    GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x + GetBlockIdx() * count, count);
    to.SetGlobalBuffer((__gm__ T*)y + GetBlockIdx() * count, count);
    LocalTensor<T> a = in.AllocTensor<T>();
    DataCopy(a, from, count);
    in.EnQue(a);
    a = in.DeQue<T>();
    LocalTensor<T> b = out.AllocTensor<T>();
    Muls(b, a, factor, count);
    out.EnQue(b);
    in.FreeTensor(a);
    b = out.DeQue<T>();
    DataCopy(to, b, count);
    out.FreeTensor(b);
}
extern "C" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, float factor, uint32_t count) {
    Scale<float>(x, y, count, factor);
}
#ifdef TILED
struct Tiling { uint32_t count; float factor; };
extern "C" __global__ __aicore__ void tiled(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR data) {
    auto tiling = (__gm__ Tiling*)data;
    Scale<float>(x, y, tiling->count, TILING_KEY_IS(7) ? tiling->factor : TILED);
}
#endif
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the path of a kernel source, which tests must not change."""
    folder = tmp_path_factory.mktemp("source") / "a: b"  # the path itself may contain a colon
    folder.mkdir()
    path = folder / "scale.cpp"
    path.write_text(SOURCE)
    return path


def read_picture(path: Path) -> ElementTree.Element:
    return ElementTree.fromstring(path.read_bytes())  # noqa: S314  the command drew this file


def command(*arguments: str | Path, status: int = 0) -> str:
    done = run_cannery("run", *arguments)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status == 0 else done.stderr


def test_arguments_of_every_form(source: Path, tmp_path: Path) -> None:
    x = np.arange(128, dtype=np.float32)
    np.save(tmp_path / "x.npy", x)
    y = f"float32[2x64]={tmp_path / 'y.bin'}"
    (tmp_path / "y.bin").write_bytes(bytes(512))
    arguments = ["--arg", tmp_path / "x.npy", "--arg", y, "--arg", "2.5", "--arg", "0x40"]
    said = command(f"{source}:scale", "--blocks", "2", *arguments, "--save", tmp_path / "out")
    assert "scale, 2 blocks, twin of Ascend910B2, hazards auto-sync, mode strict: ok" in said
    assert "127 of 128" in said  # element 0 of 128 stays 0
    assert np.array_equal(np.load(tmp_path / "out/y.npy"), 2.5 * x.reshape(2, 64))
    assert np.array_equal(np.load(tmp_path / "out/x.npy"), x)


def test_json_and_the_same_inputs_again(source: Path) -> None:
    def once(seed: str) -> dict[str, Any]:
        arguments = ["--arg", "float32[64]", "--arg", "float32[64]=poison", "--arg", "1"]
        said = command(f"{source}:scale", *arguments, "--arg", "64", "--seed", seed, "--json")
        parsed: dict[str, Any] = json.loads(said)
        return parsed

    first, again, other = once("3"), once("3"), once("4")
    assert first == again
    x, y, factor, count = first["arguments"]
    assert (factor, count) == ({"name": "factor", "value": 1}, {"name": "count", "value": 64})
    assert (x["changed"], y["changed"], y["shape"]) == (0, 64, [64])
    assert x["first"] == y["first"] != other["arguments"][0]["first"]


def test_tiling_workspace_macros_and_dump(source: Path, tmp_path: Path) -> None:
    data = np.array([(64, 3.0)], [("count", np.uint32), ("factor", np.float32)])
    np.save(tmp_path / "tiling.npy", data)
    (tmp_path / "tiling.bin").write_bytes(data.tobytes())
    arguments = ["--arg", "float32[64]=ones", "--arg", "float32[64]=zeros", "--workspace", "64"]
    for name, key, wanted in (("tiling.npy", "7", 3.0), ("tiling.bin", "8", 5.0)):
        tiling = ["--tiling", tmp_path / name, "--tiling-key", key, "-D", "TILED=5.0f"]
        dump = tmp_path / "dump.txt"
        out = ["--save", tmp_path / "out", "--dump", dump]
        command(f"{source}:tiled", *arguments, *tiling, *out)
        assert np.all(np.load(tmp_path / "out/y.npy") == wanted)
        assert f"tilingKey {key}" in dump.read_text()


def test_the_only_kernel_needs_no_name_and_bfloat16_is_saved_as_bits(
    source: Path, tmp_path: Path
) -> None:
    assert "has several kernels" in command(source, status=2)
    only = SOURCE.partition("#ifdef")[0].replace(
        "Scale<float>(x, y, count", "Scale<half>(x, y, count"
    )
    alone = tmp_path / "alone.cpp"
    alone.write_text(only.replace("count, factor);", "count, (half)factor);"))
    arguments = ["--arg", "float16[64]=arange", "--arg", "bfloat16[64]=ones", "--arg", "1.0"]
    command(alone, *arguments, "--arg", "64", "--save", tmp_path)
    bits = np.load(tmp_path / "y.npy")
    assert bits.dtype == np.uint16
    assert np.array_equal(bits.view(np.float16), np.arange(64, dtype=np.float16))
    assert bits.view(ml_dtypes.bfloat16).shape == (64,)


def test_a_kernel_that_fails(source: Path) -> None:
    arguments = ["--arg", "float32[64]", "--arg", "float32[63]", "--arg", "1", "--arg", "64"]
    said = command(f"{source}:scale", *arguments, status=1)
    assert "T101" in said
    assert "scale.cpp:" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--arg", "float33[4]"], "'float33' is no dtype"),
        (["--arg", "float32[-4]"], "expected whole numbers in brackets, got '-4'"),
        (["--arg", "float32[4]=many"], "random, zeros, ones, arange, poison or a file, got 'many'"),
        (["--arg", "float32[4]=/dev/null"], "expected 16 bytes in /dev/null, got 0"),
        (["--arg", "object[4]"], "expected an array of numbers, got dtype object"),
        (["--arg", "object[4]=poison"], "--arg: object[4]=poison: expected an array of numbers"),
        (["--arg", "datetime64[4]"], "expected an array of numbers, got dtype datetime64"),
        (["--arg", "float32[4]=/tmp"], "--arg: float32[4]=/tmp: /tmp: Is a directory"),
        (["--arg", f"float32[0,{10**25}]"], "--arg: the extents other than 0 must need less"),
        (["--arg", f"float32[{'9' * 330}]"], "99], which needs more than 2^63 B"),
        (["--arg", f"float32[{'9' * 5000}]"], "expected smaller numbers in brackets, got '99"),
        (["--arg", "/dev/null.npy"], "--arg: /dev/null.npy: expected an .npy file with one array"),
        (["--tiling", "/no.npy"], "--tiling: /no.npy: expected an .npy file with one array"),
        (["--arg", "9" * 5000], "--arg: expected a number below 1.8e308, got '99"),
        (["--arg", "-1e400"], "--arg: expected a number below 1.8e308, got '-1e400'"),
        (
            [*("--arg", "float32[8]") * 2, "--arg", "1", "--arg", "9" * 400],
            "argument count of kernel scale: expected an",
        ),
        (["--arg", "x"], "--arg: expected float32[4096], float16[2,16]=zeros, x.npy"),
        (["--dtype", "float16"], "--dtype: of an operator"),
        (["--tiling", "/nowhere.bin"], "--tiling: /nowhere.bin: No such file"),
    ],
)
def test_wrong_options_exit_with_2(source: Path, arguments: list[str], words: str) -> None:
    assert words in command(f"{source}:scale", *arguments, status=2)


def test_wrong_targets(source: Path) -> None:
    assert "no kernel 'other'" in command(f"{source}:other", status=2)
    assert "no kernel ''" in command(f"{source}:", status=2)
    assert "no file" in command("/nowhere/at/all.cpp:scale", status=1)
    assert "--blocks: of a kernel" in command("swi_glu_grad", "--blocks", "3", status=2)


def test_map_of_the_memories(source: Path, tmp_path: Path) -> None:
    arguments = ["--arg", "float32[64]", "--arg", "float32[64]", "--arg", "1", "--arg", "64"]
    # --ub-map must not take the next word as the file name of its picture.
    said = command("--ub-map", f"{source}:scale", *arguments)
    assert "scale, tiling key 0, 1 block, KERNEL_TYPE_AIV_ONLY on Ascend910B2" in said
    assert "VECIN #0, scale.cpp:8, all touched" in said
    picture = tmp_path / "map.svg"
    parsed = json.loads(command(f"{source}:scale", *arguments, "--ub-map", picture, "--json"))
    assert parsed["ub_map"]["cores"][0]["most"] == {"UB": 512}
    assert read_picture(picture).tag.endswith("svg")
    said = command(f"{source}:scale", *arguments, f"--ub-map={tmp_path / 'map.png'}", status=2)
    assert "--ub-map: expected FILE.svg or nothing" in said


def test_map_of_a_kernel_that_fails(source: Path, tmp_path: Path) -> None:
    arguments = ["--arg", "float32[64]", "--arg", "float32[64]", "--arg", "1", "--arg", "30000"]
    done = run_cannery("run", f"{source}:scale", *arguments, "--ub-map", tmp_path / "map.svg")
    assert done.returncode == 1
    assert "120000 of 196608 B taken" in done.stdout
    assert "T106 UB full" in done.stderr
    assert done.stdout.splitlines()[-1].startswith("failed, and the memories were these: T106")
    assert "T106 UB full" in "".join(read_picture(tmp_path / "map.svg").itertext())


def test_map_of_an_operator(tmp_path: Path) -> None:
    picture = tmp_path / "map.svg"
    chosen = ["swi_glu_grad", "--size", "small", "--dtype", "float16", "--ub-map", picture]
    assert "swi_glu_grad, tiling key" in command(*chosen)
    assert "TBuf #0" in "".join(read_picture(picture).itertext())
    (result,) = json.loads(command(*chosen, "--json"))["results"]
    assert result["ub_maps"][0]["cores"][0]["most"]["UB"] > 0


def test_elements_that_were_never_written(source: Path) -> None:
    def words(fill: str, *more: str) -> list[str]:
        arrays = ["--arg", "float32[4,64]", "--arg", f"float32[4,64]={fill}", "--arg", "1"]
        return [f"{source}:scale", "--blocks", "3", *arrays, "--arg", "64", *more]

    done = run_cannery("run", *words("poison"))
    assert done.returncode == 1
    assert "mode strict: INCOMPLETE" in done.stdout
    gap = (
        "64 of 256 elements were never written; the first gap has 64 elements and begins at (3, 0)"
    )
    said = " ".join(done.stdout.split())
    assert f"output y of kernel scale: {gap}" in said
    assert said.count("never") == 1  # the gap is told once
    document = json.loads(run_cannery("run", *words("poison", "--json")).stdout)
    assert document["ok"] is False
    assert document["unwritten"] == [f"output y of kernel scale: {gap}"]
    x, y = document["arguments"][:2]
    assert (x["never_written"], y["never_written"], y["first_gap"]) == (256, 64, [192, 255])
    # The elements that were never written are not counted.
    full = json.loads(command(*words("zeros", "--json")))["arguments"][1]
    assert (y["max"], y["not_finite"]) == (full["max"], 0)
    # A kernel may write only a part of an array without poison. The command still prints the gap.
    said = command(*words("zeros"))
    assert "mode strict: ok" in said
    assert "y: 256 elements; 64 never written: 192 to 255" in said
    assert "never written" not in command(*words("zeros", "--blocks", "4"))


def test_values_in_a_dump(source: Path, tmp_path: Path) -> None:
    arguments = ["--arg", "float32[64]=arange", "--arg", "float32[64]", "--arg", "3", "--arg", "64"]
    dump = tmp_path / "dump.txt"
    command(f"{source}:scale", *arguments, "--dump", dump, "--dump-values", "3")
    assert "= 0 3 6 ... crc " in dump.read_text()
    said = command(f"{source}:scale", *arguments, "--dump-values", "3", status=2)
    assert "--dump-values: expected with --dump" in said
    chosen = ["swi_glu_grad", "--size", "small", "--dtype", "float16", "--dump", dump]
    command(*chosen, "--dump-values", "1")
    assert " crc " in dump.read_text()
