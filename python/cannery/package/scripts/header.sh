#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
trap 'echo "$0: is not complete. Copy or download it again" >&2; exit 1' EXIT
# This operator package installs itself: it is a script with an archive after its last line. `sh FILE --help` explains
# the options. If the file is cut off, the shell runs the lines that exist, and then the trap above prints an error.
set -eu

vendor='@VENDOR@'
header_bytes=@HEADER_BYTES@
payload_bytes=@PAYLOAD_BYTES@
payload_sha256=@PAYLOAD_SHA256@
header_sha256=@HEADER_SHA256@

check=false execute=true extract='' help=false quiet=false
folder=''

fail() {
    echo "$0: $1" >&2
    exit 1
}

sha256() {
    if command -v sha256sum >/dev/null; then
        sha256sum | cut -d ' ' -f 1
    elif command -v shasum >/dev/null; then
        shasum -a 256 | cut -d ' ' -f 1
    else
        openssl dgst -sha256 -r | cut -d ' ' -f 1
    fi
}

payload() { tail -c "+$((header_bytes + 1))" "$0"; }

require_tools() {
    for tool in awk cut grep gzip head ln mktemp mv readlink sed tail tar wc; do
        command -v "$tool" >/dev/null || fail "needs the command $tool; install it"
    done
    command -v sha256sum >/dev/null || command -v shasum >/dev/null || command -v openssl >/dev/null ||
        fail "needs sha256sum, shasum or openssl to check its contents; install one of them"
}

# Checks length and checksums of this file. Nothing is written before this check has passed.
verify() {
    bytes=$(wc -c <"$0") || fail "cannot be read"
    wanted=$((header_bytes + payload_bytes))
    [ "$bytes" -eq "$wanted" ] ||
        fail "has $((bytes)) bytes instead of $wanted: it is not complete, or more than it was. Copy or download it again"
    [ "$(head -c "$header_bytes" "$0" | sed '/^header_sha256=/d' | sha256)" = "$header_sha256" ] &&
        [ "$(payload | sha256)" = "$payload_sha256" ] ||
        fail "its contents have changed since it was made (SHA-256 differs). Copy or download it again"
}

# Unpacks the archive into a new folder, $folder, which clean() removes at the end.
unpack() {
    folder=$(mktemp -d "$1") || fail "cannot make a folder for its contents: $1"
    # On a full disk, tar prints a line for each file; the first line is enough.
    said=$(payload | gzip -dc | tar -xof - -C "$folder" 2>&1) ||
        fail "cannot unpack into $folder; check its free space, or set TMPDIR to another folder
  $(printf '%s\n' "$said" | head -n 1)"
}

# shellcheck disable=SC2329 # the trap calls clean()
clean() {
    [ -z "$folder" ] || rm -rf "$folder"
}

extract_to() {
    case $1 in
        -*) set -- "./$1" ;;
    esac
    if [ -e "$1" ] && { [ ! -d "$1" ] || [ -n "$(ls -A "$1")" ]; }; then
        fail "--extract=$1: is there already; give a new folder"
    fi
    case $1 in
        */*) mkdir -p "${1%/*}/" || fail "--extract=$1: cannot be made" ;;
    esac
    unpack "${1%/}.XXXXXX"
    chmod 755 "$folder"
    if [ -d "$1" ]; then
        rmdir "$1"
    fi
    mv "$folder" "$1" || fail "--extract=$1: cannot be made"
    folder=''
}

main() {
    trap - EXIT
    for option in "$@"; do
        shift
        case $option in
            --check) check=true ;;
            --noexec) execute=false ;;
            --extract=?*) extract=${option#*=} ;;
            --help | -h) help=true ;;
            --quiet) quiet=true; set -- "$@" "$option" ;;
            *) set -- "$@" "$option" ;;
        esac
    done
    require_tools
    verify
    if $check; then
        $quiet || echo "$0: package of vendor $vendor, complete and unchanged"
        return
    fi
    trap clean EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    if [ -n "$extract" ]; then
        extract_to "$extract"
        scripts=$extract
    elif $help || $execute; then
        unpack "${TMPDIR:-/tmp}/custom_opp.XXXXXX"
        scripts=$folder
    fi
    if $help; then
        cat "$scripts/help.info"
    elif $execute; then
        sh "$scripts/install.sh" "$@"
    elif [ $# -gt 0 ] && [ "$*" != --quiet ]; then
        fail "$*: for install.sh, which --noexec does not run"
    fi
}

main "$@"
exit 0
