# SPDX-License-Identifier: Apache-2.0
"""Probes of `cannery selftest`. On a card they check predictions of the twin that no card has
confirmed yet.
"""

from cannery.selftest.probe import Finding, Probe, run

__all__ = ["Finding", "Probe", "all_probes", "run"]


def all_probes() -> list[Probe]:
    """Returns all probes, first those of the runtime and the operators, which need no compiler."""
    from cannery.selftest import cube, runtime, vector

    return [*runtime.PROBES, *vector.PROBES, *cube.PROBES]
