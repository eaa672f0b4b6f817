// SPDX-License-Identifier: Apache-2.0
#include "hazard/workspace.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "hazard/memories.h"
#include "hazard/operand_elements.h"
#include "hazard/taint.h"

namespace twin::hazard {
namespace {

constexpr uint64_t kWordBits = 64;

/// Returns a word with the bits [begin, end) set.
uint64_t BitsOf(uint64_t begin, uint64_t end) {
    return (UINT64_MAX >> (kWordBits - (end - begin))) << begin;
}

/// Returns the offset of the next word behind `at`, or `end` if that is smaller.
uint64_t NextWord(uint64_t at, uint64_t end) {
    constexpr uint64_t kBytes = sizeof(kWorkspaceFill);
    return std::min(end, (at / kBytes + 1) * kBytes);
}

/// Returns true if the bytes are the fill of the workspace at the offsets [begin, end).
bool IsFill(const uint8_t* bytes, uint64_t begin, uint64_t end) {
    for (uint64_t at = begin; at < end; ++at) {
        if (bytes[at - begin] != WorkspaceFillAt(at)) {
            return false;
        }
    }
    return true;
}

/// Calls look(from, stop) for each run of words in [begin, end) for which is(from, stop) is true.
/// The first and the last word of the range may be a part of a word.
template <typename Is, typename Look>
void EachRunOfWords(uint64_t begin, uint64_t end, Is&& is, Look&& look) {
    uint64_t from = begin;
    for (uint64_t at = begin; at < end;) {
        const uint64_t next = NextWord(at, end);
        if (!is(at, next)) {
            if (from < at) {
                look(from, at);
            }
            from = next;
        }
        at = next;
    }
    if (from < end) {
        look(from, end);
    }
}

/// Calls look(from, stop) for each run of words that still have the fill. `bytes` is the data that
/// comes from the offsets [begin, end) of the workspace.
template <typename Look>
void EachFill(const uint8_t* bytes, uint64_t begin, uint64_t end, Look&& look) {
    const auto is = [&](uint64_t from, uint64_t stop) {
        return IsFill(bytes + (from - begin), from, stop);
    };
    EachRunOfWords(begin, end, is, look);
}

/// Calls look(begin, end) for each run of bytes in [begin, end) that nothing has written.
template <typename Look>
void EachUnwritten(const SharedBits& written, uint64_t begin, uint64_t end, Look&& look) {
    while ((begin = written.Find(false, begin, end)) < end) {
        const uint64_t stop = written.Find(true, begin, end);
        look(begin, stop);
        begin = stop;
    }
}

/// Calls look(address, count, behind) for each run in `memory` to which a copy writes the bytes
/// [offset, offset + bytes) of its source. `behind` is the distance of the run's first byte from
/// `offset`. Leaves out filler, which does not come from the source.
template <typename Look>
void EachTarget(const Instruction& i, Memory memory, uint64_t offset, uint64_t bytes, Look&& look) {
    uint64_t first = 0;
    for (const ByteRange& to : i.ranges) {
        if (!to.write || to.filler || to.memory != memory) {
            continue;
        }
        const uint64_t last = first + to.runs.TotalBytes();
        const uint64_t end = std::min(last, offset + bytes);
        for (uint64_t at = std::max(first, offset); at < end;) {
            const uint64_t rest = to.runs.bytes - (at - first) % to.runs.bytes;
            const uint64_t count = std::min(rest, end - at);
            look(PlaceOf(to, at - first), count, at - offset);
            at += count;
        }
        first = last;
    }
}

}  // namespace

SharedBits::SharedBits(uint64_t bits)
    // Memory pages from calloc take no physical memory until a bit in them is set.
    : words_(static_cast<Word*>(std::calloc(bits / kWordBits + 1, sizeof(Word)))) {
    if (words_ == nullptr) {
        throw std::bad_alloc();
    }
}

void SharedBits::Set(uint64_t begin, uint64_t end) {
    while (begin < end) {
        const uint64_t base = begin / kWordBits * kWordBits;
        const uint64_t stop = std::min(end, base + kWordBits);
        const uint64_t bits = BitsOf(begin - base, stop - base);
        Word& word = words_.get()[begin / kWordBits];
        if ((word.load(std::memory_order_relaxed) & bits) != bits) {
            word.fetch_or(bits, std::memory_order_relaxed);
        }
        begin = stop;
    }
}

uint64_t SharedBits::Find(bool value, uint64_t begin, uint64_t end) const {
    const uint64_t flip = value ? 0 : UINT64_MAX;
    while (begin < end) {
        const uint64_t base = begin / kWordBits * kWordBits;
        const uint64_t stop = std::min(end, base + kWordBits);
        const uint64_t word = words_.get()[begin / kWordBits].load(std::memory_order_relaxed);
        const uint64_t bits = (word ^ flip) & BitsOf(begin - base, stop - base);
        if (bits != 0) {
            return base + static_cast<uint64_t>(__builtin_ctzll(bits));
        }
        begin = stop;
    }
    return end;
}

Workspaces::Workspaces(const std::vector<GmRange>& gm) {
    for (const GmRange& range : gm) {
        if (range.undefined) {
            all_.push_back(std::make_unique<Workspace>(range));
        }
    }
}

Workspaces::Workspace* Workspaces::AtHost(uintptr_t address) {
    for (const auto& each : all_) {
        if (each->range.Contains(address)) {
            return each.get();
        }
    }
    return nullptr;
}

Workspaces::Workspace* Workspaces::AtDevice(uint64_t address) {
    for (const auto& each : all_) {
        if (each->range.ContainsDevice(address)) {
            return each.get();
        }
    }
    return nullptr;
}

/// The instruction has not run yet, so its addresses are host addresses. Another core may add to
/// the same bytes before or after this core. With `Workspace::added`, both orders give the same
/// findings.
void WorkspaceReads::FindAdded(const Instruction& next) {
    added_.clear();
    for (const ByteRange& range : next.ranges) {
        Workspaces::Workspace* const to =
            range.memory == Memory::Gm && range.write ? workspaces_.AtHost(range.begin) : nullptr;
        if (to == nullptr) {
            continue;
        }
        const uintptr_t host = to->range.begin;
        EachRun(range, [&](uint64_t begin, uint64_t end) {
            EachUnwritten(to->written, begin - host, end - host, [&](uint64_t from, uint64_t stop) {
                const auto* const bytes = reinterpret_cast<const uint8_t*>(host);
                const auto undefined = [&](uint64_t first, uint64_t last) {
                    return to->added.Find(false, first, last) == last ||
                           IsFill(bytes + first, first, last);
                };
                EachRunOfWords(from, stop, undefined, [&](uint64_t first, uint64_t last) {
                    to->added.Set(first, last);
                    added_.push_back({to->range.device + first, to->range.device + last});
                });
            });
        });
    }
}

void WorkspaceReads::CheckAll(const Instruction& i, const Access& access, bool polls,
                              const Local& local) {
    const auto* const scalar = i.As<record::GmScalar>();
    for (const ByteRange& range : i.ranges) {
        Workspaces::Workspace* const at =
            range.memory == Memory::Gm ? workspaces_.AtDevice(range.begin) : nullptr;
        if (at == nullptr) {
            continue;
        }
        const uint64_t device = at->range.device;
        if (range.write && i.atomic == AtomicOp::None) {
            EachRun(range, [&](uint64_t begin, uint64_t end) {
                at->written.Set(begin - device, end - device);
            });
        } else if (range.write && !added_.empty()) {
            local.findings.AddUnwritten(access, range, added_[0].begin, added_[0].end);
        } else if (scalar != nullptr) {
            if (!range.write && !polls && !scalar->preload) {
                CheckScalar(scalar->value, {i, range, access}, *at, local);
            }
        } else if (!range.write) {
            CheckCopy({i, range, access}, *at, local);
        }
    }
    added_.clear();
}

/// Reports the first word of a scalar read that nothing has written. A read of 1 or 2 B may get a
/// part of the fill by chance, so the rest of the word must be the fill, too.
void WorkspaceReads::CheckScalar(uint64_t value, const CurrentAccess& now,
                                 const Workspaces::Workspace& from, const Local& local) {
    uint8_t bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    const auto* const host = reinterpret_cast<const uint8_t*>(from.range.begin);
    const uint64_t device = from.range.device;
    const uint64_t begin = now.range.begin - device;
    const uint64_t end = begin + std::min(now.range.runs.bytes, sizeof(value));
    constexpr uint64_t kWord = sizeof(kWorkspaceFill);
    bool reported = false;
    EachUnwritten(from.written, begin, end, [&](uint64_t at, uint64_t stop) {
        EachFill(bytes + (at - begin), at, stop, [&](uint64_t first, uint64_t last) {
            const uint64_t word = first / kWord * kWord;
            const uint64_t rest = std::min(word + kWord, from.range.bytes);
            if (!reported && (last - first >= kWord || IsFill(host + word, word, rest))) {
                local.findings.AddUnwritten(now.access, now.range, device + first, device + last);
                reported = true;
            }
        });
    });
}

/// Marks the bytes of UB or L1 to which a copy has copied unwritten bytes of the workspace `from`.
void WorkspaceReads::CheckCopy(const CurrentAccess& now, const Workspaces::Workspace& from,
                               const Local& local) {
    const Opcode opcode = now.instruction.opcode;
    const bool cube = now.instruction.core == CoreKind::Aic;
    const bool inOrder = opcode == Opcode::DataCopy || opcode == Opcode::DataCopyPad;
    if (cube && !inOrder && !now.instruction.follow) {
        return;
    }
    const Memory memory = cube ? Memory::L1 : Memory::Ub;
    const uint8_t* const bytes = local.core.memory[static_cast<size_t>(memory)];
    const auto* const host = reinterpret_cast<const uint8_t*>(from.range.begin);
    const uint64_t device = from.range.device;
    std::vector<CubeMemories::Loaded> loaded;
    uint64_t before = 0;  // number of bytes in the earlier runs
    EachRun(now.range, [&](uint64_t begin, uint64_t end) {
        EachUnwritten(from.written, begin - device, end - device, [&](uint64_t at, uint64_t stop) {
            if (cube && !inOrder) {
                EachFill(host + at, at, stop, [&](uint64_t first, uint64_t last) {
                    loaded.push_back({now, device + first, device + last});
                });
                return;
            }
            const uint64_t offset = before + at - (begin - device);
            const auto mark = [&](uint64_t to, uint64_t count, uint64_t behind) {
                const uint64_t source = at + behind;
                EachFill(bytes + to, source, source + count, [&](uint64_t first, uint64_t last) {
                    const CubeMemories::Loaded part = {now, device + first, device + last};
                    const uint64_t target = to + (first - source);
                    const uint64_t targetEnd = to + (last - source);
                    if (cube) {
                        local.cube.MarkLoaded(part, local.core, target, targetEnd);
                    } else {
                        local.memory.Taint(
                            memory, target, targetEnd,
                            local.taint.NumberOfWorkspace(now, part.begin, part.end));
                    }
                });
            };
            EachTarget(now.instruction, memory, offset, stop - at, mark);
        });
        before += end - begin;
    });
    if (!loaded.empty()) {
        local.cube.MoveLoaded(loaded, local.core, host + (now.range.begin - device));
    }
}

}  // namespace twin::hazard
