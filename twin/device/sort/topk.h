// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/types.h"
#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

// Numbers that kernels use because the toolkit's TopK declares them.
constexpr uint32_t TWO = 2;
constexpr uint32_t THREE = 3;
constexpr uint32_t FOUR = 4;
constexpr uint32_t FIVE = 5;
constexpr uint32_t SIX = 6;
constexpr uint32_t SEVEN = 7;
constexpr uint32_t EIGHT = 8;
constexpr uint32_t NINE = 9;
constexpr uint32_t TWELVE = 12;
constexpr uint32_t SIXTEEN = 16;
constexpr uint32_t THIRTY_TWO = 32;
constexpr uint32_t FORTYEIGHT = 48;

/// Shape of TopK's source: `outter` rows of `inner` elements, a multiple of 32. The first `n`
/// elements of each row are valid.
struct TopKInfo {
    int32_t outter = 1;
    int32_t inner;
    int32_t n;
};

}  // namespace AscendC

namespace twin::sort {

/// The parameters of a TopK call on which its tiling depends.
struct TopkShape {
    int32_t inner;
    int32_t outter;
    int32_t k;
    uint32_t typeSize;
    bool initIndex;
    bool small;
    bool largest;
};

TWIN_API TopkTiling MakeTopkTiling(const TopkShape& shape);
/// Returns the scratch size that the host reports, in bytes. It is enough for half and float.
TWIN_API uint32_t TopkScratch(const TopkShape& shape);

/// Bits of CallShape::form of TopK.
struct TopkForm {
    static constexpr uint32_t kSmallest = 1;  ///< the call finds the smallest elements
    static constexpr uint32_t kGiven = 2;     ///< an operand has the indices of the elements
    static constexpr uint32_t kFinishes = 4;  ///< an operand has a flag for each row
    static constexpr uint32_t kSmall = 8;     ///< TOPK_NSMALL
};

struct Topk {
    Dtype dtype;
    TopkShape shape;
    int32_t valid;  ///< number of valid elements in a row
    bool finishes;
    Operand value;
    Operand index;
    Operand src;
    Operand srcIndex;
    Operand finish;
    TopkTiling tiling;
};

TWIN_API void RunTopk(const Topk& topk, const advanced::Tmp& tmp, Location where);

}  // namespace twin::sort

namespace AscendC {

/// Finds the k largest or smallest elements of every row and their indices, best first. Of equal
/// elements, the earlier element wins. Result rows are padded to 32 B in TOPK_NORMAL and packed in
/// TOPK_NSMALL.
#define TWIN_TOP_K(TMP, tmp)                                                                    \
    template <typename T, bool isInitIndex = false, bool isHasfinish = false,                   \
              bool isReuseSrc = false, enum TopKMode topkMode = TopKMode::TOPK_NORMAL>          \
    inline void TopK(const LocalTensor<T>& dstValueLocal,                                       \
                     const LocalTensor<int32_t>& dstIndexLocal, const LocalTensor<T>& srcLocal, \
                     const LocalTensor<int32_t>& srcIndexLocal,                                 \
                     const LocalTensor<bool>& finishLocal, TMP(const) const int32_t k,          \
                     const TopkTiling& tilling, const TopKInfo& topKInfo,                       \
                     const bool isLargest = true, TWIN_HERE) {                                  \
        TWIN_REFUSE_DTYPE(TopK, T, half, float);                                                \
        ::twin::sort::RunTopk({::twin::kDtypeOf<T>,                                             \
                               {topKInfo.inner, topKInfo.outter, k, sizeof(T), isInitIndex,     \
                                topkMode == TopKMode::TOPK_NSMALL, isLargest},                  \
                               topKInfo.n,                                                      \
                               isHasfinish,                                                     \
                               dstValueLocal,                                                   \
                               dstIndexLocal,                                                   \
                               srcLocal,                                                        \
                               srcIndexLocal,                                                   \
                               finishLocal,                                                     \
                               tilling},                                                        \
                              tmp, here);                                                       \
    }
TWIN_TMP_FORMS(TWIN_TOP_K)

}  // namespace AscendC
