# SPDX-License-Identifier: Apache-2.0
"""cannery.use must accept settings, restore them, and pass them to the twin."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import _runtime, errors, settings

from ..processes import run_cannery, run_code

NOTHING = """
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void nothing(GM_ADDR x) {}
"""


def test_as_function_and_as_context_manager() -> None:
    cannery.use(threads=2, mode="hardware")
    assert os.environ["CANNERY_THREADS"] == "2"
    with cannery.use(threads=1, core_order=5, timeout_s=2):
        assert os.environ["CANNERY_THREADS"] == "1"
        assert os.environ["CANNERY_CORE_ORDER"] == "5"
        assert os.environ["CANNERY_TIMEOUT_S"] == "2.0"
        with cannery.use(threads=None):
            assert "CANNERY_THREADS" not in os.environ
        assert os.environ["CANNERY_THREADS"] == "1"
    assert os.environ["CANNERY_THREADS"] == "2"
    assert os.environ["CANNERY_MODE"] == "hardware"
    assert "CANNERY_CORE_ORDER" not in os.environ


def test_context_manager_restores_after_an_error() -> None:
    with pytest.raises(KeyError), cannery.use(threads=3):
        raise KeyError
    assert "CANNERY_THREADS" not in os.environ


@pytest.mark.parametrize(
    ("choice", "error", "message"),
    [
        ({"soc": "Ascend910A"}, ValueError, "soc: expected one of Ascend910B1"),
        ({"soc": 910}, TypeError, "soc"),
        ({"backend": "gpu"}, ValueError, "backend: expected one of twin, npu, got 'gpu'"),
        ({"mode": "lax"}, ValueError, "mode: expected one of strict, hardware"),
        ({"threads": 0}, ValueError, "threads: expected 1 to"),
        ({"threads": 1.5}, TypeError, "threads: expected a whole number"),
        ({"threads": True}, TypeError, "threads"),
        ({"core_order": -1}, ValueError, "core_order"),
        ({"core_order": 2**64}, ValueError, "core_order"),
        ({"timeout_s": 0}, ValueError, "timeout_s"),
        ({"timeout_s": float("inf")}, ValueError, "timeout_s"),
        ({"timeout_s": 0.01}, ValueError, "timeout_s: expected 0.05 to 86400 seconds, got 0.01"),
        ({"timeout_s": "5"}, TypeError, "timeout_s"),
        ({"cache_dir": ""}, TypeError, "cache_dir"),
        ({"cache_dir": "a\0b"}, TypeError, "cache_dir: expected a path"),
        ({"thread": 2}, TypeError, "unexpected keyword argument 'thread'"),
    ],
)
def test_refusals_change_nothing(choice: Any, error: type[Exception], message: str) -> None:
    before = dict(os.environ)
    with pytest.raises(error, match=message):
        cannery.use(threads=2, **choice) if "threads" not in choice else cannery.use(**choice)
    assert dict(os.environ) == before


@pytest.mark.parametrize("soc", settings.SOCS)
def test_the_twin_knows_every_chip(soc: str) -> None:
    with cannery.use(soc=soc):
        assert _runtime.native().soc_name() == soc


def test_default_chip() -> None:
    assert _runtime.native().soc_name() == "Ascend910B2"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CANNERY_SOC", "Ascend910A"),
        ("CANNERY_THREADS", "many"),
        ("CANNERY_CORE_ORDER", "-3"),
        ("CANNERY_MODE", "lax"),
        ("CANNERY_HAZARDS", "on"),
        ("CANNERY_TIMEOUT_S", "soon"),
        ("CANNERY_DUMP_VALUES", "all"),
        ("CANNERY_ISA", "avx2"),
    ],
)
def test_a_wrong_environment_is_named(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(cannery.AclError, match=variable) as caught:
        cannery.swi_glu_grad(np.ones((2, 8), np.float32), np.ones((2, 16), np.float32))
    assert value in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value", "want"),
    [
        pytest.param(
            *("CANNERY_HAZARDS", "on", "CANNERY_HAZARDS=on: expected off, auto-sync or explicit"),
            marks=pytest.mark.twin_only("a card has no hazard checker"),
        ),
        ("CANNERY_MODE", "lax", "CANNERY_MODE=lax: expected strict, hardware or pedantic"),
        ("CANNERY_BACKEND", "card", "CANNERY_BACKEND: expected one of twin, npu, got 'card'"),
    ],
)
def test_the_first_use_of_a_process_names_a_wrong_setting(
    variable: str, value: str, want: str
) -> None:
    code = (
        "import cannery, numpy as np\n"
        "try: cannery.swi_glu_grad(np.ones((2, 8), np.float32), np.ones((2, 16), np.float32))\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = run_code(code, env={**os.environ, variable: value})
    assert want in done.stdout.splitlines()[0], done.stdout
    assert "devices" not in done.stdout


@pytest.mark.twin_only("a card has no hazard checker")
def test_the_command_line_names_a_wrong_setting(tmp_path: Path) -> None:
    source = tmp_path / "nothing.cpp"
    source.write_text(NOTHING)
    env = {**os.environ, "CANNERY_HAZARDS": "on"}
    done = run_cannery("run", f"{source}:nothing", "--arg", "float32[8]", env=env)
    assert done.returncode == 1
    want = "error: aclrtSetDevice: CANNERY_HAZARDS=on: expected off, auto-sync or explicit"
    assert done.stderr.startswith(want), done.stderr


def test_the_command_line_shows_a_warning_in_one_line(tmp_path: Path) -> None:
    source = tmp_path / "nothing.cpp"
    source.write_text(NOTHING)
    env = {**os.environ, "CANNERY_HAZARD": "on"}
    done = run_cannery("run", f"{source}:nothing", "--arg", "float32[8]", env=env)
    assert done.returncode == 0, done.stderr
    want = "CANNERY_HAZARD has no effect, because cannery has no such setting; did you mean"
    assert done.stderr == f"warning: {want} CANNERY_HAZARDS?\n"


#: Code that makes the twin read the environment: in Python, and as a C++ program does.
ASK = {
    "python": "from cannery import _runtime; _runtime.native(); _runtime.native()",
    "cpp": (
        "import ctypes; from cannery import _runtime\n"
        "acl = ctypes.CDLL(str(_runtime.twin_root() / 'lib/libascendcl.so'))\n"
        "assert acl.aclInit(None) == 0 and acl.aclrtSetDevice(0) == 0"
    ),
}


@pytest.mark.parametrize("caller", ASK)
@pytest.mark.parametrize(
    ("variable", "advice"),
    [
        ("CANNERY_HAZARD", "did you mean CANNERY_HAZARDS?"),
        ("CANNERY_TIMEOUT", "did you mean CANNERY_TIMEOUT_S?"),
        ("CANNERY_SOCS", "did you mean CANNERY_SOC?"),
        ("CANNERY_CHECK_EVERYTHING", "settings are CANNERY_BACKEND, CANNERY_SOC, CANNERY_THREADS,"),
    ],
)
def test_an_unknown_setting_draws_one_warning(variable: str, advice: str, caller: str) -> None:
    env = {**os.environ, variable: "1", "CANNERY_EMPTY": "", "CANNERYX": "1"}
    done = run_code(ASK[caller], env=env)
    assert done.returncode == 0, done.stderr
    want = f"{variable} has no effect, because cannery has no such setting; {advice}"
    assert done.stderr.count(want) == 1, done.stderr
    assert done.stderr.count("has no effect") == 1, done.stderr


def test_every_variable_that_the_sources_read_is_a_setting() -> None:
    root = Path(__file__).resolve().parents[3]
    read = r"""(?:getenv|Env|Text|Unsigned|Seconds|environ\.get|environ\[)[(\s]*["'](CANNERY_\w+)"""
    sources = [*root.glob("twin/**/*.cpp"), *root.glob("python/**/*.cpp")]
    sources += root.glob("python/cannery/**/*.py")
    found = {name for path in sources for name in re.findall(read, path.read_text("utf-8"))}
    assert {"CANNERY_HAZARDS", "CANNERY_BACKEND", "CANNERY_CACHE_DIR"} <= found
    env = {name: str(root) for name in found if name not in os.environ}
    done = run_code(
        "import os, sys\n"
        "from cannery import _runtime; module = _runtime.native_module()\n"
        "module.open(_runtime.library_dirs('twin')); print(module.unknown_settings())",
        env={**os.environ, **env},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_cache_dir_defaults(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CANNERY_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert settings.cache_dir() == tmp_path / "cannery"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert settings.cache_dir() == Path.home() / ".cache" / "cannery"
    with cannery.use(cache_dir=tmp_path / "mine"):
        assert settings.cache_dir() == tmp_path / "mine"


class TestErrorClasses:
    @pytest.mark.parametrize(
        ("status", "kind", "name"),
        [
            (161001, cannery.AclnnError, "ACLNN_ERR_PARAM_NULLPTR"),
            (361001, cannery.AclnnError, "ACLNN_ERR_RUNTIME_ERROR"),
            (561002, cannery.AclnnError, "ACLNN_ERR_INNER_TILING_ERROR"),
            (507035, cannery.KernelError, "ACL_ERROR_RT_VECTOR_CORE_EXCEPTION"),
            (107002, cannery.AclError, "ACL_ERROR_RT_CONTEXT_NULL"),
            (100000, cannery.AclError, "ACL_ERROR_INVALID_PARAM"),
            (123456, cannery.AclError, "UNKNOWN"),
        ],
    )
    def test_from_status(
        self,
        status: int,
        kind: type[cannery.AclError],
        name: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("CANNERY_BACKEND", "twin")  # on a card the message also has advice
        error = errors.from_status(status, "aclSomething", "a sentence\n")
        assert type(error) is kind
        assert (error.status, error.name) == (status, name)
        assert str(error) == f"a sentence\n  aclSomething returned {status} ({name})"
        assert str(errors.from_status(status, "f", "")) == f"f returned {status} ({name})"

    def test_kernel_code(self) -> None:
        error = errors.from_status(507035, "add", "T103 UB out of bounds: DataCopy writes")
        assert isinstance(error, cannery.KernelError)
        assert error.code == "T103"
        bare = errors.from_status(507035, "add", "")
        assert isinstance(bare, cannery.KernelError)
        assert bare.code is None

    def test_pickle(self) -> None:
        import pickle

        error = errors.from_status(161002, "f", "text")
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  bytes that this test made
        assert (type(copy), copy.status, str(copy)) == (type(error), 161002, str(error))

    def test_one_tree(self) -> None:
        for kind in (cannery.AclnnError, cannery.KernelError):
            assert issubclass(kind, cannery.AclError)
        for kind in (cannery.AclError, cannery.CompileError):
            assert issubclass(kind, cannery.CanneryError)
