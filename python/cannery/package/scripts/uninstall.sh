#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Removes the package that contains this script: vendors/<vendor>/scripts/uninstall.sh.
set -eu

scripts=$(cd "$(dirname "$0")" && pwd -P)
final=$(dirname "$scripts")
vendor=${final##*/}
vendors=$(dirname "$final")
# shellcheck source=common.sh
. "$scripts/common.sh"

main() {
    [ $# -eq 0 ] || fail "uninstall.sh has no options, got $1"
    set_names
    trap end EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    begin
    made=$(cat "$scripts/made_folders")
    # To remove a file, an ordinary user must be allowed to write the folder that contains the file.
    fixed=$(find "$final" -type d ! -exec test -w {} \; -print | head -n 1)
    if [ -n "$fixed" ]; then
        fail "cannot remove $final, because $fixed cannot be written; check its permissions. Nothing was changed"
    fi
    prepare_config none
    trap '' HUP INT TERM
    mv "$final" "$gone" || fail "cannot remove $final; check the permissions of $vendors"
    if ! exchange_config; then
        mv "$gone" "$final"
        fail "cannot write $config; check its permissions"
    fi
    end
    if $kept; then
        exit 1
    fi
    printf '%s\n' "$made" | while IFS= read -r folder; do
        [ -z "$folder" ] || rmdir "$folder" 2>/dev/null || true
    done
}

main "$@"
