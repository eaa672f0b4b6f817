// SPDX-License-Identifier: Apache-2.0
#include "device/data_copy/gm_access.h"

#include <cinttypes>

#include "core/data_cache.h"
#include "core/launch_state.h"
#include "device/types/enums.h"

namespace twin::copy {

uint64_t WholeBlocks(Core& core, const char* api, uint64_t bytes) {
    const uint64_t tail = bytes % kBlockBytes;
    if (tail != 0 && core.strict) {
        Fail("T407",
             "length not a multiple of 32 B: %s of %" PRIu64
             " B; the chip silently drops the last %" PRIu64
             " B\n  try: DataCopyPad, which copies any number of bytes",
             api, bytes, tail);
    }
    return bytes - tail;
}

void CheckGmAlignment(const GmOperand& gm, uint32_t elementBytes, const char* api) {
    const uint64_t device = Self().DeviceAddress(gm.address);
    if (device % elementBytes != 0) {
        Fail("T104",
             "misaligned GM address: %s at 0x%" PRIx64
             ", expected a multiple of the element's %u B",
             api, device, elementBytes);
    }
}

void OrderRuns(Core& core, const GmOperand& gm, uint64_t count, uint64_t bytes, uint64_t stride,
               bool write, const char* api) {
    if (__builtin_expect(core.cache->HasDirty(), 0) ||
        __builtin_expect(core.launch->MayHoldAtomics(gm.address, (count - 1) * stride + bytes),
                         0)) {
        for (uint64_t i = 0; i < count; ++i) {
            core.OrderGm(gm.address + i * stride, bytes, write, api);
        }
    }
}

const char* AtomicName(Core& core, uint32_t elementBytes, const char* api) {
    static const char* const kNames[] = {"", "add", "max", "min"};
    if (core.atomicOp != AtomicOp::None && SizeOf(core.atomicDtype) != elementBytes &&
        core.strict) {
        Fail("T315",
             "atomic type differs: %s copies elements of %u B while the atomic mode is %s of %s\n  "
             "try: SetAtomic...<T> with"
             " the tensor's type, and SetAtomicNone after the last atomic copy",
             api, elementBytes, kNames[static_cast<int>(core.atomicOp)], Name(core.atomicDtype));
    }
    return kNames[static_cast<int>(core.atomicOp)];
}

void RefuseTscm(const Operand& operand, const char* api) {
    if (static_cast<AscendC::TPosition>(operand.position) == AscendC::TPosition::TSCM &&
        Self().kind == CoreKind::Aiv) {
        Fail("T455",
             "not modelled: %s from a vector core into TSCM goes through the Matmul server and "
             "global memory\n  try: the copy on the cube core (ASCEND_IS_AIC)",
             api);
    }
}

}  // namespace twin::copy
