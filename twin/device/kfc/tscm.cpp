// SPDX-License-Identifier: Apache-2.0
#include "device/data_copy/blocks.h"
#include "device/data_copy/serve.h"
#include "device/kfc/channel.h"
#include "device/pipe/tpipe.h"
#include "device/sync/events.h"

namespace twin {
namespace {

constexpr char kCopy[] = "DataCopy";

}  // namespace

void copy::Serve(const char* api, std::function<void()> copy, Location where) {
    kfc::RequireServer(api, where);
    const auto work = [copy = std::move(copy), where](void*) {
        copy();
        SyncPipes(AscendC::HardEvent::MTE2_MTE1, where);
    };
    kfc::Post(0, work, kfc::Pairing::kNone, where);
}

void copy::ServeFromUb(const Operand& dst, const Operand& src,
                       const AscendC::DataCopyParams& params, Location where) {
    kfc::RequireServer(kCopy, where);
    const uint64_t pitch = uint64_t{params.blockLen} + params.srcStride;
    const auto stage =
        reinterpret_cast<uintptr_t>(kfc::Stage(params.blockCount * pitch * kBlockBytes, where));
    const GmOperand gm{stage, stage};
    AscendC::DataCopyParams out = params;
    out.dstStride = params.srcStride;
    SyncPipes(AscendC::HardEvent::V_MTE3, where);
    CopyOut(gm, src, out, 1, where);
    CopyIn(dst, gm, params, 1, where);
}

void kfc::CheckTscm(const Operand& tensor, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t taken = PipeEndAddress(*GetTPipePtr(), Memory::L1);
    if (tensor.address < taken) {
        Fail("T481",
             "L1 full: the TSCM of a vector core begins at 0x%x, the Matmul objects of its cube "
             "core take 0x%x B\n  try: a smaller depth or step in the tiling, or less TSCM",
             tensor.address, taken);
    }
}

}  // namespace twin
