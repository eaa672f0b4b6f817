# SPDX-License-Identifier: Apache-2.0
"""Makes `python -m cannery` run the command `cannery`."""

from __future__ import annotations

from cannery.cli import main

if __name__ == "__main__":
    main()
