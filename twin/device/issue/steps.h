// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/core.h"

namespace twin {

/// While this object exists, every instruction is a step of the library call `api`: records have
/// its name and the sequence number of its first step.
class Steps {
public:
    Steps(Core& core, Opcode api) : core_(core), call_(core.call), begin_(core.callBegin) {
        if (core.call == Opcode::None) {
            core.call = api;
            core.callBegin = core.sequence;
        }
    }
    ~Steps() {
        core_.call = call_;
        core_.callBegin = begin_;
    }
    Steps(const Steps&) = delete;
    Steps& operator=(const Steps&) = delete;

private:
    Core& core_;
    Opcode call_;
    uint64_t begin_;
};

}  // namespace twin
