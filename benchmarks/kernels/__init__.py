# SPDX-License-Identifier: Apache-2.0
"""What benchmarks/bench_kernels.py measures: shapes, rooflines, and the page with the results."""
