# SPDX-License-Identifier: Apache-2.0
"""cannery.use must accept settings, restore them, and pass them to the twin."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cannery
from cannery import _runtime, errors, settings


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
        ("CANNERY_TIMEOUT_S", "soon"),
    ],
)
def test_a_wrong_environment_is_named(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(cannery.AclError, match=variable) as caught:
        cannery.swi_glu_grad(np.ones((2, 8), np.float32), np.ones((2, 16), np.float32))
    assert value in str(caught.value)


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
