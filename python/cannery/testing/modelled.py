# SPDX-License-Identifier: Apache-2.0
"""Assertions about modelled times."""

from __future__ import annotations

from cannery.profiling import Launch

__all__ = ["assert_modelled_us"]


def assert_modelled_us(launch: Launch, *, at_most: float) -> None:
    """Raises AssertionError if the modelled time of a launch is above `at_most` microseconds. The
    message says what limits the launch and which lines cost most.

        with cannery.profile() as p:
            my_kernel(8, x, y)
        assert_modelled_us(p.launches[0], at_most=12.5)

    The modelled time is the same on every machine, so a limit close to it does not fail by chance.
    """
    if not isinstance(launch, Launch):
        raise TypeError(
            f"launch: expected one of the launches of `cannery.profile()`, got {launch!r}"
        )
    if launch.task_us <= at_most:
        return
    lines = "".join(
        f"\n  {line.share:.0%} {', '.join(line.opcodes[:3])} at {line.file}:{line.line}"
        for line in launch.lines[:3]
    )
    raise AssertionError(
        f"{launch.kernel} takes {launch.task_us:.2f} us modelled on {launch.soc}, "
        f"{launch.task_us / at_most:.2f} x the {at_most:g} us that are allowed\n"
        f"  {launch.bound}{lines}"
    )
