// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_MOE_TOKEN_PERMUTE_COMMON_H
#define OP_KERNEL_MOE_TOKEN_PERMUTE_COMMON_H

#include "../moe_token_permute_with_routing_map_tiling.h"
#include "kernel_operator.h"

namespace MoeTokenPermute {

using TilingData = MoeTokenPermuteWithRoutingMapTilingData;

constexpr uint32_t kBlockBytes = 32;
constexpr uint32_t kMapUnit = 32;  // elements of the map in a block

/// The integers as wide as a dtype: tokens and probs are moved, never computed with.
template <size_t kBytes>
struct BitsOf {
    using Type = uint16_t;
};
template <>
struct BitsOf<4> {
    using Type = uint32_t;
};

__aicore__ inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
__aicore__ inline int64_t RoundUp(int64_t value, int64_t unit) {
    return CeilDiv(value, unit) * unit;
}
__aicore__ inline int64_t Smaller(int64_t a, int64_t b) { return a < b ? a : b; }

struct Range {
    int64_t begin;
    int64_t end;

    __aicore__ inline int64_t Size() const { return end - begin; }
};

/// Contiguous shares that differ by at most one.
__aicore__ inline Range ShareOf(int64_t total, int64_t parts, int64_t part) {
    const int64_t share = total / parts;
    const int64_t extra = total % parts;
    const int64_t begin = part * share + Smaller(part, extra);
    return {begin, begin + share + (part < extra ? 1 : 0)};
}

template <AscendC::HardEvent kEvent>
__aicore__ inline void Sync() {
    const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(kEvent));
    AscendC::SetFlag<kEvent>(id);
    AscendC::WaitFlag<kEvent>(id);
}

/// `runs` runs of `bytes`, `gapBytes` of GM between them; one run has no gap that must fit.
__aicore__ inline AscendC::DataCopyExtParams Runs(uint32_t runs, uint32_t bytes, int64_t gapBytes,
                                                  bool gmIsSource) {
    const uint32_t gap = runs > 1 ? static_cast<uint32_t>(gapBytes) : 0;
    return AscendC::DataCopyExtParams(static_cast<uint16_t>(runs), bytes, gmIsSource ? gap : 0,
                                      gmIsSource ? 0 : gap, 0);
}

/// The whole of `elems` as one repeat of GatherMask.
__aicore__ inline AscendC::GatherMaskParams OneRepeat() {
    return AscendC::GatherMaskParams(1, 1, 8, 8);
}

}  // namespace MoeTokenPermute

#endif  // OP_KERNEL_MOE_TOKEN_PERMUTE_COMMON_H
