# SPDX-License-Identifier: Apache-2.0
"""`python tools/opgen`: a directory run by the interpreter is no package yet, so make it one."""

import sys
from pathlib import Path

if not __package__:
    # The folder itself would offer names.py and friends as top-level modules.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

try:
    from opgen.cli import main
except ModuleNotFoundError as error:
    sys.exit(f"opgen: {error}; install it with: {sys.executable} -m pip install jinja2 jsonschema")

if __name__ == "__main__":
    sys.exit(main())
