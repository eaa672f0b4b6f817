# SPDX-License-Identifier: Apache-2.0
"""Generates code, tables and pages from operator prototypes (op_proto/*.toml)."""
