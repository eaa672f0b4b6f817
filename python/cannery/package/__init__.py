# SPDX-License-Identifier: Apache-2.0
"""Makes operator packages: files that install a vendor's operators, as the toolkit's build makes
them.
"""

from cannery.package.pack import PackageError, pack

__all__ = ["PackageError", "pack"]
