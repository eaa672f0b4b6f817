#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Does the same as install.sh, but only over an installed package; its place in config.ini stays.
exec sh "$(dirname "$0")/install.sh" --upgrade "$@"
