# SPDX-License-Identifier: Apache-2.0
"""Runs the generator: `python -m cannery.opgen`, or `python FOLDER` before cannery is installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import cast


def _load_folder() -> str:
    """Loads this folder as the package `opgen`, whether cannery is installed or not."""
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        "opgen", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules["opgen"] = importlib.util.module_from_spec(cast("ModuleSpec", spec))
    # If the folder stayed in the search path, names.py and others would be top-level modules.
    del sys.path[0]
    return "opgen"


try:
    cli = importlib.import_module(".cli", __package__ or _load_folder())
except ModuleNotFoundError as error:
    sys.exit(f"opgen: {error}; install it with: {sys.executable} -m pip install jinja2 jsonschema")

if __name__ == "__main__":
    sys.exit(cli.main())
