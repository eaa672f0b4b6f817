# SPDX-License-Identifier: Apache-2.0
"""The gates must pass on this repository, and each gate must find its kind of mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import layout_gate  # noqa: E402
import size_gate  # noqa: E402
import twin_headers  # noqa: E402
from function_sizes import cpp_functions, python_functions  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("gate", ["size_gate.py", "layout_gate.py"])
def test_repository_passes(gate: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / gate)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


CPP = """\
#include <vector>
#define OPEN {
namespace n {

// { in a comment, "{" in a string and '{' in a literal open nothing
class C {
public:
    int Get() const { return value_; }

private:
    int value_ = 0;
};

const int kTable[] = {1, 2, 3};

template <typename T>
T Add(T a,
      T b) {
    auto twice = [](T v) {
        return v + v;
    };
    if (a > b) {
        return twice(a);
    }
    return b;
}

}  // namespace n
extern "C" {
void Entry() {
}
}
"""


def test_cpp_functions() -> None:
    assert list(cpp_functions(CPP)) == [("Get", 1), ("Add", 11), ("Entry", 2)]


def test_python_functions() -> None:
    text = "@d\ndef f():\n    pass\n\nclass C:\n    async def g(self):\n        return 1\n"
    assert sorted(python_functions(text)) == [("f", 3), ("g", 2)]


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.mark.parametrize(
    ("path", "lines", "limit"),
    [
        ("twin/device/vec/add.h", 201, 200),
        ("twin/core/core.cpp", 401, 400),
        ("python/cannery/opgen/templates/a.jinja", 101, 100),
        ("python/cannery/a.py", 401, 400),
        ("build.sh", 151, 150),
        ("tools/sanitize.sh", 401, 400),
        ("python/cannery/profiling/templates/page.js", 401, 400),
        ("twin/errors.toml", 1501, 1500),
    ],
)
def test_long_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, lines: int, limit: int
) -> None:
    write(tmp_path, path, "\n" * (lines - 1))
    assert size_gate.main(["--root", str(tmp_path)]) == 0
    write(tmp_path, path, "\n" * lines)
    assert size_gate.main(["--root", str(tmp_path)]) == 1
    assert f"{path}: {lines} lines; at most {limit}" in capsys.readouterr().err


def test_long_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "op_kernel/a.h", "void Process() {\n" + "    ;\n" * 39 + "}\n")
    write(tmp_path, "twin/core/a.cpp", "void Process() {\n" + "    ;\n" * 39 + "}\n")
    assert size_gate.main(["--root", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error == "op_kernel/a.h::Process: 41 lines; at most 40: split it\n"


def test_long_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = "[codes.T101]\n" + "# a line\n" * 59 + "[[codes.more]]\n" + "a = 1\n" * 60
    write(tmp_path, "twin/errors.toml", entries)
    assert size_gate.main(["--root", str(tmp_path)]) == 1
    error = capsys.readouterr().err
    assert error == "twin/errors.toml::[[codes.more]]: 61 lines; at most 60: split it\n"


def test_a_reason_raises_a_limit_and_must_be_needed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "twin/core/a.cpp", "\n" * 450)
    reasons = '"twin/core/a.cpp" = { limit = 500, reason = "one table" }\n'
    write(tmp_path, "tools/size_reasons.toml", reasons)
    assert size_gate.main(["--root", str(tmp_path)]) == 0
    write(tmp_path, "twin/core/a.cpp", "\n" * 400)
    assert size_gate.main(["--root", str(tmp_path)]) == 1
    assert "twin/core/a.cpp: not needed any more" in capsys.readouterr().err


def operator_tree(root: Path) -> None:
    for pattern in layout_gate.OPERATOR_FILES:
        write(root, pattern.format(op="swi_glu_grad"), "")


def test_operator_with_every_file(tmp_path: Path) -> None:
    operator_tree(tmp_path)
    assert layout_gate.find_faults(tmp_path) == []


@pytest.mark.parametrize("pattern", layout_gate.OPERATOR_FILES[1:])
def test_missing_file(tmp_path: Path, pattern: str) -> None:
    operator_tree(tmp_path)
    path = pattern.format(op="swi_glu_grad")
    (tmp_path / path).unlink()
    assert [fault.split(":")[0] for fault in layout_gate.find_faults(tmp_path)] == [path]


def test_kernel_file_that_repeats_the_operators_name(tmp_path: Path) -> None:
    operator_tree(tmp_path)
    write(tmp_path, "op_kernel/swi_glu_grad/swi_glu_grad_kernel.h", "")
    (fault,) = layout_gate.find_faults(tmp_path)
    assert fault.startswith("op_kernel/swi_glu_grad/swi_glu_grad_kernel.h: repeats the operator")


def test_file_without_prototype(tmp_path: Path) -> None:
    operator_tree(tmp_path)
    write(tmp_path, "op_kernel/swi_glu.cpp", "")
    faults = layout_gate.find_faults(tmp_path)
    assert faults == ["op_kernel/swi_glu.cpp: belongs to no prototype in op_proto/"]


@pytest.mark.parametrize(
    ("path", "text", "fault"),
    [
        ("op_kernel/swi_glu_grad/a.h", '#include "core/task.h"', "may not include"),
        ("op_kernel/swi_glu_grad/a.h", "// faster on the twin", "may not name twin"),
        ("op_host/swi_glu_grad_tiling.cpp", '#include "host/op_call.h"', "may not include"),
        ("op_host/aclnn/a.cpp", '#include "register/op_def_registry.h"', "may not include"),
        ("op_host/aclnn/a.cpp", "#ifdef CANNERY", "may not name CANNERY"),
        ("twin/core/a.cpp", '#include "device/vec/add.h"', "may not include"),
        ("twin/core/a.h", "namespace AscendC { class TPipe; }", "may not name namespace AscendC"),
        ("twin/soc/a.h", '#include "core/launch.h"', "may not include"),
        ("twin/device/a.h", '#include "host/op_call.h"', "may not include"),
        ("twin/hazard/a.cpp", '#include "timing/hbm.h"', "may not include"),
        ("twin/hazard/a.cpp", '#include "device/issue/issue.h"', "may not include"),
        ("twin/timing/a.cpp", '#include "hazard/a.h"', "may not include"),
        ("twin/timing/a.cpp", '#include "core/../device/issue/issue.h"', "may not include"),
        ("twin/host/a.cpp", '#include "timing/hbm.h"', "may not include"),
        ("twin/include/acl/a.h", '#include "host/op_call.h"', "may not include"),
        ("twin/host/a.cpp", "// as SwiGluGrad needs it", "may not name SwiGluGrad"),
        ("twin/include/acl/a.h", "int swi_glu_grad;", "may not name swi_glu_grad"),
        ("python/src/a.cpp", '#include "core/launch.h"', "may not include"),
    ],
)
def test_layers(tmp_path: Path, path: str, text: str, fault: str) -> None:
    operator_tree(tmp_path)
    write(tmp_path, path, f"\n{text}\n")
    faults = layout_gate.find_faults(tmp_path)
    assert len(faults) == 1
    assert faults[0].startswith(f"{path}:2: ")
    assert fault in faults[0]


def test_other_names_stand_in_a_table(tmp_path: Path) -> None:
    operator_tree(tmp_path)
    text = '// Licence\n#pragma once\n\n// Why\n#include "acl/b.h"\n'
    write(tmp_path, "twin/include/acl/a.h", text)
    write(tmp_path, "twin/include/acl/c.h", text.replace("// Why", "int Own();"))
    faults = layout_gate.find_faults(tmp_path)
    assert len(faults) == 1
    assert faults[0].startswith('twin/include/acl/a.h: only includes "acl/b.h"')


def test_headers_include_each_other_in_no_ring(tmp_path: Path) -> None:
    operator_tree(tmp_path)
    header_tree(tmp_path)
    write(tmp_path, "twin/core/a.h", '#include "core/b.h"\n')
    write(tmp_path, "twin/core/b.h", '#include "c.h"\n')
    write(tmp_path, "twin/core/c.h", '#include "a.h"\n')  # includes twin/core/a.h
    (fault,) = layout_gate.find_faults(tmp_path)
    assert "includes itself by way of " in fault
    assert all(f"twin/core/{name}.h" in fault for name in "abc")

    write(tmp_path, "twin/core/c.h", "")
    assert layout_gate.find_faults(tmp_path) == []
    write(tmp_path, "twin/include/a.h", '#include "lib/b/e.h"\n')  # e.h is an alias of a.h
    (fault,) = layout_gate.find_faults(tmp_path)
    assert "twin/include/a.h" in fault
    assert "twin/include/lib/b/e.h" in fault


HEADER_TABLE = """\
alias = [
    {of = "a.h", why = "The older name.", names = ["lib/{b,c}/e.h"]},
    {of = {replace = "lib/", by = "old/"}, why = "Older still.", names = ["lib/d.h"]},
]
parts."a.h" = ["lib/f.h"]
"""


def header_tree(root: Path, table: str = HEADER_TABLE) -> None:
    write(root, twin_headers.TABLE, table)
    write(root, "twin/include/a.h", "")
    write(root, "twin/include/old/d.h", "")


def test_headers_are_written_from_the_table(tmp_path: Path) -> None:
    header_tree(tmp_path)
    out = tmp_path / "out"
    write(out, "lib/kept.h", "somebody else's\n")
    write(out, "lib/gone.h", f"//\n// Generated from {twin_headers.TABLE}; of before.\n")
    twin_headers.write(tmp_path, out)
    written = {path.relative_to(out).as_posix(): path.read_text() for path in out.rglob("*.h")}
    assert sorted(written) == ["lib/b/e.h", "lib/c/e.h", "lib/d.h", "lib/f.h", "lib/kept.h"]
    assert '#include "a.h"' in written["lib/c/e.h"]
    assert '#include "old/d.h"' in written["lib/d.h"]
    assert '// Part of a.h here.\n#include "a.h"' in written["lib/f.h"]

    before = {path: path.stat().st_mtime_ns for path in out.rglob("*.h")}
    twin_headers.write(tmp_path, out)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.h")} == before


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("lib/{b,c}/e.h", "a.h", "a.h exists already"),
        ("lib/{b,c}/e.h", "lib/{b,b}/e.h", "lib/b/e.h exists already"),
        ('of = "a.h"', 'of = "f.h"', "lib/b/e.h stands for f.h, which does not exist"),
        ('by = "old/"', 'by = "new/"', "lib/d.h stands for new/d.h, which does not exist"),
    ],
)
def test_wrong_header_tables(tmp_path: Path, old: str, new: str, fault: str) -> None:
    operator_tree(tmp_path)
    header_tree(tmp_path, HEADER_TABLE.replace(old, new))
    with pytest.raises(twin_headers.TableError, match=fault):
        twin_headers.generate(tmp_path)
    assert layout_gate.find_faults(tmp_path) == [f"{twin_headers.TABLE}: {fault}"]


def test_allowed_includes(tmp_path: Path) -> None:
    operator_tree(tmp_path)
    write(tmp_path, "op_kernel/swi_glu_grad/a.h", '#include <cstdint>\n#include "b.h"\n')
    write(tmp_path, "op_kernel/swi_glu_grad/b.h", '#include "kernel_operator.h"\n')
    write(tmp_path, "op_kernel/swi_glu_grad.cpp", '#include "swi_glu_grad/a.h"\n')
    write(
        tmp_path,
        "op_host/swi_glu_grad_tiling.cpp",
        '#include "register/op_def_registry.h"\n#include "swi_glu_grad_tiling.h"\n',
    )
    write(tmp_path, "op_host/aclnn/a.cpp", '#include "acl/acl.h"\n#include "swi_checks.h"\n')
    assert layout_gate.find_faults(tmp_path) == []
