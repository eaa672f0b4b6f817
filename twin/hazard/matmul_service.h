// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/instruction.h"
#include "hazard/core_log.h"

namespace twin::hazard {

/// The client that a core works for. Vector cores send Matmul requests to their cube core, in an
/// order that the schedule decides; so the work for each client has a log of its own. It comes
/// after what the core had done before it served.
class MatmulService {
public:
    /// Returns true if the core has sent a request.
    bool Asks() const { return asks_; }
    void Ask() { asks_ = true; }
    /// Returns true if the core has served, and works for no client now.
    bool Idle() const { return serving_ && client_ == 0; }
    /// The core begins to work for the client of this request.
    void Accept(const Instruction& i, const CoreSync& sync, CoreLogs* logs);
    void Answer(const Instruction& i, CoreLogs* logs);
    /// What the core does from here on comes after all that it did for clients.
    void End(uint32_t block, CoreLogs* logs);

private:
    bool asks_ = false;
    bool serving_ = false;
    uint32_t services_ = 0;  ///< number of times that the core has begun to serve
    uint32_t client_ = 0;
    uint32_t shift_ = 0;  ///< shift of the current client's log (CoreLogs::WorkFor)
    uint32_t served_[1 + CoreLogs::kClients] = {};  ///< number of instructions for each client
    uint32_t joined_[1 + CoreLogs::kClients] =
        {};  ///< number of the latest service for each client
};

}  // namespace twin::hazard
