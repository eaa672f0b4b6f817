# SPDX-License-Identifier: Apache-2.0
"""What the operators must compute, in NumPy; shares no code with them."""

from cannery.golden.swi_glu_grad import swi_glu_grad, swi_glu_grad_scale

__all__ = ["swi_glu_grad", "swi_glu_grad_scale"]
