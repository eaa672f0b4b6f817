# SPDX-License-Identifier: Apache-2.0
"""The checker must report each missing flag, barrier or wait in the operators' kernels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.twin_only("the hazard checker is the twin's")

OPERATORS = (
    "grouped_matmul_finalize_routing",
    "moe_init_routing_v2_grad",
    "moe_token_permute_with_routing_map",
    "nsa_compress_grad",
    "swi_glu_grad",
)
HEADER = """
template <HardEvent kEvent>
class Event {
public:
    __aicore__ inline void Set() const { SetFlag<kEvent>(id_); }
};
// PipeBarrier<PIPE_V>();
void Move(Queue& queue, Event<HardEvent::MTE3_V> done[2]) {
    LocalTensor<T> in = queue.template DeQue<GM, VECIN, T>();
    cut.Set(in, 1);
    done[slot(1)].Set();
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::PipeBarrier<PIPE_V>();
}
"""


@pytest.fixture(scope="module")
def tool(repository: Path) -> Any:
    sys.path.insert(0, str(repository / "tools"))
    try:
        import mutate_sync
    finally:
        sys.path.remove(str(repository / "tools"))
    return mutate_sync


def test_calls_are_found(tool: Any, tmp_path: Path) -> None:
    kernel = tmp_path / "op_kernel" / "mine.cpp"
    header = tmp_path / "op_kernel" / "mine" / "part.h"
    header.parent.mkdir(parents=True)
    kernel.write_text('#include "mine/part.h"\n#include "kernel_operator.h"\n')
    header.write_text(HEADER)
    copy, calls = tool.make_copies(tmp_path, "mine", tmp_path / "copy")
    assert [(call.line, call.key.partition(": ")[2]) for call in calls] == [
        (5, "SetFlag<kEvent>(id_)"),
        (9, "queue.template DeQue<GM, VECIN, T>()"),
        (11, "done[slot(1)].Set()"),
        (12, "PipeBarrier<PIPE_V>()"),
        (13, "PipeBarrier<PIPE_V>() #2"),
    ]
    text = (copy.parent / "mine" / "part.h").read_text()
    deque = "(left_out::Call(1) ? AscendC::LocalTensor<T>() : queue.template DeQue<GM, VECIN, T>())"
    assert deque in text
    assert "(left_out::Call(3) ? (void)0 : (void)(AscendC::PipeBarrier<PIPE_V>()))" in text
    assert "cut.Set(in, 1);" in text
    assert text.count("\n") == HEADER.count("\n")


def test_reasons_are_used(tool: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    call = tool.SyncCall(0, "op_kernel/a.h", 1, "SyncAll()", "op_kernel/a.h: SyncAll()", "")
    outcome = tool.Outcome(tool.Removal(call.key, (call,)), "nobody")
    reasons: dict[str, str] = {}
    monkeypatch.setattr(tool, "explained", {"a": reasons}.__getitem__)
    assert tool.faults("a", [outcome]) == [
        "op_kernel/a.h:1: nobody, without a reason: 'op_kernel/a.h: SyncAll()'"
    ]
    reasons[call.key] = "the host of this operator waits for it"
    assert tool.faults("a", [outcome]) == []
    noticed = tool.Outcome(outcome.removal, "T801")
    assert "is noticed (T801): not needed" in tool.faults("a", [noticed])[0]
    assert "no such call" in tool.faults("a", [])[0]


@pytest.mark.parametrize(
    "reason",
    [
        "not looked into yet: nobody notices in the calls of tools/mutation_calls.py",
        "scalar reads come before it; it may leave the kernel",
        "TODO find a call that reaches it",
        "because",
        "",
    ],
)
def test_placeholders_are_no_reasons(
    tool: Any, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    call = tool.SyncCall(0, "op_kernel/a.h", 1, "SyncAll()", "op_kernel/a.h: SyncAll()", "")
    monkeypatch.setattr(tool, "explained", lambda name: {call.key: reason})
    outcome = tool.Outcome(tool.Removal(call.key, (call,)), "nobody")
    assert "does not say why" in tool.faults("a", [outcome])[0]


def test_reasons_are_of_operators(tool: Any, repository: Path) -> None:
    tables = tool.tomllib.loads((repository / "tools" / "mutate_sync.toml").read_text())
    assert tables.keys() <= set(OPERATORS)


@pytest.mark.release
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_removal_is_noticed(tool: Any, operator: str) -> None:
    outcomes = tool.mutate(operator, "explicit")
    assert len(outcomes) > 10
    assert tool.faults(operator, outcomes) == []
