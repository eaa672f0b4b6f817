# SPDX-License-Identifier: Apache-2.0
"""The operators: NumPy arrays in, NumPy arrays out, on the twin or on a card."""

from cannery.ops.swi_glu_grad import swi_glu_grad

__all__ = ["swi_glu_grad"]
