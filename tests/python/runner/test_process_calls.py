# SPDX-License-Identifier: Apache-2.0
"""A kernel that calls exit, fork or the like ends with an error, and its process goes on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery

from ..processes import run_code

pytestmark = pytest.mark.twin_only("a card has no processes")

SOURCE = Path(__file__).parents[2] / "fixtures" / "kernels" / "device" / "process_calls.cpp"
#: The source line of each call. CALLS has the calls in the order of their tiling keys, from 1 on.
LINES = {
    found[1]: number
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1)
    if (found := re.search(r"; +// (\w+\([0-9]*\))$", line))
}
CALLS = sorted(LINES, key=lambda call: (call != "exit(0)", call != "exit(1)", LINES[call]))
HARMLESS_SYSTEM_CALL = 23
LIBRARY_EXIT, LIBRARY_QUICK_EXIT, LIBRARY_FORK = 30, 31, 32


@pytest.fixture(scope="module")
def kernel() -> Any:
    return cannery.compile_kernel(SOURCE, "process_calls", portable=False)


def run(kernel: Any, key: int) -> np.ndarray:
    out = np.zeros(16, np.float32)
    kernel(1, np.ones(16, np.float32), out, tiling_key=key)
    return out


def children() -> set[str]:
    """The process ids of this process's children. Other tests' servers are among them."""
    lists = Path("/proc/self/task").glob("*/children")
    return {child for path in lists for child in path.read_text().split()}


def in_process(key: int) -> subprocess.CompletedProcess[str]:
    """Launches the kernel in a new Python process."""
    return run_code(
        f"""
import numpy as np
import cannery
kernel = cannery.compile_kernel({str(SOURCE)!r}, "process_calls", portable=False)
out = np.zeros(16, np.float32)
kernel(1, np.ones(16, np.float32), out, tiling_key={key})
print("launched", out[8])
"""
    )


def test_the_source_has_all_calls() -> None:
    assert len(CALLS) == 22


@pytest.mark.parametrize("key", range(1, 23), ids=CALLS)
def test_the_error_names_the_call_and_its_line(kernel: Any, key: int) -> None:
    call = CALLS[key - 1]
    before = children()
    with pytest.raises(cannery.KernelError, match=r"^T513 ") as error:
        run(kernel, key)
    text = str(error.value)
    effects = {"fork": "copy", "exec": "replace", "daemon": "copy and end", "pthread": "end a"}
    effects |= {"system": "start a program beside", "popen": "start a program beside"}
    effects |= {"kill": "send a signal to", "raise": "send a signal to", "syscall": "end, copy"}
    effect = next((effects[each] for each in effects if each in call), "end")
    # The number of a system call differs on other processors.
    name = "syscall(" if call.startswith("syscall(") else f"{call}, "
    assert f"the kernel called {name}" in text
    assert f", which would {effect} " in text
    assert re.search(rf"at \S*process_calls\.cpp:{LINES[call]} ", text), text
    assert "last Ascend C call" not in text
    assert children() == before
    assert run(kernel, 0)[0] == 1


def test_other_system_calls(kernel: Any) -> None:
    assert run(kernel, HARMLESS_SYSTEM_CALL)[8] == 1


def test_the_program_fails_if_nobody_handles_the_error() -> None:
    done = in_process(1)
    assert done.returncode == 1
    assert "T513" in done.stderr
    assert "launched" not in done.stdout


@pytest.mark.parametrize("key", [LIBRARY_EXIT, LIBRARY_QUICK_EXIT])
def test_exit_in_another_library_ends_the_process_with_a_failing_status(key: int) -> None:
    done = in_process(key)
    assert done.returncode == 1
    assert "cannery: T513 " in done.stderr
    assert "process_calls.cpp:" in done.stderr


def test_the_child_of_a_fork_in_another_library_ends() -> None:
    done = in_process(LIBRARY_FORK)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "launched 1.0\n"
    assert "the new process ends" in done.stderr


def test_host_code_in_the_same_library_may_end_and_copy_its_process(kernel: Any) -> None:
    done = run_code(
        f"""
import ctypes, os
library = ctypes.CDLL({str(kernel.library)!r})
assert library.host_children(b"/bin/sh") == 0
print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
library.host_exit(5)
"""
    )
    assert (done.returncode, done.stdout) == (5, "3\n"), done.stderr


@pytest.mark.parametrize("flags", ["-gdwarf-3", "-gdwarf-4", "-gdwarf-5", "-s"])
@pytest.mark.slow
def test_every_form_of_debug_information(flags: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without debug information the error names the last Ascend C call."""
    monkeypatch.setenv("CXX", f"g++ {flags}")
    kernel = cannery.compile_kernel(SOURCE, "process_calls", portable=False)
    with pytest.raises(cannery.KernelError) as error:
        run(kernel, 2)
    line = LINES["exit(1)"] if flags != "-s" else next(
        number for number, text in enumerate(SOURCE.read_text().splitlines(), 1)
        if "pipe.InitBuffer" in text
    )  # fmt: skip
    assert f"process_calls.cpp:{line} " in str(error.value)
    assert ("last Ascend C call" in str(error.value)) == (flags == "-s")
