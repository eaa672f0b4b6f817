#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes .venv, builds cannery into it, and runs the command that you ask for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
    cat <<'TEXT'
usage: ./build.sh VERB [options] [-- arguments of the verb]

  run       build, run every operator on the twin against its golden   (arguments: cannery run --help)
  test      build, run ctest, then pytest; --all adds slow tests       (arguments: pytest; -n 0: one process)
  build     make .venv with cannery and what its tests need
  package   into build_out/: the wheel, and custom_opp_<os>_<machine>.run, which installs the operators;
            with --soc=ascend910b (or ascend910_93, or both with a comma) the .run for a card, by a CANN toolkit
  clean     remove .venv, build and build_out

  --debug   assertions and debug information      -jN   N compiler processes (default: one per processor)
  --unlocked   the newest packages within pyproject.toml's ranges instead of the versions and hashes of locks/build.txt

Needs Python >= 3.10 (PYTHON names another than python3), a C++17 compiler (CXX names another than g++, c++,
clang++) and pip; CMake and ninja come from pip.
TEXT
}

fail() {
    echo "build.sh: $1" >&2
    exit "${2:-1}"
}

build_type=Release
jobs=$(getconf _NPROCESSORS_ONLN) all=false locked=true soc=
tests=OFF any_host=OFF # any_host=ON also compiles fast vector code for other CPUs than this one
arguments=()

parse() {
    while [ $# -gt 0 ]; do
        case "$1" in
            --debug) build_type=Debug ;;
            --all) [ "$verb" = test ] || fail "--all belongs to test" 2; all=true ;;
            --soc=?*) [ "$verb" = package ] || fail "--soc belongs to package" 2; soc=${1#*=} ;;
            --unlocked) locked=false ;;
            -j[0-9]*) jobs=${1#-j} ;;
            -h | --help) usage; exit 0 ;;
            --) shift; arguments+=("$@"); break ;;
            *) usage >&2; fail "unknown option $1" 2 ;;
        esac
        shift
    done
    [[ $jobs =~ ^[1-9][0-9]*$ ]] || fail "-jN: expected a number from 1, got -j$jobs" 2
}

check_tools() {
    local python=${PYTHON:-python3} compiler
    command -v "$python" >/dev/null || fail "no $python on PATH; install Python >= 3.10 or set PYTHON"
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
        fail "$("$python" --version) is too old; install Python >= 3.10 or set PYTHON"
    for compiler in ${CXX:-g++ c++ clang++}; do
        command -v "$compiler" >/dev/null && return
    done
    fail "no C++ compiler (${CXX:-g++, c++, clang++}) on PATH; Debian, Ubuntu: apt install g++; RHEL, openEuler: dnf install gcc-c++"
}

setup() {
    check_tools
    "${PYTHON:-python3}" -B tools/check_place.py || exit 1
    if [ ! -x .venv/bin/pip ]; then
        rm -rf .venv
        "${PYTHON:-python3}" -m venv .venv || fail "cannot make .venv; Debian, Ubuntu: apt install python3-venv"
    fi
    # Installs packages only if the requirements changed since the last time.
    local wanted=.venv/requirements.txt how=()
    if $locked; then
        # pip must install wheels only: to build a package from source, pip downloads more packages without checking hashes.
        cp locks/build.txt "$wanted.new"
        how=(--require-hashes --only-binary :all:)
    else
        .venv/bin/python -B tools/requirements.py build >"$wanted.new"
    fi
    if ! cmp -s "$wanted.new" "$wanted"; then
        echo "build.sh: installing what is needed into .venv (about 20 s)" >&2
        # The output of pip is shown only if pip fails. Python compiles modules when they are first imported.
        .venv/bin/pip install --no-compile --quiet --disable-pip-version-check ${how[@]+"${how[@]}"} -r "$wanted.new" >.venv/setup.log 2>&1 ||
            fail "$(cat .venv/setup.log)"$'\n'"pip could not install the requirements; --unlocked takes other versions than those of locks/build.txt"
        mv "$wanted.new" "$wanted"
    fi
}

# Reads ninja's output, `[12/345] Building ...`. On a terminal, shows the progress in one line; otherwise in ten lines.
show_progress() {
    local line ready all tenths=-1
    while IFS= read -r line; do
        [[ $line =~ \[([0-9]+)/([1-9][0-9]*)\]\ (.*) ]] || continue
        ready=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
        if [ -t 2 ]; then
            printf '\r\033[K[%d/%d] %.60s' "$ready" "$all" "${BASH_REMATCH[3]}" >&2
        elif [ $((10 * ready / all)) -ne "$tenths" ]; then
            tenths=$((10 * ready / all))
            echo "build.sh: $ready of $all steps" >&2
        fi
    done
    [ ! -t 2 ] || printf '\r\033[K' >&2
}

pip_build() {
    setup
    local duration=
    [ -d "build/wheel-${build_type,,}" ] || duration=", two to three minutes on two cores the first time"
    echo "build.sh: building cannery ($build_type, -j$jobs$duration)" >&2
    mkdir -p build
    # Without build isolation pip keeps the build folder, so a second build compiles only what changed.
    if ! CMAKE_BUILD_PARALLEL_LEVEL=$jobs PATH="$PWD/.venv/bin:$PATH" .venv/bin/pip "$@" --verbose --disable-pip-version-check \
        --no-build-isolation --no-deps -C cmake.build-type="$build_type" -C build-dir="build/wheel-${build_type,,}" \
        -C cmake.define.CANNERY_TESTS="$tests" -C cmake.define.CANNERY_ANY_HOST="$any_host" 2>&1 | tee build/build.log | show_progress; then
        # Shows the output from the first failed step on; if no step failed, the last lines.
        sed -n '/FAILED: /,$p' build/build.log | head -n 100 | grep . >&2 || tail -n 60 build/build.log >&2
        fail "the build failed; build/build.log has the whole output"
    fi
}

build() { pip_build install --editable .; }

trap 'echo >&2; fail "interrupted; the same command continues the build" 130' INT
verb=${1:-}
[ $# -eq 0 ] || shift
case "$verb" in
    run) parse "$@"; build; exec .venv/bin/cannery run ${arguments[@]+"${arguments[@]}"} ;;
    test)
        parse "$@"
        tests=ON any_host=ON
        build
        .venv/bin/ctest --test-dir "build/wheel-${build_type,,}" --output-on-failure || fail "C++ tests failed"
        if $all; then arguments=(-m "" ${arguments[@]+"${arguments[@]}"}); fi
        exec .venv/bin/python -m pytest -n "$jobs" --dist loadgroup ${arguments[@]+"${arguments[@]}"}
        ;;
    build) parse "$@"; build ;;
    package)
        parse "$@"
        if [ -n "$soc" ]; then
            setup
            PYTHONPATH=python exec .venv/bin/python -B -m cannery package . --soc "$soc" --out build_out
        fi
        any_host=ON
        pip_build wheel --wheel-dir build_out .
        PYTHONPATH=python .venv/bin/python -B -m cannery.package "build/wheel-${build_type,,}/opp/vendors/cannery" build_out
        ;;
    clean) rm -rf .venv build build_out ;;
    -h | --help) usage ;;
    *) usage >&2; fail "unknown verb '${verb}'" 2 ;;
esac
