// SPDX-License-Identifier: Apache-2.0
// Computes how long copies of another size would take: they go through the model like a kernel's
// copies.
#include "timing/hbm.h"

#include <algorithm>
#include <memory>

#include "timing/costs.h"
#include "timing/replay.h"

namespace twin::timing {
namespace {

Instruction CopyOf(const TwinCopies& copies) {
    ByteRange local, gm;
    local.memory = copies.cube ? Memory::L1 : Memory::Ub;
    local.write = copies.load;
    local.runs = Runs(copies.runBytes * copies.runs);
    gm.memory = Memory::Gm;
    gm.write = !copies.load;
    gm.runs = Runs(copies.runBytes, {copies.runs, copies.pitch});
    Instruction copy;
    copy.core = copies.cube ? CoreKind::Aic : CoreKind::Aiv;
    copy.pipe = copies.load ? Pipe::Mte2 : Pipe::Mte3;
    copy.opcode = Opcode::DataCopy;
    copy.ranges = {local, gm};
    return copy;
}

double Micros(const SocInfo& soc, const TwinCopies& copies) {
    Instruction copy = CopyOf(copies);
    const uint64_t spacing =
        (copies.runs * copies.pitch + kLineBytes - 1) / kLineBytes * kLineBytes;
    OperationTable table;
    std::vector<std::unique_ptr<Program>> programs;
    std::vector<const Program*> all;
    for (uint32_t core = 0; core < copies.cores; ++core) {
        programs.push_back(std::make_unique<Program>(core, 0, copy.core, table));
        for (uint64_t i = 0; i < copies.copies; ++i) {
            copy.ranges.back().begin = (core * copies.copies + i) * spacing;
            programs.back()->OnInstruction(copy);
        }
        all.push_back(programs.back().get());
    }
    Replay replay(soc, all);
    replay.Run();
    Ticks sum = 0;
    for (const auto& core : replay.cores()) {
        sum += core->end() - core->start();
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(replay.cores().size());
    return mean / kCycle / soc.cubeMHz;
}

}  // namespace
}  // namespace twin::timing

double twinCopyMicros(const char* soc, const TwinCopies* copies) {
    const twin::SocInfo* const found = twin::FindSoc(soc);
    return found == nullptr || copies->cores == 0 ? -1.0 : twin::timing::Micros(*found, *copies);
}

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

namespace {

constexpr uint32_t kAll = (1U << (kLineBytes / kGranuleBytes)) - 1;

}  // namespace

L2Cache::L2Cache(uint64_t bytes) : sets_(bytes / kLineBytes / kWays) {}

uint32_t L2Cache::Find(const Set& set, uint32_t line) {
    const uint32_t latest = set.order & 0xF;
    if (set.line[latest] == line) {
        return latest;
    }
    uint32_t found = kNone;
    for (uint32_t way = 0; way < kWays; ++way) {
        found = set.line[way] == line ? way : found;
    }
    return found;
}

void L2Cache::Use(Set& set, uint32_t way) {
    constexpr uint32_t kOnes = 0x11111111, kTops = 0x88888888;
    const uint32_t other = set.order ^ way * kOnes;  // 0 in the four bits of `way`
    const uint32_t bit = (other - kOnes) & ~other & kTops;
    const uint32_t later = ((bit & (~bit + 1)) >> 3) - 1;  // the bits below those
    set.order = (set.order & ~(later << 4 | 0xF)) | (set.order & later) << 4 | way;
}

uint32_t L2Cache::Replace(Set& set, uint32_t line, Found* found) {
    const uint32_t way = set.order >> 28;
    found->evicted = set.held[way].dirty;
    found->evictedFrom = AddressOf(set.line[way]);
    set.line[way] = line;
    set.held[way] = {};
    return way;
}

L2Cache::Found L2Cache::Read(uint64_t address, uint32_t granules, bool allocate) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = sets_[PlaceOf(line)];
    uint32_t way = Find(set, line);
    if (way == kNone) {
        if (!allocate) {
            return found;
        }
        way = Replace(set, line, &found);
    }
    Use(set, way);
    Granules& held = set.held[way];
    found.hits = held.valid & granules;
    held.valid = static_cast<uint8_t>((held.valid | granules) & kAll);
    return found;
}

L2Cache::Found L2Cache::Write(uint64_t address, uint32_t granules) {
    Found found;
    const uint32_t line = Line(address);
    Set& set = sets_[PlaceOf(line)];
    uint32_t way = Find(set, line);
    way = way == kNone ? Replace(set, line, &found) : way;
    Use(set, way);
    Granules& held = set.held[way];
    held.valid = static_cast<uint8_t>((held.valid | granules) & kAll);
    held.dirty = static_cast<uint8_t>((held.dirty | granules) & kAll);
    return found;
}

}  // namespace twin::timing
