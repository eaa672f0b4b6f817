# SPDX-License-Identifier: Apache-2.0
"""Tests which C++ users' kernels are compiled as: C++20, unless the user chooses another."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import cannery

from ..processes import run_cannery

#: Names of functions with template arguments are found by the arguments of the calls, as in C++20.
#: The kernel also contains what C++20 deprecates, and what would be a warning.
SOURCE = """
#include "kernel_operator.h"

struct Twice {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    volatile int32_t calls = 0;

    __aicore__ inline void Run(__gm__ float* x, __gm__ float* y) {
        pipe.InitBuffer(buffer, 1024);
        AscendC::GlobalTensor<float> from, to;
        from.SetGlobalBuffer(x, 256);
        to.SetGlobalBuffer(y, 256);
        auto local = buffer.Get<float>();
        DataCopy<float>(local, from, 256);
        AscendC::PipeBarrier<PIPE_ALL>();
        auto add = [=](AscendC::LocalTensor<float>& t) {
            calls += 1;
            Add<float>(t, t, t, 256);
        };
        add(local);
        AscendC::PipeBarrier<PIPE_ALL>();
        DataCopy<float>(to, local, 256);
    }
};

extern "C" __global__ __aicore__ void twice(GM_ADDR x, GM_ADDR y) {
    Twice kernel;
    kernel.Run((__gm__ float*)x, (__gm__ float*)y);
}
"""


@pytest.mark.filterwarnings("error")
def test_template_arguments_on_a_name_found_by_its_arguments() -> None:
    x = np.arange(256, dtype=np.float32)
    y = np.zeros_like(x)
    cannery.compile_kernel(SOURCE, "twice")(1, x, y)
    np.testing.assert_array_equal(y, x + x)


def test_the_users_standard_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "twice.asc"
    source.write_text(SOURCE)
    command = ["cc", "-c", str(source), "-o", str(tmp_path / "twice.o")]
    assert run_cannery(*command).returncode == 0
    done = run_cannery(*command, "-std=c++17")
    assert done.returncode == 1
    assert "twice.asc:15:" in done.stderr
    monkeypatch.setenv("CXX", "g++ -std=c++17")
    with pytest.raises(cannery.CompileError, match="DataCopy"):
        cannery.compile_kernel(SOURCE, "twice", portable=False)


def test_the_operators_of_this_checkout_are_cxx17(repository: Path) -> None:
    path = repository / "build/wheel-release/compile_commands.json"
    if not path.is_file():
        pytest.skip("there is no build folder")
    kernels = [each for each in json.loads(path.read_text()) if "/kernel/" in each["file"]]
    assert kernels
    for each in kernels:
        standards = [word for word in each["command"].split() if word.startswith("-std=")]
        assert standards[-1] == "-std=c++17", each["file"]
