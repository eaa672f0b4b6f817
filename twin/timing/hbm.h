// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_HBM_H
#define TWIN_TIMING_HBM_H

#include <cstdint>
#include <vector>

#include "timing/ticks.h"

namespace twin::timing {

/// Memory behind L2: channels, each with its share of the bandwidth and a queue of its own.
/// Addresses are spread over all channels piece by piece; each round begins at another channel, so
/// that no stride uses only a few of them. Kernels with few requests under way leave channels
/// without work.
class Hbm {
public:
    Hbm(uint64_t bytes, double bytesPerCycle);

    /// `bytes` at `address` are requested at `when`: returns when they have been moved.
    Ticks Take(uint64_t address, uint64_t bytes, Ticks when);
    /// L2 has evicted `bytes` that must be written back. A channel does so when it has nothing else
    /// to do; if too much is waiting, it switches from reading to writing and back.
    void Owe(uint64_t address, uint64_t bytes) { At(address).owed += rate_.Of(bytes); }
    /// Mean over the channels.
    Ticks busy() const { return busy_ / channels_.size(); }

private:
    struct Channel {
        Ticks free = 0;
        Ticks owed = 0;
    };

    Channel& At(uint64_t address);
    void WriteBack(Channel& channel, Ticks now);

    std::vector<Channel> channels_;
    Rate rate_;  ///< rate of one channel
    Ticks limit_;
    Ticks busy_ = 0;  ///< sum over all channels
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_HBM_H
