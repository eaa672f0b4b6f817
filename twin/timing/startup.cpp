// SPDX-License-Identifier: Apache-2.0
#include "timing/startup.h"

#include <algorithm>

#include "timing/costs.h"

namespace twin::timing {

StartupCosts::StartupCosts(uint32_t without, bool warm, uint32_t aicCores, uint32_t aivCores)
    : without_(without & ((1U << kStartups) - 1)) {
    page_ = Of(Startup::Pages, timing::Of(warm ? constant::kL2Latency : constant::kHbmLatency));
    if (warm) {
        return;  // the core requests the next code early enough to hide the latency of L2
    }
    const Rate rate(constant::kSameLine.value);
    firstStore_ = Of(Startup::Pages, timing::Of(constant::kFirstStore));
    for (const CoreKind kind : {CoreKind::Aic, CoreKind::Aiv}) {
        const auto index = static_cast<uint32_t>(kind);
        const uint64_t cores = kind == CoreKind::Aic ? aicCores : aivCores;
        turn_[index] = Of(Startup::Code, rate.Of(cores * Whole(constant::kCodeUnit)));
        wait_[index] = Of(Startup::Code, timing::Of(constant::kCodeMiss)) + turn_[index];
        firstLoad_[index] = Of(Startup::Pages, timing::Of(constant::kFirstLoad) +
                                                   cores * timing::Of(constant::kFirstLoadCore));
    }
}

Ticks CodeCache::Execute(uint64_t bytes, Ticks now, Ticks wait) {
    bytes_ += bytes;
    while (loaded_ * Whole(constant::kCodeUnit) < bytes_) {
        if (loaded_ < requested_) {
            now = std::max(now, first_ + (loaded_ - firstUnit_) * turn_);
        } else {
            now += wait;
        }
        ++loaded_;
    }
    return now;
}

void CodeCache::Preload(uint64_t units, Ticks now, Ticks wait, Ticks turn) {
    requested_ = loaded_ + units;
    firstUnit_ = loaded_;
    first_ = now + wait;
    turn_ = turn;
}

}  // namespace twin::timing
