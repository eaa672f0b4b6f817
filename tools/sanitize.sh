#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the twin and its kernels with AddressSanitizer, and runs the C++ tests. Needs the .venv of ./build.sh build.
# With --all it also uses UndefinedBehaviorSanitizer, which doubles the build time, and runs Python tests. Arguments
# after --all select these tests (pytest gets them). Without arguments, the tests of the operators, of the device API
# and of the racy kernels run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH="$PWD/.venv/bin:$PATH"

all=OFF checks=address
if [ "${1:-}" = --all ]; then
    all=ON checks=address,undefined
    shift
fi
cmake --preset dev -D CANNERY_PYTHON=$all -D CANNERY_SANITIZE=$checks -D Python_EXECUTABLE="$PWD/.venv/bin/python" -D pybind11_DIR="$(python -m pybind11 --cmakedir)" >/dev/null
cmake --build --preset dev

# handle_*: the twin handles crashes of kernels itself. allocator_may_return_null: tests ask for more device memory than
# the machine has. detect_leaks: after an error in a kernel, the objects on the kernel's stack are never destroyed.
export ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0
export ASAN_OPTIONS+=:use_sigaltstack=0:allocator_may_return_null=1:detect_leaks=0
export UBSAN_OPTIONS=print_stacktrace=1
ctest --preset dev --output-on-failure
[ $all = ON ] || exit 0

# Installs the package of this build. With -S, Python does not run the import hook that leads to the package in .venv.
site=build/dev/site
rm -rf "$site"
cmake --install build/dev --prefix "$site" >/dev/null
cp -r python/cannery/. "$site/cannery/"
packages=$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
compiler=${CXX:-g++}
export PYTHONPATH="$PWD/$site:$packages"
runtime="$($compiler -print-file-name=libasan.so) $($compiler -print-file-name=libubsan.so)"
# The tests compile kernels; with LD_PRELOAD, the compiler itself would be a third slower.
export CXX="env -u LD_PRELOAD $compiler"
# -n 2 would start pytest's workers without -S.
workers=(--dist loadgroup --tx "2*popen//python=$PWD/.venv/bin/python -S")
[ $# -gt 0 ] || set -- "${workers[@]}" tests/python/{ops,device} tests/python/hazard/test_race_zoo.py
# Leaves out tests whose kernels crash or never end, and tests that only repeat the same code (suite_determinism,
# headers). Leaves out test_instruction_sets, too: with these options g++ swaps the operands of an addition, so the sum
# of two NaNs is another NaN.
LD_PRELOAD=$runtime python -S -m pytest -q -p no:cacheprovider \
    -k "not T50 and not Endless and not test_failures_in_a_row and not test_suite_determinism and not test_headers and not test_instruction_sets and not test_compile_fail" "$@"
