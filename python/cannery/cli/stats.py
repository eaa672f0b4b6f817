# SPDX-License-Identifier: Apache-2.0
"""Counts the GM traffic of launches; the twin writes it to the file that CANNERY_STATS names."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cannery.compile.call import values_setting
from cannery.compile.ub_map import UbMap, read_ub_map
from cannery.errors import TwinOnlyError
from cannery.settings import current_backend

__all__ = ["Traffic", "record", "record_maps"]


@dataclass
class Traffic:
    """Bytes read from and written to global memory, counted twice: in the instruction stream, and
    by the checks of each access.
    """

    block_dim: int = 0
    gm_read_bytes: int = 0
    gm_write_bytes: int = 0
    registry_read_bytes: int = 0
    registry_write_bytes: int = 0

    @property
    def consistent(self) -> bool:
        """Whether both counts are equal."""
        stream = (self.gm_read_bytes, self.gm_write_bytes)
        return stream == (self.registry_read_bytes, self.registry_write_bytes)

    def fields(self) -> dict[str, Any]:
        return {
            "gm_read_bytes": self.gm_read_bytes,
            "gm_write_bytes": self.gm_write_bytes,
            "gm_bytes_cross_checked": self.consistent,
        }


@contextmanager
def record(
    dump: Path | None, maps: list[UbMap] | None = None, dump_values: int | None = None
) -> Iterator[Traffic | None]:
    """Adds up the traffic of all launches in the `with` block; on a card, the result is None. The
    file `dump` receives the instruction streams, with the first `dump_values` elements of every
    operand. `maps` receives the maps of the local memories.
    """
    if current_backend() != "twin":
        if dump is not None or maps is not None:
            option = "--ub-map" if dump is None else "--dump"
            raise TwinOnlyError(
                f"{option}: the record of a launch is the twin's; a card shows none"
            )
        yield None
        return
    traffic = Traffic()
    with tempfile.TemporaryDirectory(prefix="cannery-") as folder:
        stats = Path(folder) / "stats.jsonl"
        variables = {"CANNERY_STATS": str(stats)}
        if dump is not None:
            dump.write_bytes(b"")
            variables["CANNERY_DUMP"] = str(dump.absolute())
            if dump_values is not None:
                variables |= values_setting(dump_values)
        with contextlib.ExitStack() as stack:
            if maps is not None:
                stack.enter_context(record_maps(maps))
            stack.enter_context(_environment(variables))
            yield traffic
        for line in stats.read_text(encoding="utf-8").splitlines():
            _add(traffic, json.loads(line))


@contextmanager
def record_maps(maps: list[UbMap]) -> Iterator[None]:
    """Appends the local-memory maps of the `with` block's launches, even if a launch fails."""
    with tempfile.TemporaryDirectory(prefix="cannery-") as folder:
        file = Path(folder) / "map.jsonl"
        file.write_bytes(b"")
        try:
            with _environment({"CANNERY_UB_MAP": str(file)}):
                yield
        finally:
            maps += read_ub_map(file)


def _add(traffic: Traffic, launch: dict[str, Any]) -> None:
    traffic.block_dim = max(traffic.block_dim, launch["block_dim"])
    for key in ("gm_read_bytes", "gm_write_bytes", "registry_read_bytes", "registry_write_bytes"):
        setattr(traffic, key, getattr(traffic, key) + launch[key])


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
