# SPDX-License-Identifier: Apache-2.0
"""The wheel must contain everything that operators, users' kernels and C++ clients need."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

USE = """
import numpy as np, cannery, sys
rng = np.random.default_rng(0)
x = rng.standard_normal((8, 64)).astype(np.float32)
y = rng.standard_normal((8, 32)).astype(np.float32)
want = cannery.golden.swi_glu_grad(y, x)
scale = cannery.golden.swi_glu_grad_scale(y, x)
cannery.testing.assert_close(cannery.swi_glu_grad(y, x), want, np.float32, scale)
a = np.arange(1024, dtype=np.float32)
b = np.zeros_like(a)
cannery.compile_kernel(sys.argv[1], "add")(1, a, a, b)
assert np.array_equal(b, 2 * a)
print(cannery.__file__)
"""


@pytest.mark.release
@pytest.mark.xdist_group("wheel")
def test_wheel_works_without_the_checkout(wheel: Path, kernels: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=False)
    (site,) = environment.glob("lib/python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # The dependencies come from the tests' environment. Python prefers the wheel's cannery: the
    # tests' environment has no cannery folder with an __init__.py.
    variables = {**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")}
    output = subprocess.run(
        [environment / "bin" / "python", "-c", USE, str(kernels / "add.cpp")],
        capture_output=True,
        text=True,
        env=variables,
        cwd=tmp_path,
        check=False,
    )
    assert output.returncode == 0, output.stderr
    assert str(site) in output.stdout
