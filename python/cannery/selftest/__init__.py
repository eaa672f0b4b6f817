# SPDX-License-Identifier: Apache-2.0
"""What to run first on a card: every operator against its golden, then the twin's predictions that
nobody has seen a card confirm.
"""

from cannery.selftest.probe import Finding, Probe, run

__all__ = ["Finding", "Probe", "all_probes", "run"]


def all_probes() -> list[Probe]:
    """Runtime and operators first: they need no compiler."""
    from cannery.selftest import cube, runtime, vector

    return [*runtime.PROBES, *vector.PROBES, *cube.PROBES]
