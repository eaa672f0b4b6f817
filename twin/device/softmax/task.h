// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/library/tmp.h"
#include "device/vec/shapes.h"
#include "kernel_tiling/advanced_tilings.h"

namespace AscendC {

enum class SoftmaxMode {
    SOFTMAX_NORMAL = 0,
    SOFTMAX_OUTPUT_WITHOUT_BRC = 1,  ///< SoftmaxFlashV2: one element per row in sum, max, expMax
};

/// The settings that are known when the kernel is compiled.
struct SoftmaxConfig {
    constexpr SoftmaxConfig(const bool isCheckTilingIn) : isCheckTiling(isCheckTilingIn) {}
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn,
                            const uint32_t oriSrcKIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn) {}
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn,
                            const uint32_t oriSrcKIn, const SoftmaxMode modeIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn), mode(modeIn) {}

    bool isCheckTiling = true;  ///< a tiling for another shape is computed anew
    uint32_t oriSrcM = 0;       ///< if not 0: the valid rows and columns
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};

inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

/// srcM rows of srcK elements, of which the first oriSrcM and oriSrcK are valid. Without it the
/// tensor's ShapeInfo is used.
struct SoftMaxShapeInfo {
    uint32_t srcM{0};
    uint32_t srcK{0};
    uint32_t oriSrcM{0};
    uint32_t oriSrcK{0};
};

}  // namespace AscendC

namespace twin::softmax {

constexpr uint32_t kFractal = 16;  ///< elements of a row of a fractal

enum class Kind : uint8_t { Softmax, Simple, Flash, FlashV2, Log, Grad };

/// Template arguments of the call.
struct Flags {
    bool update = false;  ///< a Flash call updates earlier results; Grad: only the sums are wanted
    bool reuseSource = false;
    bool basicBlock = false;
    bool nz = false;
    AscendC::SoftmaxConfig config = AscendC::SOFTMAX_DEFAULT_CFG;
};

/// One call. Absent tensors stay empty.
struct Task {
    Opcode api;
    Kind kind;
    Flags flags;
    Dtype dtype;  ///< type of src, dst and expMax
    Dtype stat;   ///< type of sums and maxima
    bool hasStats = false;
    Operand dst = {};
    Operand src = {};
    Operand sum = {};  ///< Simple reads sum and max; for Grad sum is the gradient
    Operand max = {};
    Operand expMax = {};
    Operand inSum = {};
    Operand inMax = {};
    advanced::Tmp tmp = {};
    SoftMaxTiling tiling = {};
    AscendC::SoftMaxShapeInfo shape = {};
};

/// Rows and columns, from the tensor's shape if `given` has none.
TWIN_API AscendC::SoftMaxShapeInfo Resolve(const AscendC::SoftMaxShapeInfo& given,
                                           const AscendC::ShapeInfo& tensor);
/// The number of rows that a tiling of the library processes at once.
struct Plan {
    uint32_t rowsAtOnce;
    uint32_t rows;  ///< rows that the call computes
};
/// Checks shape and tiling (T703, T720).
Plan MakePlan(const Task& task, uint64_t room, bool strict);
/// Returns the bytes of the temporary buffer for one of the rows that are processed at once.
uint64_t RowTemporary(const Task& task);

TWIN_API void Run(const Task& task, Location where);
TWIN_API bool Adjust(Dtype dtype, Dtype stat, const Operand& result, const Operand& max,
                     uint32_t from, const void* to, bool nz, bool packed,
                     const AscendC::SoftMaxShapeInfo& shape, Location where);

template <typename T, typename U>
Task Make(Opcode api, Kind kind, const Flags& flags, const AscendC::LocalTensor<T>& dst,
          const AscendC::LocalTensor<U>& sum, const AscendC::LocalTensor<U>& max,
          const AscendC::LocalTensor<T>& src, const advanced::Tmp& tmp, const SoftMaxTiling& tiling,
          const AscendC::SoftMaxShapeInfo& shape) {
    static_assert(kOneOf<T, half, float> && kOneOf<U, half, float>,
                  "softmax: this type is not supported on A2/A3; it takes half, float");
    const bool known = shape.srcM != 0 && shape.srcK != 0;
    return {api,         kind, flags,  kDtypeOf<T>,
            kDtypeOf<U>, true, dst,    src,
            sum,         max,  {},     {},
            {},          tmp,  tiling, known ? shape : Resolve(shape, src.GetShapeInfo())};
}

}  // namespace twin::softmax
