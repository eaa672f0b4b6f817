# SPDX-License-Identifier: Apache-2.0
"""`python -m cannery` is the command `cannery`."""

from __future__ import annotations

from cannery.cli import main

if __name__ == "__main__":
    main()
