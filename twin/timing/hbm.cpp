// SPDX-License-Identifier: Apache-2.0
#include "timing/hbm.h"

#include <algorithm>

#include "timing/costs.h"

namespace twin::timing {
namespace {

const uint64_t kPieceBytes = Whole(constant::kInterleave);
const uint64_t kChannelBytes = Whole(constant::kChannel);
const uint64_t kWriteBufferBytes = Whole(constant::kWriteBuffer);
const auto kWriteBackPercent = static_cast<uint64_t>(constant::kWriteBack.value * 100);
/// What L2 knows about an address.
constexpr uint64_t kAddresses = 1ULL << 40;

}  // namespace

Hbm::Hbm(uint64_t bytes, double bytesPerCycle)
    : channels_(bytes / kChannelBytes),
      rate_(bytesPerCycle / static_cast<double>(channels_.size())),
      limit_(rate_.Of(kWriteBufferBytes / channels_.size())) {}

Hbm::Channel& Hbm::At(uint64_t address) {
    const auto piece = static_cast<uint32_t>(address % kAddresses / kPieceBytes);
    const auto count = static_cast<uint32_t>(channels_.size());
    uint32_t turn = piece / count * 0x9E3779B1U;
    turn = (turn ^ turn >> 15) * 0x85EBCA77U >> 16;
    return channels_[(piece + turn) % count];
}

void Hbm::WriteBack(Channel& channel, Ticks now) {
    const Ticks idle = std::min(channel.owed, now - std::min(now, channel.free));
    channel.owed -= idle;
    const Ticks forced = channel.owed - std::min(channel.owed, limit_);
    channel.owed -= forced;
    const Ticks took = idle + forced * kWriteBackPercent / 100;
    channel.free += took;
    busy_ += took;
}

Ticks Hbm::Take(uint64_t address, uint64_t bytes, Ticks when) {
    Channel& channel = At(address);
    if (channel.owed != 0) {
        WriteBack(channel, when);
    }
    const Ticks took = rate_.Of(bytes);
    channel.free = std::max(channel.free, when) + took;
    busy_ += took;
    return channel.free;
}

}  // namespace twin::timing
