# SPDX-License-Identifier: Apache-2.0
"""If a tiling function refuses a call, its message must contain what the function logged or
printed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cannery

pytestmark = pytest.mark.twin_only("tiling without a call is the twin's")

SOURCE = r"""
#include <cstdio>
#include <iomanip>
#include <iostream>

#include "acl/acl.h"
#include "log/log.h"
#include "register/op_def_registry.h"

enum Way {
    kNothing, kOpLog, kAppLog, kPrintf, kPuts, kStderr, kCout, kCerr, kTwoErrors, kLogAndPrint,
    kMuch, kThrow
};

static void Say(gert::TilingContext* context, int way, int rows) {
    switch (way) {
        case kOpLog:
            OP_LOGE(context, "rows is %d; expected a multiple of 4", rows);
            break;
        case kAppLog:
            ACL_APP_LOG(ACL_ERROR, "rows is %d; expected a multiple of 4", rows);
            break;
        case kPrintf:
            std::printf("rows is %d; expected a multiple of 4\n", rows);
            break;
        case kPuts:
            std::printf("rows is 13; expected a multiple of 4\n");
            break;
        case kStderr:
            std::fprintf(stderr, "rows is %d; expected a multiple of 4\n", rows);
            break;
        case kCout:
            std::cout << "rows is " << std::setw(2) << rows;
            std::cout << "; expected a multiple of " << 4 << std::endl;
            break;
        case kCerr:
            std::cerr << "rows is " << rows << "; expected a multiple of 4\n";
            break;
        case kTwoErrors:
            OP_LOGE(context, "rows is %d; expected a multiple of 4", rows);
            OP_LOGE(context, "the shapes are wrong");
            break;
        case kLogAndPrint:
            std::printf("block dim 8\n");
            OP_LOGE(context, "rows is %d; expected a multiple of 4", rows);
            break;
        case kMuch:
            for (int line = 0; line < 10000; ++line) {
                std::printf("candidate %d does not fit\n", line);
            }
            std::cout << "rows is 13; expected a multiple of 4\n";
            break;
        case kThrow:
            throw std::runtime_error("rows is 13; expected a multiple of 4");
        default:
            break;
    }
}

namespace optiling {
static ge::graphStatus Tile(gert::TilingContext* context) {
    const int64_t way = *context->GetAttrs()->GetInt(0);
    context->SetBlockDim(1);
    if (way < 0) {
        std::printf("all is well\n");
        OP_LOGE(context, "a message of a call that is not refused");
        return ge::GRAPH_SUCCESS;
    }
    Say(context, static_cast<int>(way), 13);
    return ge::GRAPH_FAILED;
}
}

namespace ops {
class Talks : public OpDef {
public:
    explicit Talks(const char* name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("way").AttrType(OPTIONAL).Int(0);
        this->AICore().SetTiling(optiling::Tile).AddConfig("ascend910b");
    }
};
OP_ADD(Talks);
}
"""
REASON = "rows is 13; expected a multiple of 4"
WAYS = (
    *("nothing", "OP_LOGE", "aclAppLog", "printf", "puts", "stderr", "cout", "cerr"),
    *("two errors", "log and print", "much", "throw"),
)


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Any:
    source: Path = tmp_path_factory.mktemp("talks") / "talks.cpp"
    source.write_text(SOURCE)
    return cannery.load_op_host(source)


def message(talks: Any, way: int) -> str:
    tiling = talks.tiling([((13, 8), "float32")], {"way": way}, outputs=[((13, 8), "float32")])
    assert tiling.ok == (way < 0)
    return str(tiling.message)


@pytest.mark.parametrize("way", [name for name in WAYS if name not in ("nothing", "throw")])
def test_what_it_said_is_the_message(talks: Any, way: str, capfd: Any) -> None:
    told = message(talks, WAYS.index(way))
    assert told.startswith("tiling of Talks refused the call: ")
    assert REASON in told
    assert "GRAPH_FAILED" not in told
    printed = "".join(capfd.readouterr())
    # Text that the function prints still goes to stdout or stderr.
    assert (REASON in printed) == (way in ("printf", "puts", "stderr", "cout", "cerr", "much"))


def test_all_errors_are_told_and_no_other_output(talks: Any) -> None:
    two = message(talks, WAYS.index("two errors"))
    assert two.index(REASON) < two.index("the shapes are wrong")
    assert "block dim 8" not in message(talks, WAYS.index("log and print"))


def test_the_last_lines_of_much_output(talks: Any) -> None:
    told = message(talks, WAYS.index("much"))
    assert len(told) < 2500
    assert "refused the call: candidate 99" in told


def test_no_reason_and_an_exception(talks: Any) -> None:
    assert "try: log one" in message(talks, WAYS.index("nothing"))
    assert f"tiling of Talks threw: {REASON}" in message(talks, WAYS.index("throw"))


def test_a_text_belongs_to_its_call(talks: Any) -> None:
    assert message(talks, -1) == ""
    assert "not refused" not in message(talks, WAYS.index("OP_LOGE"))
    assert REASON not in message(talks, WAYS.index("nothing"))
