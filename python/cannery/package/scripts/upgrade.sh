#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs install.sh for a vendor that is already installed; its position in config.ini does not change.
exec sh "$(dirname "$0")/install.sh" --upgrade "$@"
