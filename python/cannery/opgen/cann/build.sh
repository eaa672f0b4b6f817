#!/usr/bin/env bash
# Builds build_out/custom_opp_<os>_<machine>.run with the toolkit that ASCEND_HOME_PATH names.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

missing=()

need_path() {
    [ -e "$ASCEND_HOME_PATH/$1" ] || missing+=("$ASCEND_HOME_PATH/$1: $2")
}

need_command() {
    command -v "$1" >/dev/null || missing+=("$1 on PATH: $2")
}

check_toolkit() {
    local template=tools/op_project_templates/ascendc/customize file command
    if [ -z "${ASCEND_HOME_PATH:-}" ]; then
        missing+=("ASCEND_HOME_PATH: the folder of the CANN toolkit, which its set_env.sh sets")
    else
        for file in config.cmake func.cmake intf.cmake makeself.cmake util/gen_version_info.sh; do
            need_path $template/cmake/$file "the toolkit's project template"
        done
        for file in install.sh upgrade.sh help.info; do
            need_path $template/scripts/$file "the toolkit's project template"
        done
        need_path toolkit/tools/opbuild/op_build "makes inner functions and lists from the definitions"
        need_path include/register/op_def_registry.h "the toolkit's headers"
        for file in libascendcl.so libnnopbase.so libexe_graph.so libregister.so; do
            need_path lib64/$file "a library that the operators are linked with"
        done
    fi
    for command in opc bisheng; do
        need_command $command "compiles kernels; the toolkit's set_env.sh puts it there"
    done
    for command in cmake make python3; do
        need_command $command "install it (CMake at least 3.19)"
    done
    [ ${#missing[@]} -eq 0 ] && return
    {
        echo "build.sh: this machine cannot build operators for a card; missing are"
        printf '  %s\n' "${missing[@]}"
        echo "Install the CANN toolkit (Ascend-cann-toolkit, 8.1.RC1 or newer, from hiascend.com) with its kernels" \
            "package, then run \`source <toolkit>/set_env.sh\` in this shell."
    } >&2
    exit 1
}

check_toolkit
rm -rf build_out cmake scripts
cmake -S . -B build_out --preset=default "-DASCEND_CANN_PACKAGE_PATH=$ASCEND_HOME_PATH" "$@"
cmake --build build_out --target binary -j"$(getconf _NPROCESSORS_ONLN)"
cmake --build build_out --target package -j"$(getconf _NPROCESSORS_ONLN)"
