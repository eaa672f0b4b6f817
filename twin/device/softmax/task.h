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

/// Compile-time settings of a softmax call.
struct SoftmaxConfig {
    constexpr SoftmaxConfig(const bool isCheckTilingIn) : isCheckTiling(isCheckTilingIn) {}
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn,
                            const uint32_t oriSrcKIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn) {}
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn,
                            const uint32_t oriSrcKIn, const SoftmaxMode modeIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn), mode(modeIn) {}

    bool isCheckTiling = true;  ///< true: the call replaces a tiling that is for another shape
    uint32_t oriSrcM = 0;       ///< if not 0: number of valid rows
    uint32_t oriSrcK = 0;       ///< if not 0: number of valid columns
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};

inline constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

/// Shape of src: srcM rows of srcK elements, of which the first oriSrcM rows and the first oriSrcK
/// elements are valid. If srcM or srcK is 0, the tensor's ShapeInfo is used.
struct SoftMaxShapeInfo {
    uint32_t srcM{0};
    uint32_t srcK{0};
    uint32_t oriSrcM{0};
    uint32_t oriSrcK{0};
};

/// Shape and parameters of SoftmaxFlashV3.
struct SoftMaxParams {
    uint32_t srcM{0};
    uint32_t srcK{0};
    uint32_t oriSrcM{0};
    uint32_t oriSrcK{0};
    uint32_t loopCnt{0};       ///< number of parts of the columns so far, with this one
    uint32_t splitMeanCnt{0};  ///< number of parts of a row with a mean of their own: 8
    float alpha{0};
};

}  // namespace AscendC

namespace twin::softmax {

constexpr uint32_t kFractal = 16;  ///< number of elements in a row of a fractal

enum class Kind : uint8_t { Softmax, Simple, Flash, FlashV2, FlashV3, Log, Grad };

/// Settings of a softmax call, most of which are template arguments.
struct Flags {
    bool update = false;  ///< Flash: updates earlier results; Grad: computes only the sums
    bool reuseSource = false;
    bool basicBlock = false;
    bool nz = false;
    AscendC::SoftmaxConfig config = AscendC::SOFTMAX_DEFAULT_CFG;
};

/// One call of the softmax family. Tensors that the call does not have stay empty.
struct Task {
    Opcode api;
    Kind kind;
    Flags flags;
    Dtype dtype;  ///< type of src, dst and expMax
    Dtype stat;   ///< type of sums and maxima
    bool hasStats = false;
    Operand dst = {};
    Operand src = {};
    Operand sum = {};  ///< sum and max are inputs for Kind::Simple; sum is the gradient for Grad
    Operand max = {};
    Operand expMax = {};
    Operand inSum = {};
    Operand inMax = {};
    Operand rowMax = {};  ///< maxima of the rows alone, if `hasRowMax`
    bool hasRowMax = false;
    advanced::Tmp tmp = {};
    SoftMaxTiling tiling = {};
    AscendC::SoftMaxShapeInfo shape = {};
    Operand mean = {};  ///< FlashV3 only, as the members below
    Operand inMean = {};
    AscendC::SoftMaxParams params = {};
};

/// Returns rows and columns from the tensor's ShapeInfo, or `given` if the tensor has none.
TWIN_API AscendC::SoftMaxShapeInfo Resolve(const AscendC::SoftMaxShapeInfo& given,
                                           const AscendC::ShapeInfo& tensor);
/// The number of rows that the library computes at once, and in total.
struct Plan {
    uint32_t rowsAtOnce;
    uint32_t rows;  ///< number of rows that the call computes
};
/// Checks the shape (T703) and the tiling (T720); returns the plan for `room` bytes of scratch.
Plan MakePlan(const Task& task, uint64_t room, bool strict);
/// Returns how many bytes of scratch memory the library needs per row that it computes at once.
uint64_t RowTemporary(const Task& task);

TWIN_API void Run(const Task& task, Location where);
TWIN_API bool Adjust(Dtype dtype, Dtype stat, const Operand& result, const Operand& max,
                     uint32_t from, const void* to, bool nz, bool packed,
                     const AscendC::SoftMaxShapeInfo& shape, Location where);

/// Returns the settings of a call with outReduceMax, which never replaces its tiling. The library
/// computes nothing without SOFTMAX_OUTPUT_WITHOUT_BRC.
template <const AscendC::SoftmaxConfig& config>
constexpr AscendC::SoftmaxConfig PackedConfig() {
    static_assert(config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC,
                  "SoftmaxFlashV2 with outReduceMax: the mode is SOFTMAX_OUTPUT_WITHOUT_BRC");
    return {false, config.oriSrcM, config.oriSrcK, config.mode};
}

template <typename T, typename U>
Task Make(Opcode api, Kind kind, const Flags& flags, const AscendC::LocalTensor<T>& dst,
          const AscendC::LocalTensor<U>& sum, const AscendC::LocalTensor<U>& max,
          const AscendC::LocalTensor<T>& src, const advanced::Tmp& tmp, const SoftMaxTiling& tiling,
          const AscendC::SoftMaxShapeInfo& shape) {
    static_assert(kOneOf<T, half, float> && kOneOf<U, half, float>,
                  "softmax: this type is not supported on A2/A3; it takes half, float");
    const bool known = shape.srcM != 0 && shape.srcK != 0;
    Task task = {api, kind, flags, kDtypeOf<T>, kDtypeOf<U>, true, dst, src, sum, max};
    task.tmp = tmp;
    task.tiling = tiling;
    task.shape = known ? shape : Resolve(shape, src.GetShapeInfo());
    return task;
}

}  // namespace twin::softmax
