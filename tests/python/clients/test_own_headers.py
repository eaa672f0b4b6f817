# SPDX-License-Identifier: Apache-2.0
"""Tests that a repository's own headers work together with those that `cannery flags` names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cannery.cli import flags

SOURCE = """
#include "log/log.h"
static_assert(kWhose == %d, "another log.h");
int Report(const char* name) { OP_LOGE(name, "broken at %%d", 3); return OP; }
"""

OWN = """
#ifndef OWN_LOG_H
#define OWN_LOG_H
#include "base/err_msg.h"
constexpr int kWhose = 2;
#define OP_LOGE(name, ...) DlogRecord(OP, DLOG_ERROR, __VA_ARGS__)
#endif
"""


def compiled(source: str, *options: str) -> str:
    command = [os.environ.get("CXX", "g++"), "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(
        [*command, *options], input=source, capture_output=True, text=True, check=False
    )
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("first", [True, False])
def test_a_log_of_its_own_counts_wherever_it_is_on_the_path(tmp_path: Path, first: bool) -> None:
    (tmp_path / "log").mkdir()
    (tmp_path / "log/log.h").write_text(OWN)
    own = [f"-I{tmp_path}"]
    ours = flags.compile_flags()
    assert compiled(SOURCE % 2, *(own + ours if first else ours + own)) == ""


def test_without_one_there_is_the_toolkits() -> None:
    assert "kWhose" in compiled(SOURCE % 2, *flags.compile_flags())
    assert compiled((SOURCE % 2).replace("kWhose", "2"), *flags.compile_flags()) == ""


def test_sources_that_use_the_tiling_classes_namespace_before_the_tiling_api() -> None:
    """After `using namespace optiling`, `::TCubeTiling` still names the plain struct."""
    source = """
    #include "register/tilingdata_base.h"
    using namespace optiling;
    #include "tiling/tiling_api.h"
    int64_t Plan(matmul_tiling::MatmulApiTiling* api, ::TCubeTiling* to) {
        return api->GetTiling(*to);
    }
    """
    assert compiled(source, *flags.compile_flags()) == ""
