// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "hazard/core_log.h"

namespace twin::hazard {
namespace {

/// Returns a CoreSync that orders a cube core's own log and its logs for Matmul clients. The object
/// number differs from all object numbers in channel.cpp.
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
    hash_ = 0;
    shift_ = static_cast<uint32_t>(i.sequence) - served_[client_];
    logs->WorkFor(client_, shift_);
    for (; joined_[client_] < services_; ++joined_[client_]) {
        logs->Meet(ServiceSync(i.block, CoreSync::What::Acquire, 0, 1, joined_[client_]), Clock());
    }
}

void MatmulService::Answer(const Instruction& i, CoreLogs* logs) {
    served_[client_] = static_cast<uint32_t>(i.sequence) - shift_;
    requests_[client_].push_back({served_[client_], hash_});
    client_ = shift_ = 0;
    logs->WorkFor(0, 0);
}

void MatmulService::Work(const Instruction& i, const ByteRange& range) {
    const Runs& runs = range.runs;
    for (const uint64_t part :
         {uint64_t{range.write}, static_cast<uint64_t>(i.opcode), static_cast<uint64_t>(i.atomic),
          i.elements, range.begin, runs.bytes, runs.block.count, runs.block.stride,
          runs.repeat.count, runs.repeat.stride}) {
        hash_ = (hash_ ^ part) * 0x9E3779B97F4A7C15ULL;
        hash_ ^= hash_ >> 32U;
    }
}

size_t MatmulService::AskedBefore(uint32_t sequence) const {
    return static_cast<size_t>(std::lower_bound(asked_.begin(), asked_.end(), sequence) -
                               asked_.begin());
}

uint64_t MatmulService::RequestOf(uint32_t client, const Access& access) const {
    const std::vector<Request>& all = requests_[client];
    const auto found = std::lower_bound(
        all.begin(), all.end(), access.sequence,
        [](const Request& request, uint32_t sequence) { return request.end < sequence; });
    return found == all.end() ? 0 : found->hash;
}

bool MatmulService::AskedBoth(uint32_t client, const Access& access, uint32_t other,
                              size_t asked) const {
    const uint64_t hash = RequestOf(client, access);
    const auto equal = [hash](const Request& request) { return request.hash == hash; };
    const std::vector<Request>& mine = requests_[client];
    const std::vector<Request>& others = requests_[other];
    const auto last = std::find_if(mine.begin(), mine.end(), [&access](const Request& request) {
        return request.end >= access.sequence;
    });
    const auto end = others.begin() + static_cast<ptrdiff_t>(std::min(asked, others.size()));
    return last != mine.end() && hash != 0 &&
           std::count_if(others.begin(), end, equal) >=
               std::count_if(mine.begin(), last + 1, equal);
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
