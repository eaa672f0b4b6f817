# SPDX-License-Identifier: Apache-2.0
"""docs/api_surface.toml, the twin's headers, the tests and docs/api-coverage.md must agree."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from cannery import settings

from .selection import rest_slow

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import api_coverage  # noqa: E402
import api_scan  # noqa: E402
import twin_headers  # noqa: E402

SURFACE = api_coverage.load(ROOT)


def test_levels() -> None:
    assert tuple(SURFACE.levels) == settings.API_LEVELS
    assert all(len(values) == len(SURFACE.levels) for _, _, values in SURFACE.names)


FRAME = """\
#include "kernel_operator.h"
using namespace AscendC;
void Probe(LocalTensor<float>& x) {{
#line 1 "probe.cpp"
{statements}
}}
"""


@cache
def api() -> api_scan.Api:
    return api_scan.scan(ROOT)


@cache
def table() -> tuple[api_coverage.Row, ...]:
    return tuple(api_coverage.rows(ROOT, SURFACE, api()))


@pytest.mark.slow
def test_every_name_is_known_tested_and_described() -> None:
    assert list(api_coverage.find_faults(SURFACE, api(), list(table()))) == []


@pytest.mark.slow
def test_page_is_current() -> None:
    text = api_coverage.render(SURFACE, list(table()))
    assert (ROOT / api_coverage.PAGE).read_text("utf-8") == text, "run tools/api_coverage.py"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the headers that the build generates."""
    folder = tmp_path_factory.mktemp("headers")
    twin_headers.write(ROOT, folder)
    return folder


def diagnostics(written: Path, statements: list[str]) -> str:
    include = [f"-I{ROOT / 'twin' / 'include'}", f"-I{ROOT / 'twin'}", f"-I{written}"]
    command = ["c++", "-std=c++17", *include, "-fsyntax-only", "-fmax-errors=0", "-x", "c++", "-"]
    unit = FRAME.format(statements="\n".join(statements))
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1)
    assert "fatal error" not in done.stderr
    return done.stderr


@pytest.mark.parametrize("group", rest_slow(sorted(SURFACE.refused)))
def test_refused_names_do_not_compile(group: str, written: Path) -> None:
    """The compiler must report an error for each refused name, at the line of the name."""
    names, calls = SURFACE.refused[group]["names"], SURFACE.refused[group].get("calls", {})
    text = diagnostics(written, [calls.get(name, f"{name}(x)") + ";" for name in names])
    compiled = [name for i, name in enumerate(names, 1) if f"probe.cpp:{i}:" not in text]
    assert compiled == []


def test_a_supported_name_compiles(written: Path) -> None:
    assert diagnostics(written, ["Muls(x, x, 2.0F, 8);"]) == ""


SOURCE = """\
# 1 "/twin/a.h"
namespace AscendC {
template <typename T, bool on = (sizeof(T) > 2)>
inline void Add(T a, T b = T{}) { if (a < b) { return; } }
template <typename T> inline void Add(T a) {}
enum class Mode : int { kOne, kTwo };
enum Pipe { PIPE_A = 1, PIPE_B };
struct Forward;
using Alias = Mode;
class Tensor : public Base<(1 > 0) ? 2 : 3> {
public:
    Tensor(int a) : a_(a), b_{a} {}
    ~Tensor() {}
    Tensor& operator=(const Tensor&) = default;
    int& operator()(int i) { return a_; }
    operator float() const;
    template <class U> U Get() const;
private:
    void Hidden();
    int a_, b_;
};
inline void Tensor::Later() {}
template <typename T> inline void Copy(T dst, const ::twin::vec::ConstMask mask) {}
constexpr int kCount = 3;
namespace twin { void Internal(); }
}
# 1 "/usr/include/other.h"
void Foreign();
"""


def test_parser() -> None:
    found = api_scan.parse(SOURCE, "/twin")
    assert found.functions == {
        "Add": 2,
        "Copy": 2,
        "Tensor::operator=": 1,
        "Tensor::operator()": 1,
        "Tensor::operator float": 1,
        "Tensor::Get": 1,
    }
    assert found.types == {"Mode", "Pipe", "Alias", "Tensor"}
    assert found.constants == {"PIPE_A", "PIPE_B", "kCount"}


def test_names_of_messages_are_those_of_the_toolkit() -> None:
    own = ["TwinTemplateFormat", "TWIN_TPL_TILING_STRUCT", "GlobalTensor::Place", "half::Bits"]
    names = api_scan.Api(types={"Tensor", *own}, macros={"ASSERT"})
    assert api_coverage.render_names(SURFACE, names).splitlines()[1:] == ["ASSERT Tensor"]
    text = (ROOT / api_coverage.NAMES).read_text("utf-8")
    assert "Tiling" in text
    assert re.search("twin|Twin|TWIN", text) is None
