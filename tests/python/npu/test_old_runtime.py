# SPDX-License-Identifier: Apache-2.0
"""If a runtime lacks functions, the runner uses pooled device memory and copies, or it reports
which function is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cannery.testing.toolkit import Toolkit

from .conftest import python, without
from .test_faults import NOTHING_LEFT


@pytest.mark.slow
def test_arrays_are_copied(old: Toolkit) -> None:
    code = """
    agree(); agree(300, 1000)
    big = np.random.default_rng(0).standard_normal((2000, 5000)).astype(np.float32)
    want = golden.swi_glu_grad(big[:, :2500], big)
    scale = golden.swi_glu_grad_scale(big[:, :2500], big)
    assert_close(cannery.swi_glu_grad(big[:, :2500], big), want, big.dtype, scale)
    print(_runtime.native().maps_host())
    print(closed())
    """
    assert python(old, code) == "False\n" + NOTHING_LEFT


def test_sizes_are_exact_and_memory_is_used_again(old: Toolkit) -> None:
    code = """
    agree(5, 24)
    print(sizes())
    agree(5, 24)
    print(sizes())
    agree(5, 32)
    print(sizes())
    agree(5, 24); agree(5, 32)
    print(sizes(), runtime().faultyAlignment() >= 512, balance()["memory"])
    """
    first, second, third, last = python(old, code).splitlines()
    # The call allocates y_grad, x and the gradient of x. The test ignores the workspace (>= 1 MiB).
    assert [size for size in eval(first) if size < 1 << 20] == [480, 960, 960]  # noqa: S307
    assert second == "[]"
    assert third == "[640, 1280, 1280]"
    assert last.startswith("[] True ")


@pytest.mark.slow
def test_the_pool_is_bounded(old: Toolkit) -> None:
    code = """
    for rows in range(1, 61):
        agree(rows)
        assert balance()["memory"] <= 32, balance()
    # Few arrays, but many bytes: each call needs 640 MB, and the pool may have 1 GiB.
    for rows in (500_000, 500_001):
        y_grad = np.zeros((rows, 64), np.float32)
        x = np.zeros((rows, 128), np.float32)
        cannery.swi_glu_grad(y_grad, x)
        assert balance()["bytes"] <= 1 << 30, balance()
    print(closed())
    """
    assert python(old, code) == NOTHING_LEFT


def test_overlapping_arrays_are_one_memory(old: Toolkit) -> None:
    code = """
    base = np.arange(4000, dtype=np.float32).reshape(10, 400) / 4000
    y_grad, x = base[:, 100:200], base[:, :200]
    got = cannery.swi_glu_grad(y_grad, x)
    want = golden.swi_glu_grad(y_grad, x)
    assert_close(got, want, np.float32, golden.swi_glu_grad_scale(y_grad, x))
    print(sizes())
    """
    # One allocation contains both arrays, from the first element of x to its last.
    assert str(9 * 1600 + 800) in python(old, code)


@pytest.mark.parametrize(
    ("symbol", "library"),
    [("aclrtMemcpy", "libascendcl.so"), ("aclCreateTensor", "libnnopbase.so")],
)
def test_what_it_cannot_do_without_is_named(
    toolkit: Toolkit, tmp_path: Path, symbol: str, library: str
) -> None:
    made = Toolkit(Path(shutil.copytree(toolkit.home, tmp_path / "ascend")))
    without(made.lib / library, [symbol])
    said = python(made, "show(failure())")
    assert said.startswith("BackendError ")
    assert symbol in said
    assert library in said


def test_without_an_abort_everything_else_works(toolkit: Toolkit, tmp_path: Path) -> None:
    made = Toolkit(Path(shutil.copytree(toolkit.home, tmp_path / "ascend")))
    without(made.lib / "libascendcl.so", ["aclrtStreamAbort", "aclrtLaunchKernel"])
    assert python(made, "agree(); print('computed')") == "computed\n"
