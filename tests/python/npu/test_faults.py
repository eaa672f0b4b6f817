# SPDX-License-Identifier: Apache-2.0
"""If a card fails, the user must get the right exception and a clear message. Nothing stays
allocated, and the next call works."""

from __future__ import annotations

import pytest

from cannery.testing.toolkit import Toolkit

from .conftest import python

NOTHING_LEFT = "{'memory': 0, 'bytes': 0, 'streams': 0, 'devices': 0, 'mapped': 0, 'inits': 0}\n"


@pytest.mark.slow
def test_without_faults_everything_is_given_back(faulty: Toolkit) -> None:
    code = """
    agree(); agree(300, 128)
    threads = [threading.Thread(target=agree, args=(n,)) for n in range(3, 9)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert balance()["streams"] == balance()["devices"] == 1, balance()
    print(closed())
    """
    assert python(faulty, code) == NOTHING_LEFT


@pytest.mark.slow
def test_no_device(faulty: Toolkit) -> None:
    said = python(faulty, "show(failure())\nprint(closed())", FAULTS="devices=0")
    assert said.startswith("BackendError this machine shows no Ascend card")
    assert "npu-smi info" in said
    assert "ASCEND_RT_VISIBLE_DEVICES" in said


def test_a_device_that_comes_later(faulty: Toolkit) -> None:
    code = """
    failure()
    os.environ["FAULTS"] = ""
    agree()
    print(closed())
    """
    assert python(faulty, code, FAULTS="devices=0") == NOTHING_LEFT


def test_a_busy_device_is_passed_over(faulty: Toolkit) -> None:
    code = "agree()\nprint(_runtime.native().device_id())\nprint(closed())"
    assert python(faulty, code, FAULTS="devices=3,busy=2") == "2\n" + NOTHING_LEFT


def test_all_devices_are_busy(faulty: Toolkit) -> None:
    said = python(faulty, "show(failure())", FAULTS="devices=2,busy=2")
    assert said.startswith("BackendError none of 2 devices can be used")
    for device in (0, 1):
        assert f"device {device}: 507033 device {device} is used by process 4711" in said


def test_somebody_else_has_initialized(faulty: Toolkit) -> None:
    """Another library, such as torch_npu, may have initialized the runtime before."""
    said = python(faulty, "agree()\nprint(closed())", FAULTS="initialized")
    assert said == NOTHING_LEFT


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (507015, "ACL_ERROR_RT_AICORE_EXCEPTION"),
        (507035, "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION"),
        (507014, "ACL_ERROR_RT_AICORE_TIMEOUT"),
    ],
)
def test_a_kernel_that_fails(faulty: Toolkit, status: int, name: str) -> None:
    code = """
    agree()
    os.environ["FAULTS"] = "kernel=STATUS"
    error = failure(300)
    print(type(error).__name__, error.status, error.name, error.code, error)
    os.environ["FAULTS"] = ""
    agree(); agree(300)
    print(closed())
    """
    said = python(faulty, code.replace("STATUS", str(status)))
    first, *rest = said.splitlines(keepends=True)
    assert first == f"KernelError {status} {name} None The aicore execution is abnormal: core 3\n"
    assert f"aclnnSwiGluGrad returned {status} ({name})" in rest[0]
    assert "backend 'twin'" in rest[1]
    assert rest[-1] == NOTHING_LEFT


def test_memory_runs_out_in_the_middle_of_a_call(faulty: Toolkit) -> None:
    """If memory is too small for the output, the runner first frees its unused memory, and then the
    call fails."""
    code = """
    agree(); agree(10)
    error = failure(1000, 64)  # 256000 and 512000 B of inputs, 512000 B of output
    print(type(error).__name__, error.status, error.name, error)
    print(balance()["bytes"])
    agree(500, 64)
    print(closed())
    """
    said = python(faulty, code, FAULTS="unmapped,limit=800000")
    lines = said.splitlines(keepends=True)
    assert lines[0].startswith("AclError 207001 ACL_ERROR_RT_MEMORY_ALLOCATION alloc device memory")
    assert "aclrtMalloc of 512000 B returned 207001" in lines[1]
    assert "npu-smi info" in lines[2]
    assert int(lines[3]) <= 800000
    assert lines[-1] == NOTHING_LEFT


@pytest.mark.parametrize("direction", ["h2d", "d2h"])
def test_a_copy_fails(faulty: Toolkit, direction: str) -> None:
    code = f"""
    agree()
    for rows in (4, 40000):  # several threads copy 40000 rows
        os.environ["FAULTS"] = "unmapped,{direction}=507899"
        error = failure(rows)
        print(type(error).__name__, error.status, str(error).splitlines())
        os.environ["FAULTS"] = "unmapped"
        agree(rows)
    print(closed())
    """
    *errors, last = python(faulty, code, FAULTS="unmapped").splitlines(keepends=True)
    wanted = "aclrtMemcpy returned 507899 (ACL_ERROR_RT_DRV_INTERNAL_ERROR)"
    assert errors == [f"AclError 507899 ['the link is down', '  {wanted}']\n"] * 2
    assert last == NOTHING_LEFT


def test_that_memory_cannot_be_mapped_is_no_error_of_anything_later(faulty: Toolkit) -> None:
    code = """
    agree()
    assert not _runtime.native().maps_host()
    try:
        cannery.swi_glu_grad(np.ones((2, 8), np.float32), np.ones((2, 15), np.float32))
    except cannery.AclnnError as error:
        print(error.status, "mapped" in str(error))
    print(closed())
    """
    assert python(faulty, code, FAULTS="unmapped") == "561002 False\n" + NOTHING_LEFT


def test_the_callers_context_stays(faulty: Toolkit) -> None:
    """A thread keeps its own context, which another library may have made."""
    code = """
    agree()
    acl = runtime()
    mine, now = ctypes.c_void_p(), ctypes.c_void_p()
    assert acl.aclrtCreateContext(ctypes.byref(mine), 0) == 0
    agree(4, 128)
    assert acl.aclrtGetCurrentContext(ctypes.byref(now)) == 0
    assert now.value == mine.value, (now, mine)
    acl.aclrtDestroyContext(mine)
    agree()
    print(closed())
    """
    assert python(faulty, code) == NOTHING_LEFT
