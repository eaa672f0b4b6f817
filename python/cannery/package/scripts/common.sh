# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# Functions for install.sh and uninstall.sh. These scripts set vendor, vendors (the folder with the packages) and final
# (the folder of this package). Their files .custom_opp.* beside the packages exist only while a script runs, or after
# a script was killed.

fail() {
    echo "custom_opp: $1" >&2
    exit 1
}

# value_of KEY FILE: prints the value in the line KEY=value.
value_of() { sed -n "s/^$1=//p" "$2" | head -n 1; }

set_names() {
    stage=$vendors/.custom_opp.new.$vendor
    old=$vendors/.custom_opp.old.$vendor
    gone=$vendors/.custom_opp.gone.$vendor
    lock=$vendors/.custom_opp.lock
    config=$vendors/config.ini
    config_new=$vendors/.custom_opp.config.ini
    locked=false
}

# alive PID: whether the process runs. A killed process keeps its PID until its parent waits for it (states Z and X).
alive() { [ -d "/proc/$1" ] && ! grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status"; }

busy() {
    fail "process $1 is at work in $vendors; wait until it ends. If it is another program, remove $lock"
}

# Takes the lock: only one script may run at a time, for whatever vendor, because config.ini belongs to all vendors.
begin() {
    missed=0
    until ln -s "$$" "$lock" 2>/dev/null; do
        if holder=$(readlink "$lock"); then
            ! alive "$holder" || busy "$holder"
            break_lock "$holder"
        elif [ $missed -lt 3 ]; then # the lock was removed just now
            missed=$((missed + 1))
        else
            fail "cannot write to $vendors; check its permissions"
        fi
    done
    locked=true
    put_right
}

# Removes the lock of a process that has died. Only one script at a time may remove the lock: a second script could
# remove the lock that a new process has made in the meantime.
break_lock() {
    if ! ln -s "$$" "$lock.$1" 2>/dev/null; then
        breaker=$(readlink "$lock.$1") || return 0
        ! alive "$breaker" || busy "$breaker"
        rm -f "$lock.$1" # the process in $breaker was killed before it could remove this file
        return 0
    fi
    [ "$(readlink "$lock")" != "$1" ] || rm -f "$lock"
    rm -f "$lock.$1"
}

# Removes the files of a script that failed or was killed. If it was killed between the two renames of exchange(), the
# package is missing; then the old package is moved back.
put_right() {
    for left in "$vendors"/.custom_opp.old.*; do
        name=$vendors/${left##*/.custom_opp.old.}
        if [ -d "$left" ] && [ ! -e "$name" ]; then
            mv "$left" "$name"
        fi
    done
    rm -rf "$vendors"/.custom_opp.old.* "$vendors"/.custom_opp.new.* "$vendors"/.custom_opp.gone.* \
        "$lock".* "$config_new" 2>/dev/null || kept=true
}
kept=false

# Names the folders that put_right() could not remove. end() has removed the lock before, so later scripts can run.
complain() {
    for left in "$vendors"/.custom_opp.old.* "$vendors"/.custom_opp.new.* "$vendors"/.custom_opp.gone.*; do
        if [ -d "$left" ]; then
            echo "custom_opp: cannot remove $left, which no program uses; check its permissions and remove it" >&2
        fi
    done
}

# first_line TEXT: prints the first line. On a full disk, cp and tar print a line for each file.
first_line() { printf '%s\n' "$1" | head -n 1; }

end() {
    if $locked; then
        put_right
        rm -f "$lock"
        locked=false
        ! $kept || complain
    fi
}

# prepare_config first|same|none: writes the new config.ini to $config_new, with the vendor first, at its old position,
# or without the vendor. It writes no file if config.ini does not exist or is no longer needed.
prepare_config() {
    if [ -e "$config" ]; then
        { [ -f "$config" ] && [ -r "$config" ]; } || fail "$config cannot be read; it says which vendors are installed"
    elif [ "$1" = none ]; then
        return 0
    fi
    { [ ! -e "$config" ] || cat "$config"; } | awk -v vendor="$vendor" -v place="$1" '
        function list(text,    names, n, i, result, present) {
            n = split(text, names, ",")
            for (i = 1; i <= n; ++i) {
                gsub(/^[ \t\r]+|[ \t\r]+$/, "", names[i])
                present = present || names[i] == vendor
            }
            result = place == "first" || (place == "same" && !present) ? vendor : ""
            for (i = 1; i <= n; ++i) {
                if (names[i] != "" && (names[i] != vendor || (place == "same" && present))) {
                    result = result (result == "" ? "" : ",") names[i]
                }
            }
            return result
        }
        /^[ \t]*load_priority[ \t]*=/ && !done {
            sub(/^[^=]*=/, "")
            vendors = list($0)
            if (place == "none" && vendors == "") {
                empty = 1
                held = "load_priority="
            } else {
                print "load_priority=" vendors
            }
            done = 1
            next
        }
        { other = 1; print }
        END {
            if (!done && place != "none") {
                print "load_priority=" list("")
            } else if (empty && other) {
                print held
            }
        }' >"$config_new" || fail "cannot write to $vendors; check its permissions and free space"
    if [ ! -s "$config_new" ]; then
        rm -f "$config_new"
        config_gone=true
    fi
}
config_gone=false

# Replaces config.ini. This last step only renames or removes a file, so it cannot stop halfway.
exchange_config() {
    if $config_gone; then
        rm -f "$config"
    elif [ -e "$config_new" ]; then
        mv -f "$config_new" "$config"
    fi
}
