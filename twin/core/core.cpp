// SPDX-License-Identifier: Apache-2.0
#include "core/core.h"

#include <algorithm>
#include <cinttypes>
#include <string>

#include "core/byte_range.h"
#include "core/core_state.h"
#include "core/launch_state.h"
#include "core/memory_map.h"
#include "core/types.h"
#include "core/worker.h"

namespace twin {
namespace {

constexpr uint32_t kPollsBeforeYield = 16;
constexpr uint64_t kPollBytes = 4096;
// A core that waits for several cores polls one word for each of these cores in turn. So the upper
// 16 bits of `pollCount` count the reads of other words since `pollAddress` was read.
constexpr uint32_t kWordsByTurns = 64;
constexpr uint32_t kOther = 1U << 16;
// If an access is this far outside of its tensor, its offset has wrapped around.
constexpr uint64_t kFarBytes = uint64_t{1} << 31;
constexpr const char* kWrapped =
    "\n  try: compute the offset in int64_t or uint64_t, and subtract nothing unsigned below 0: an "
    "address so far outside comes from an offset that wrapped";

/// Returns how far `address` is before the begin or behind the end of `range`; 0 inside the range.
uint64_t Distance(const GmRange& range, uintptr_t address) {
    if (address < range.begin) {
        return range.begin - address;
    }
    return address < range.End() ? 0 : address - range.End();
}

/// Returns the number of a copy's runs and the distance of their starts; count 1 if the copy has no
/// gaps.
Level StrideOf(const Runs* runs) {
    if (runs == nullptr) {
        return {};
    }
    const Level& level = runs->block.count > 1 ? runs->block : runs->repeat;
    return level.stride > runs->bytes ? level : Level();
}

/// Returns a text for messages: the runs of a copy, and the stride argument of the call with its
/// unit. The text is empty if the copy has no gaps.
std::string StrideText(const Runs* runs, const std::string& api, bool write) {
    const Level level = StrideOf(runs);
    if (level.count <= 1) {
        return "";
    }
    std::string text = ": " + std::to_string(level.count) + " runs of " +
                       std::to_string(runs->bytes) + " B, whose starts are " +
                       std::to_string(level.stride) + " B apart";
    const uint64_t gap = level.stride - runs->bytes;
    const std::string name = write ? "dstStride" : "srcStride";
    if (api == "DataCopyPad") {
        return text + " (" + name + " " + std::to_string(gap) + " counts bytes of global memory)";
    }
    if (api == "DataCopy" && gap % kBlockBytes == 0) {
        return text + " (" + name + " " + std::to_string(gap / kBlockBytes) +
               " counts blocks of 32 B)";
    }
    return text;
}

/// Returns the advice for an access beyond `range`. The advice is about GetBlockIdx() if a vector
/// core may have used it as the number of the block, and about the size if `range` is a workspace
/// that is too small. Otherwise returns `other`.
std::string BoundsAdvice(const Core& core, const GmRange& range, int64_t offset, uint64_t bytes,
                         const std::string& other) {
    const std::string advice = "\n  try: ";
    const bool behind = offset >= static_cast<int64_t>(range.bytes);
    if (behind && core.taskRation > 1 && core.LogicalBlockIdx() >= core.blockNum) {
        return advice + "GetBlockIdx() is " + std::to_string(core.LogicalBlockIdx()) +
               " here: on vector cores it counts the " +
               std::to_string(core.blockNum * core.taskRation) +
               " vector cores of the launch, but GetBlockNum() is " +
               std::to_string(core.blockNum) +
               ", the number of blocks; the block's number is "
               "GetBlockIdx() / GetTaskRation()";
    }
    if (IsWorkspace(range.label) && range.label != "system workspace" && offset >= 0) {
        const std::string who = core.blockNum == 1 ? "this needs "
                                                   : "block " + std::to_string(core.blockIdx) +
                                                         " (others may need more) needs ";
        return advice + "the workspace has " + std::to_string(range.bytes) + " B, " + who +
               std::to_string(offset + static_cast<int64_t>(bytes)) +
               " B: ask for it in tiling (GetWorkspaceSizes), or as `workspace` of the launch";
    }
    return advice + other;
}

/// Ends the task with T110 if the array is too short only because its elements are smaller than
/// `type`, the element type of the kernel's GlobalTensor. An array with the same number of elements
/// of `type` would contain the access.
void RefuseDtype(const GmRange& range, uintptr_t address, uint64_t bytes, ElementType type,
                 const char* verb, const char* api) {
    if (range.array == nullptr || !type.Known() || address < range.begin) {
        return;
    }
    const Dtype given = range.array->dtype.Value();
    if (given == Dtype::U8) {  // plain bytes
        return;
    }
    const uint64_t count = range.bytes / SizeOf(given);
    const uint64_t needed = count * SizeOf(type.Value());
    const uint64_t offset = address - range.begin;
    if (needed <= range.bytes || offset + bytes > needed) {
        return;
    }
    const char* const wanted = NumpyName(type.Value());
    const std::string& name = range.label;
    Fail("T110",
         "wrong dtype: %s %s %" PRIu64 " B at byte %" PRIu64
         " of %s as %s, but %s is an array of %s: its %" PRIu64 " elements have %" PRIu64
         " B, as %s they have %" PRIu64
         " B\n  try: give %s as an array of %s: astype converts an input; create an output "
         "with this dtype",
         api, verb, bytes, offset, name.c_str(), type.Text(), name.c_str(), NumpyName(given), count,
         range.bytes, wanted, needed, name.c_str(), wanted);
}

std::string ClipAdvice(const Runs* runs) {
    return std::string(StrideOf(runs).count > 1 ? "check the stride and its unit, and " : "") +
           "clip the last tile to the elements that are left (DataCopyPad copies any number of "
           "bytes)";
}

}  // namespace

Core::Core() : state(new CoreState(*this)) {}

Core::~Core() { delete state; }

void Core::Cancelled() { ThisWorker()->Leave(Escape::Cancelled); }

const BufferRecord* Core::FindBuffer(Memory memory, uint64_t address) const {
    for (const BufferRecord& buffer : state->buffers) {
        if (buffer.memory == memory && address >= buffer.begin &&
            address - buffer.begin < buffer.bytes) {
            return &buffer;
        }
    }
    return nullptr;
}

void Core::AddBuffer(BufferRecord buffer) {
    buffer.where = where;
    state->buffers.push_back(buffer);
    for (CoreRecorder* recorder : state->recorders) {
        recorder->OnBuffer(BufferEvent{buffer, true, sequence, where});
    }
}

void Core::TakeBuffersBack(FunctionRef<bool(const BufferRecord&)> which, Location by) {
    const auto kept =
        std::stable_partition(state->buffers.begin(), state->buffers.end(),
                              [&](const BufferRecord& buffer) { return !which(buffer); });
    for (auto taken = kept; taken != state->buffers.end(); ++taken) {
        for (CoreRecorder* recorder : state->recorders) {
            recorder->OnBuffer(BufferEvent{*taken, false, sequence, by});
        }
    }
    state->buffers.erase(kept, state->buffers.end());
}

void Core::ShowOperands() const {
    for (CoreRecorder* recorder : state->recorders) {
        recorder->OnOperands(state->record, *this);
    }
}

void Core::Record() {
    Instruction& record = state->record;
    record.sequence = sequence++;
    record.block = blockIdx;
    record.subBlock = static_cast<uint8_t>(subBlockIdx);
    record.core = kind;
    record.call = call;
    record.callBegin = callBegin;
    record.where = where;
    record.scalarWork = scalarWork;
    scalarWork = {};
    for (CoreRecorder* recorder : state->recorders) {
        recorder->OnResults(record, *this);
    }
    for (ByteRange& range : record.ranges) {
        if (range.memory == Memory::Gm) {
            range.begin = DeviceAddress(range.begin);
        }
    }
    for (CoreRecorder* recorder : state->recorders) {
        recorder->OnInstruction(record);
    }
}

const GmRange* Core::FindRange(uintptr_t origin) {
    return lastRange != nullptr && lastRange->Contains(origin) ? lastRange : SearchRange(origin);
}

const GmRange* Core::SearchRange(uintptr_t origin) {
    const auto& gm = launch->gm;
    auto after = std::upper_bound(
        gm.begin(), gm.end(), origin,
        [](uintptr_t address, const GmRange& range) { return address < range.begin; });
    if (after == gm.begin() || !std::prev(after)->Contains(origin)) {
        return nullptr;
    }
    lastRange = &*std::prev(after);
    return lastRange;
}

uint64_t Core::DeviceAddress(uintptr_t address) {
    const GmRange* range = FindRange(address);
    return range != nullptr ? range->device + (address - range->begin)
                            : launch->DeviceAddress(address);
}

void Core::CheckGm(uintptr_t origin, uintptr_t address, uint64_t bytes, uint64_t touched,
                   bool write, const char* api, const Runs* runs, ElementType type) {
    const GmRange* range = FindRange(origin);
    if (range == nullptr || address < range->begin || address > range->End() ||
        bytes > range->End() - address || (write && range->readOnly)) {
        RefuseGm(range, origin, address, bytes, write, api, runs, type);
    }
    (write ? gmWriteBytes : gmReadBytes) += touched;
    if (address < gmLow || address + bytes > gmHigh) {
        gmLow = std::min(gmLow, address);
        gmHigh = std::max<uintptr_t>(gmHigh, address + bytes);
        progress.Increment();
    }
}

void Core::CheckGmAlignment(uintptr_t address, uint32_t elementBytes, const char* api) {
    if (elementBytes == 1) {
        return;
    }
    const uint64_t device = DeviceAddress(address);
    if (__builtin_expect((device & (elementBytes - 1)) != 0, 0)) {
        Fail("T104",
             "misaligned GM address: %s at 0x%" PRIx64
             ", expected a multiple of the element's %u B",
             api, device, elementBytes);
    }
}

void Core::RefuseGm(const GmRange* range, uintptr_t origin, uintptr_t address, uint64_t bytes,
                    bool write, const char* api, const Runs* runs, ElementType type) {
    const char* verb = write ? "writes" : "reads";
    if (range == nullptr) {
        if (origin == 0) {
            Fail("T102", "unknown GM address: %s %s %" PRIu64 " B through a null pointer%s", api,
                 verb, bytes,
                 "\n  try: SetGlobalBuffer with the kernel's argument; an absent optional input is "
                 "null");
        }
        RefuseUnknown(origin, address, bytes, verb, api, type);
    }
    const auto offset = static_cast<int64_t>(address - range->begin);
    if (write && range->readOnly && offset >= 0 && offset + bytes <= range->bytes) {
        Fail("T105",
             "write to a read-only tensor: %s writes %" PRIu64 " B at byte %" PRId64 " of %s%s",
             api, bytes, offset, range->label.c_str(),
             "\n  try: write to an output or to workspace");
    }
    RefuseDtype(*range, address, bytes, type, verb, api);
    Fail("T101",
         "GM out of bounds: %s %s %" PRIu64 " B at byte %" PRId64 " of %s, which has %" PRIu64
         " B%s%s",
         api, verb, bytes, offset, range->label.c_str(), range->bytes,
         StrideText(runs, api, write).c_str(),
         Distance(*range, address) >= kFarBytes
             ? kWrapped
             : BoundsAdvice(*this, *range, offset, bytes, ClipAdvice(runs)).c_str());
}

void Core::RefuseOtherCore(Memory where, const char* api, const char* operand) {
    Fail("T320",
         "memory of the other core: %s %s is in %s, which %s has not"
         "\n  try: ASCEND_IS_AIC or ASCEND_IS_AIV around what belongs to one kind of core",
         api, operand, Name(where), kind == CoreKind::Aic ? "a cube core" : "a vector core");
}

void Core::RefuseUnknown(uintptr_t origin, uintptr_t address, uint64_t bytes, const char* verb,
                         const char* api, ElementType type) {
    for (const GmRange& window : launch->spec.windows) {
        if (window.bytes == 0 && window.begin == origin) {
            Fail("T101",
                 "GM out of bounds: %s %s %" PRIu64 " B at byte %" PRIu64
                 " of %s, which is empty\n  try: ask for it in tiling",
                 api, verb, bytes, static_cast<uint64_t>(address - origin), window.label.c_str());
        }
    }
    const std::vector<void*>& args = launch->spec.args;
    const auto given = std::find(args.begin(), args.end(), reinterpret_cast<void*>(origin));
    if (given != args.end()) {
        const size_t index = static_cast<size_t>(given - args.begin());
        Fail("T102",
             "unknown GM address: %s %s %" PRIu64 " B of %s, which is 0x%" PRIxPTR
             ": no allocation of the device%s",
             api, verb, bytes, launch->spec.image->ArgumentName(index).c_str(), origin,
             "\n  try: pass an address from aclrtMalloc that was not freed");
    }
    const GmRange& nearest = *launch->NearestRange(origin);
    const uint64_t away = Distance(nearest, origin);
    if (away >= kFarBytes) {  // too far for an argument with a wrong offset
        Fail("T102",
             "unknown GM address: %s %s %" PRIu64 " B at 0x%" PRIxPTR
             ", which no tensor, workspace or allocation contains%s",
             api, verb, bytes, address, kWrapped);
    }
    RefuseDtype(nearest, address, bytes, type, verb, api);
    Fail("T102",
         "unknown GM address: %s %s %" PRIu64 " B at 0x%" PRIx64
         ", but the GlobalTensor starts at 0x%" PRIx64 ", %" PRIu64 " B %s of %s%s",
         api, verb, bytes, DeviceAddress(address), DeviceAddress(origin), away,
         origin >= nearest.begin ? "behind the end" : "before the begin", nearest.label.c_str(),
         BoundsAdvice(*this, nearest, static_cast<int64_t>(address - nearest.begin), bytes,
                      "check the offset given to SetGlobalBuffer")
             .c_str());
}

void Core::RefuseLocal(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment,
                       const char* api, const char* operand) {
    const BufferRecord* buffer = FindBuffer(where, begin);
    const char* name = Name(where);
    const uint64_t size = memoryBytes[static_cast<size_t>(where)];
    char owner[64] = "no buffer";
    if (buffer != nullptr) {
        std::snprintf(owner, sizeof(owner), "buffer %s #%d[%d]", buffer->kind, buffer->queue,
                      buffer->slot);
    }
    if (begin + bytes > size) {
        Fail("T103",
             "%s out of bounds: %s %s covers %" PRIu64 " B at %s+0x%" PRIx64 ", end 0x%" PRIx64
             " > 0x%" PRIx64 " (%" PRIu64 " B on %s), %s%s%s",
             name, api, operand, bytes, name, begin, begin + bytes, size, size, soc->name, owner,
             DrawAccess(*this, where, begin, bytes, size - std::min(size, begin)).text,
             "\n  try: smaller tiles or fewer buffers");
    }
    Fail("T104",
         "misaligned %s address: %s %s starts at %s+0x%" PRIx64
         ", expected a multiple of %u B, %s%s",
         name, api, operand, name, begin, alignment, owner,
         alignment == kBlockBytes ? "\n  try: offsets whose bytes are a multiple of 32"
                                  : "\n  try: offsets that keep the alignment");
}

void Core::NotePoll(uintptr_t address, uint64_t bytes) {
    const uint32_t others = pollCount / kOther;  // other reads since `pollAddress` was read
    if (bytes > kPollBytes || (address != pollAddress && others == kWordsByTurns)) {
        pollAddress = address;
        pollCount = 0;
    } else if (address != pollAddress) {
        pollCount += kOther;
    } else if (pollCount % kOther + 1 < kPollsBeforeYield) {
        pollCount = pollCount % kOther + 1;
    } else {
        pollCount = 0;
        polls.Increment();
        Yield(*this);
    }
}

}  // namespace twin
