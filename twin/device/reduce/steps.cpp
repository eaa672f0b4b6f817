// SPDX-License-Identifier: Apache-2.0
#include "device/reduce/steps.h"

#include <algorithm>
#include <cstring>

#include "device/sync/events.h"

namespace twin::reduce {

Operand At(const Operand& operand, uint64_t elements, Dtype dtype) {
    const uint64_t bytes = elements * SizeOf(dtype);
    Operand view = operand;
    view.address =
        static_cast<uint32_t>(std::min<uint64_t>(operand.address + bytes, UINT32_MAX / 2));
    view.bytes = bytes < operand.bytes ? operand.bytes - static_cast<uint32_t>(bytes) : 0;
    return view;
}

void Sync(AscendC::HardEvent event, Location where) {
    const AscendC::TEventID id = PeekEvent(event, where);
    IssueSetFlag(event, id, QueueEvent::None, where);
    IssueWaitFlag(event, id, QueueEvent::None, where);
}

void ReleaseScalar(Location where) {
    Sync(AscendC::HardEvent::S_V, where);
    Sync(AscendC::HardEvent::S_MTE3, where);
}

uint32_t LoadElement(Opcode api, const Operand& from, Dtype dtype, Location where) {
    uint32_t bits = 0;
    std::memcpy(&bits, LocalScalar(from, SizeOf(dtype), false, api, where), SizeOf(dtype));
    return bits;
}

void StoreElement(Opcode api, const Operand& to, uint32_t bits, Dtype dtype, Location where) {
    std::memcpy(LocalScalar(to, SizeOf(dtype), true, api, where), &bits, SizeOf(dtype));
}

void RequireNormalMode(const Core& core, Opcode api) {
    if (core.mask.counter) {
        Fail("T432",
             "counter mode: %s works in several steps with mask bits, which counter mode takes for "
             "an element count\n  try: SetMaskNorm() before the call, or the form with a count of "
             "ReduceSum",
             Name(api));
    }
}

}  // namespace twin::reduce
