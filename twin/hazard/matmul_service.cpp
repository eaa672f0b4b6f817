// SPDX-License-Identifier: Apache-2.0
#include "hazard/matmul_service.h"

namespace twin::hazard {
namespace {

/// A cube core and its work for clients release and acquire this object of the block; clients and
/// the cube core use others (channel.cpp).
CoreSync ServiceSync(uint32_t block, CoreSync::What what, uint32_t first, uint32_t count,
                     uint32_t round = 0) {
    CoreSync sync;
    sync.what = what;
    sync.member = sync.first = first;
    sync.count = count;
    sync.round = round;
    sync.object = (uint64_t{block} << 16) + 5;
    return sync;
}

}  // namespace

void MatmulService::Accept(const Instruction& i, const CoreSync& sync, CoreLogs* logs) {
    if (!serving_) {
        logs->Meet(ServiceSync(i.block, CoreSync::What::Release, 0, 1), Clock());
        serving_ = true;
        ++services_;
    }
    client_ = sync.client;
    shift_ = static_cast<uint32_t>(i.sequence) - served_[client_];
    logs->WorkFor(client_, shift_);
    for (; joined_[client_] < services_; ++joined_[client_]) {
        logs->Meet(ServiceSync(i.block, CoreSync::What::Acquire, 0, 1, joined_[client_]), Clock());
    }
}

void MatmulService::Answer(const Instruction& i, CoreLogs* logs) {
    served_[client_] = static_cast<uint32_t>(i.sequence) - shift_;
    client_ = shift_ = 0;
    logs->WorkFor(0, 0);
}

void MatmulService::End(uint32_t block, CoreLogs* logs) {
    if (!Idle()) {
        return;
    }
    serving_ = false;
    for (uint32_t client = 1; client <= CoreLogs::kClients; ++client) {
        logs->WorkFor(client, 0);
        logs->Meet(ServiceSync(block, CoreSync::What::Release, client, 1), Clock());
    }
    logs->WorkFor(0, 0);
    logs->Meet(ServiceSync(block, CoreSync::What::Acquire, 1, CoreLogs::kClients, services_ - 1),
               Clock());
}

}  // namespace twin::hazard
