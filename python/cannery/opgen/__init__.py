# SPDX-License-Identifier: Apache-2.0
"""Turns operator prototypes (op_proto/*.toml) into everything that can be derived from them."""
