// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_HBM_H
#define TWIN_TIMING_HBM_H

#include <cstdint>
#include <vector>

#include "timing/ticks.h"

namespace twin::timing {

/// Memory behind L2: channels, each with its share of the bandwidth and a queue of its own.
/// Addresses go to all channels in turn, piece by piece, each time beginning elsewhere, so that no
/// stride meets few of them. Kernels that have few requests under way leave channels without work.
class Hbm {
public:
    Hbm(uint64_t bytes, double bytesPerCycle);

    /// `bytes` at `address`, asked for at `when`: when they have been moved.
    Ticks Take(uint64_t address, uint64_t bytes, Ticks when);
    /// L2 has let go of `bytes` that are to be written back. A channel does that when it has
    /// nothing else to do; where L2 owes too much it turns from reading to writing and back.
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
    Rate rate_;  ///< of one channel
    Ticks limit_;
    Ticks busy_ = 0;  ///< of all channels
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_HBM_H
