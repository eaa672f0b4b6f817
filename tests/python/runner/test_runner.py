# SPDX-License-Identifier: Apache-2.0
"""Tests the runner: both ways to pass arrays to a device, processes, threads, signals and exit."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import cannery
from cannery import _runtime, settings

from ..processes import run_code

SETUP = """
import numpy as np
import cannery
from cannery import _runtime, golden
from cannery.testing import assert_close

rng = np.random.default_rng(0)
y_grad, x = (rng.standard_normal((300, n)).astype(np.float32) for n in (500, 1000))

def agree(y_grad, x):
    got = cannery.swi_glu_grad(y_grad, x)
    assert_close(got, golden.swi_glu_grad(y_grad, x), x.dtype, golden.swi_glu_grad_scale(y_grad, x))
    return got
"""


def python(code: str, timeout: float = 300, **variables: str) -> str:
    """Runs code in a new interpreter, which must exit with 0, and returns its output."""
    result = run_code(
        SETUP + textwrap.dedent(code), env={**os.environ, **variables}, timeout=timeout
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_import_is_lazy() -> None:
    code = (
        "import sys, cannery; "
        "print([m for m in ('numpy', 'typer', 'cannery._native') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_the_twin_maps_host_memory() -> None:
    cannery.swi_glu_grad(np.ones((2, 8), np.float32), np.ones((2, 16), np.float32))
    assert _runtime.native().maps_host()


@pytest.mark.slow
@pytest.mark.twin_only("opens the twin's libraries itself")
@pytest.mark.hazards_off("its arrays overlap: what is written is read by later copies")
def test_copies_give_the_same_bits_as_mapping(kernels: Path) -> None:
    """If the runtime cannot map host memory, copies to device memory give the same bits."""
    code = f"""
    import sys
    native = _runtime.native_module()
    copied = len(sys.argv) == 0 or {{copy}}
    native.open(_runtime.library_dirs("twin"), not copied)
    big = rng.standard_normal((2000, 5000)).astype(np.float32)
    for a, b in ((y_grad, x), (x[:, ::2], x), (x[::-1, 100:600], x), (big[:, :2500], big)):
        print(hash(agree(a, b).tobytes()))
    add = cannery.compile_kernel({str(kernels / "add.cpp")!r}, "add")
    buffer = np.arange(3000, dtype=np.float32)
    add(1, buffer[:1024], buffer[512:1536], buffer[1000:2024])
    print(hash(buffer.tobytes()), native.maps_host() == copied)
    """
    mapped = python(code.format(copy=False), PYTHONHASHSEED="1")
    copied = python(code.format(copy=True), PYTHONHASHSEED="1")
    assert mapped == copied
    assert mapped.endswith("False\n")


def test_ctrl_c_ends_a_launch_and_the_process_lives_on(kernels: Path) -> None:
    python(
        f"""
        import os, signal, threading, time
        # A test run in the background of a shell inherits an ignored SIGINT.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        kernel = cannery.compile_kernel({str(kernels / "broken.cpp")!r}, "broken", {{"BUG": 7}})
        agree(y_grad, x)
        start = time.process_time()
        try:
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
            with cannery.use(timeout_s=50):
                kernel(1, np.zeros(64, np.float32), np.zeros(64, np.float32))
        except KeyboardInterrupt:
            assert time.process_time() - start < 25  # CPU time includes the endless loop
        else:
            raise AssertionError("no KeyboardInterrupt")
        agree(y_grad, x)
        """
    )


def test_a_signal_handler_that_calls_an_operator_gets_an_error(kernels: Path) -> None:
    python(
        f"""
        import os, signal, threading
        kernel = cannery.compile_kernel({str(kernels / "broken.cpp")!r}, "broken", {{"BUG": 7}})
        signal.signal(signal.SIGUSR1, lambda *_: agree(y_grad, x))
        over = threading.Event()

        def signals():
            while not over.wait(0.3):  # the first signal may come before the launch starts
                os.kill(os.getpid(), signal.SIGUSR1)

        threading.Thread(target=signals, daemon=True).start()
        try:
            with cannery.use(timeout_s=20):
                kernel(1, np.zeros(64, np.float32), np.zeros(64, np.float32))
        except RuntimeError as error:
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)
            assert "signal handler" in str(error)
        else:
            raise AssertionError("no RuntimeError")
        over.set()
        agree(y_grad, x)
        """
    )


def test_a_forked_child_says_what_is_wrong() -> None:
    output = python(
        """
        import os
        agree(y_grad, x)
        child = os.fork()
        if child == 0:
            try:
                agree(y_grad, x)
            except RuntimeError as error:
                os._exit(7 if "spawn" in str(error) else 8)
            os._exit(9)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        agree(y_grad, x)
        """
    )
    assert output == "7\n"


def test_a_fork_before_the_first_use_is_harmless() -> None:
    output = python(
        """
        import os
        child = os.fork()
        if child == 0:
            agree(y_grad, x)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    assert output == "0\n"


def test_exit_while_another_thread_runs(kernels: Path) -> None:
    python(
        f"""
        import threading, time
        kernel = cannery.compile_kernel({str(kernels / "broken.cpp")!r}, "broken", {{"BUG": 7}})
        def work():
            with cannery.use(timeout_s=1):
                try:
                    kernel(1, np.zeros(64, np.float32), np.zeros(64, np.float32))
                except cannery.KernelError:
                    pass
        threading.Thread(target=work, daemon=True).start()
        time.sleep(0.3)
        """
    )


@pytest.mark.hazards_off("asks for the other backend")
def test_backend_cannot_change_after_the_first_call() -> None:
    cannery.swi_glu_grad(np.ones((2, 8), np.float32), np.ones((2, 16), np.float32))
    here = settings.current_backend()
    with pytest.raises(RuntimeError, match=f"already uses '{here}'"):
        cannery.use("npu" if here == "twin" else "twin")


@pytest.mark.hazards_off("asks for a card")
def test_missing_libraries_are_named_with_the_places_tried(tmp_path: Path) -> None:
    output = python(
        """
        try:
            agree(y_grad, x)
        except RuntimeError as error:
            print(error)
        """,
        CANNERY_BACKEND="npu",
        ASCEND_CUSTOM_OPP_PATH=str(tmp_path),
        ASCEND_HOME_PATH=str(tmp_path / "toolkit"),
        ASCEND_TOOLKIT_HOME="",
        ASCEND_OPP_PATH="",
        LD_LIBRARY_PATH="",
    )
    for missing in ("libascendcl.so or libacl_rt.so", "libnnopbase.so", "libcust_opapi.so"):
        assert missing in output
    assert str(tmp_path / "toolkit" / "lib64") in output
    assert "cannery doctor" in output


def test_vendor_directories_follow_the_priority(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vendors").mkdir()
    (tmp_path / "vendors" / "config.ini").write_text("load_priority=first,second\n")
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path))
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", "/custom")
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    monkeypatch.delenv("ASCEND_TOOLKIT_HOME", raising=False)
    vendors = [str(tmp_path / "vendors" / name / "op_api" / "lib") for name in ("first", "second")]
    assert _runtime.library_dirs("npu") == ["/custom/op_api/lib", *vendors, ""]
