#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# As install.sh, but only over an installed package, whose place in config.ini stays.
exec sh "$(dirname "$0")/install.sh" --upgrade "$@"
