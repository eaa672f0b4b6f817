# SPDX-License-Identifier: Apache-2.0
"""`cannery.profile`: how long launches would take on the hardware, by the twin's timing model.

All times are modelled, none is measured; docs/timing.md says how accurate they are.
"""

from cannery.profiling.block import Profile, load_profile, profile
from cannery.profiling.bound import Bound
from cannery.profiling.launch import Launch
from cannery.profiling.times import Instruction, Line, Roofline

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
