#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the package in the folder of this script; help.info explains the options.
set -eu

here=$(cd "$(dirname "$0")" && pwd -P)
for folder in "$here"/packages/vendors/*/; do
    package=${folder%/}
done
vendor=${package##*/}
# shellcheck source=common.sh
. "$package/scripts/common.sh"

said='' # the output of a command that failed
quiet=false force=false everybody=false upgrade=false uninstall=false path='' target=''
# The folders that this script made, outermost last.
made=''

parse() {
    for option in "$@"; do
        case $option in
            --quiet) quiet=true ;;
            --force) force=true ;;
            --install-for-all) everybody=true ;;
            --upgrade) upgrade=true ;;
            --uninstall) uninstall=true ;;
            --install-path=?*) path=${option#*=} ;;
            --install-path | --install-path=) fail "--install-path: expected --install-path=FOLDER" ;;
            *) fail "unknown option $option; --help lists those there are" ;;
        esac
    done
}

say() { $quiet || echo "custom_opp: $1"; }

# base_of FOLDER: prints FOLDER, an entry of ASCEND_CUSTOM_OPP_PATH, without vendors/<vendor> at its end.
base_of() {
    case ${1%/*} in
        /vendors) echo / ;;
        */vendors) echo "${1%/vendors/*}" ;;
        *) echo "$1" ;;
    esac
}

# Sets $target from the entry of ASCEND_CUSTOM_OPP_PATH that contains the vendor, or from the only entry.
find_custom() {
    rest=$ASCEND_CUSTOM_OPP_PATH: count=0
    while [ -n "$rest" ]; do
        part=${rest%%:*} rest=${rest#*:}
        [ "$part" = / ] || part=${part%/}
        [ -n "$part" ] || continue
        target=$(base_of "$part") count=$((count + 1))
        case $part in
            */vendors/"$vendor") return ;;
        esac
    done
    [ $count -eq 1 ] ||
        fail "ASCEND_CUSTOM_OPP_PATH names $count folders; say which with --install-path=FOLDER"
}

find_target() {
    if [ -n "$path" ]; then
        target=$path
    elif [ -n "${ASCEND_CUSTOM_OPP_PATH:-}" ]; then
        find_custom
    elif [ -n "${ASCEND_OPP_PATH:-}" ]; then
        target=$ASCEND_OPP_PATH
    else
        fail "no folder to install into: give --install-path=FOLDER, or set ASCEND_OPP_PATH"
    fi
    case $target in
        /*) ;;
        *) fail "$target: expected an absolute path" ;;
    esac
    case $target in
        *:* | *'
'*) fail "$target: search paths cannot hold a folder with ':' or a line break in its name; choose another" ;;
    esac
    [ "$target" = / ] || target=${target%/}
    vendors=${target%/}/vendors
    final=$vendors/$vendor
    set_names
    made_file=$vendors/.custom_opp.made # exists only while this script runs, or after it was killed
}

# newer A B: succeeds if version A is newer than version B; it compares the numbers between dots.
newer() {
    awk -v a="$1" -v b="$2" 'BEGIN {
        n = split(a, x, /[^0-9]+/); m = split(b, y, /[^0-9]+/)
        for (i = 1; i <= n || i <= m; ++i) {
            if (x[i] + 0 != y[i] + 0) { exit !(x[i] + 0 > y[i] + 0) }
        }
        exit 1
    }'
}

check_versions() {
    machine=$(value_of machine "$package/version.info")
    [ "$machine" = "$(uname -m)" ] || fail "the package is for $machine, and this machine is $(uname -m)"
    version=$(value_of version "$package/version.info")
    installed=''
    if [ -f "$final/version.info" ]; then
        installed=$(value_of version "$final/version.info")
    fi
    if $upgrade && [ ! -e "$final" ]; then
        fail "--upgrade: no vendor $vendor in $vendors; install it without this option"
    fi
    if [ -e "$final" ] && [ ! -d "$final" ]; then
        fail "$final is no folder; move it away"
    fi
    if ! $force && newer "$installed" "$version"; then
        fail "$final has version $installed, which is newer than $version; --force installs this one nevertheless"
    fi
}

make_folders() {
    next=$vendors
    while [ ! -e "$next" ]; do
        made="$made$next
"
        next=$(dirname "$next")
    done
    mkdir -p "$vendors" 2>/dev/null || fail "cannot make $vendors; check the path and its permissions"
    if [ -n "$made" ]; then
        printf %s "$made" >"$made_file" 2>/dev/null || true # needed only if this installation is killed
    fi
}

# Adds to $made the folders that a killed installation made. They belong to this installation now.
take_over_folders() {
    if [ -z "$made" ] && [ -f "$made_file" ]; then
        made=$(cat "$made_file")
        made="$made
"
    fi
}

remove_folders() {
    printf %s "$made" | while IFS= read -r folder; do
        rmdir "$folder" 2>/dev/null || true
    done
}

clean() {
    ! $locked || rm -f "$made_file"
    end
    remove_folders
}

quoted() { printf %s "$1" | sed "s/'/'\\\\''/g"; }

write_environment() {
    mkdir -p "$stage/bin"
    cat >"$stage/bin/set_env.bash" <<TEXT
# Source this file in a shell that uses this package.
export ASCEND_CUSTOM_OPP_PATH='$(quoted "$final")'"\${ASCEND_CUSTOM_OPP_PATH:+:\$ASCEND_CUSTOM_OPP_PATH}"
export LD_LIBRARY_PATH='$(quoted "$final")'/op_api/lib"\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
TEXT
}

fill_stage() {
    said=$(mkdir "$stage" 2>&1) || return 1
    said=$(cp -R "$package/." "$stage/" 2>&1) || return 1
    printf %s "$made" >"$stage/scripts/made_folders" || return 1
    # uninstall.sh removes the folders in this list, so the folders of the first installation are added.
    if [ -f "$final/scripts/made_folders" ]; then
        cat "$final/scripts/made_folders" >>"$stage/scripts/made_folders" || return 1
    fi
    if [ -n "$path" ] || [ -f "$final/bin/set_env.bash" ]; then
        write_environment || return 1
    fi
    if $everybody; then
        said=$(chmod -R a+rX "$stage" 2>&1) || return 1
    fi
}

# Replaces the old package by the new one. Only a rename can fail here; then put_right() moves the old package back.
exchange() {
    trap '' HUP INT TERM
    if [ -e "$final" ]; then
        mv "$final" "$old" || fail "cannot move $final away; check its permissions"
    fi
    mv "$stage" "$final" || fail "cannot write $final; check its permissions"
    if ! exchange_config; then
        rm -rf "$final"
        fail "cannot write $config; check its permissions"
    fi
    made=''
}

main() {
    parse "$@"
    find_target
    if $uninstall; then
        [ -f "$final/scripts/uninstall.sh" ] || fail "--uninstall: no vendor $vendor in $vendors"
        sh "$final/scripts/uninstall.sh"
        say "removed vendor $vendor from $vendors"
        return
    fi
    trap clean EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if $everybody; then
        umask 022
    fi
    make_folders
    begin
    take_over_folders
    check_versions
    fill_stage || fail "cannot write to $vendors; check its permissions and free space. Nothing was changed
  $(first_line "$said")"
    if [ -z "$path" ]; then
        if $upgrade; then prepare_config same; else prepare_config first; fi
    fi
    exchange
    say "installed vendor $vendor, version $version, in $final"
    if [ -f "$final/bin/set_env.bash" ]; then
        say "for programs that shall use it: source '$final/bin/set_env.bash'"
    fi
}

main "$@"
