# SPDX-License-Identifier: Apache-2.0
"""`cannery.profile`: what launches would take on the chip, by the twin's model of time.

Every figure is modelled, none is measured; docs/timing.md says how far they are to be trusted.
"""

from cannery.profiling.block import Profile, load_profile, profile
from cannery.profiling.launch import Launch
from cannery.profiling.times import Bound, Instruction, Line, Roofline

__all__ = [
    "Bound",
    "Instruction",
    "Launch",
    "Line",
    "Profile",
    "Roofline",
    "load_profile",
    "profile",
]
