// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/matmul/static_tiling.h"
#include "device/tensor/local_tensor.h"
#include "device/types/dtype.h"
#include "device/types/half.h"

namespace twin::matmul {

/// Element type of C in L0C if A and B have elements of type T.
template <typename T>
struct Accumulator {
    using Type = float;
};
template <>
struct Accumulator<int8_t> {
    using Type = int32_t;
};
template <>
struct Accumulator<AscendC::int4b_t> {
    using Type = int32_t;
};

/// True if the kernel itself puts the operand, or the core's part of the operand, into L1 (TSCM).
template <class MATMUL_TYPE>
constexpr bool kInL1 = AscendC::GetPhyType(MATMUL_TYPE::pos) == AscendC::Hardware::L1;

/// True if the kernel itself allocates the memory in L0C (CO1) for the blocks of C.
template <class MATMUL_TYPE>
constexpr bool kInL0C = AscendC::GetPhyType(MATMUL_TYPE::pos) == AscendC::Hardware::L0C;

/// True for an operand with an index (SparseMatmulType).
template <class MATMUL_TYPE, typename = void>
constexpr bool kIsSparse = false;
template <class MATMUL_TYPE>
constexpr bool kIsSparse<MATMUL_TYPE, std::void_t<decltype(MATMUL_TYPE::indexPosition)>> = true;

template <typename T>
constexpr uint32_t kC0 = 256 / kElementBits<T>;

constexpr int32_t CeilDiv(int32_t value, int32_t unit) { return (value + unit - 1) / unit; }
constexpr int32_t AlignUp(int32_t value, int32_t unit) { return CeilDiv(value, unit) * unit; }

/// Returns true if A2 supports these types of A, B and C (list in the documentation of Matmul).
template <typename A, typename B, typename C>
constexpr bool IsTypeTriple() {
    constexpr bool kFloats = kOneOf<C, float, ::half, bfloat16_t>;
    constexpr bool kIntegers = kOneOf<C, int32_t, ::half, int8_t>;
    return std::is_same<A, B>::value &&
           ((kOneOf<A, ::half, bfloat16_t> && (kFloats || std::is_same<C, int8_t>::value)) ||
            (std::is_same<A, float>::value && kFloats) ||
            (std::is_same<A, int8_t>::value && (kIntegers || std::is_same<C, uint8_t>::value)) ||
            (std::is_same<A, AscendC::int4b_t>::value && kIntegers));
}

template <typename A, typename Bias>
constexpr bool IsBiasType() {
    constexpr bool kInteger = std::is_same<typename Accumulator<A>::Type, int32_t>::value;
    return kInteger ? std::is_same<Bias, int32_t>::value
                    : kOneOf<Bias, float, ::half, ::bfloat16_t>;
}

}  // namespace twin::matmul

namespace AscendC {

/// The position, format and type of an operand. ISTRANS: a transposed operand is allowed.
template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false,
          TPosition SRCPOS = TPosition::GM>
struct MatmulType {
    constexpr static TPosition pos = POSITION;
    constexpr static CubeFormat format = FORMAT;
    using T = TYPE;
    constexpr static bool isTrans = ISTRANS;
    constexpr static LayoutMode layout = LAYOUT;
    constexpr static bool ibShare = IBSHARE;
    constexpr static TPosition srcPos = SRCPOS;  ///< newer than CANN 8.1
};

/// A sparse matrix B: two of every four values, and an index with the positions of these values.
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat FORMAT, typename TYPE,
          bool ISTRANS = false, LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : public MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
    constexpr static TPosition indexPosition = INDEX_POSITION;
};

/// The kernel's own copy functions. Matmul calls them for L0C -> GM, GM -> L1 (A), GM -> L1 (B).
template <
    void (*DataCopyOut)(const __gm__ void* gm, const LocalTensor<int8_t>& co1Local,
                        const void* dataCopyOutParams, const uint64_t tilingPtr,
                        const uint64_t dataPtr) = nullptr,
    void (*CopyA1)(const LocalTensor<int8_t>& aMatrix, const __gm__ void* gm, int row, int col,
                   int useM, int useK, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
    void (*CopyB1)(const LocalTensor<int8_t>& bMatrix, const __gm__ void* gm, int row, int col,
                   int useK, int useN, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr>
struct MatmulCallBackFunc {
    constexpr static auto DataCopyOutPtr = DataCopyOut;
    constexpr static auto CopyA1Ptr = CopyA1;
    constexpr static auto CopyB1Ptr = CopyB1;
};

/// The arguments of a DataCopyOut callback; see Fixpipe for the units.
struct DataCopyOutParams {
    uint8_t quantMode = 0;
    uint16_t cBurstNum = 0;  ///< number of fractal columns of the block
    uint16_t burstLen = 0;   ///< number of 32 B blocks in a fractal column
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    uint16_t oriNSize = 0;  ///< number of columns of the block; 0 for NZ
    bool enUnitFlag = false;
    uint64_t quantScalar = 0;
    int curM = 0;                    ///< index of the block along M
    int curN = 0;                    ///< index of the block along N
    uint64_t cbufWorkspaceAddr = 0;  ///< address of the quantisation vector in L1
};

namespace Impl {
constexpr int32_t QUEUE_DEPTH = 1;  ///< depth of the queues in Matmul
}
namespace Impl::Detail {

// Policies of a Matmul. TrianUpper leaves out the blocks of C below the diagonal of blocks.
// TrianLower leaves out the blocks above the diagonal. NBuffer33 (newer than CANN 8.1) stores 3 x 3
// base blocks of A in L1, which changes the copies but not the result.
#define TWIN_MATMUL_POLICY(NAME, TRIANGLE)           \
    template <const auto& MM_CFG, typename... Types> \
    struct NAME {                                    \
        static constexpr int kTriangle = TRIANGLE;   \
    };
TWIN_MATMUL_POLICY(MatmulPolicy, 0)
TWIN_MATMUL_POLICY(NBuffer33MatmulPolicy, 0)
TWIN_MATMUL_POLICY(TrianUpperMatmulPolicy, 1)
TWIN_MATMUL_POLICY(TrianLowerMatmulPolicy, -1)
#undef TWIN_MATMUL_POLICY

}  // namespace Impl::Detail

/// Returns a / b rounded up, for arguments of one type.
template <typename T>
constexpr T Ceil(T a, T b) {
    return static_cast<T>((a + b - 1) / b);
}

/// Element type of C in L0C if A and B have elements of type T.
template <typename T>
struct GetMmDstType : twin::matmul::Accumulator<T> {};

// Kernels use these helpers, which the toolkit's Matmul declares. `Align` returns the smallest
// multiple of `num2` that is not below `num1`; it returns 0 if `num2` is 0.
template <typename T>
constexpr T Align(T num1, T num2) {
    return static_cast<T>(num2 == 0 ? 0 : (num1 + num2 - 1) / num2 * num2);
}
/// Returns the smallest multiple of `num2` that is not below `num1`; both are positive.
template <typename T>
constexpr T CeilAlign(T num1, T num2) {
    return static_cast<T>((num1 + num2 - 1) / num2 * num2);
}
/// Used if the argument types differ: cuts arguments and result to 16 bits, as in the toolkit.
constexpr uint16_t CeilAlign(uint16_t num1, uint16_t num2) {
    return static_cast<uint16_t>((num1 + num2 - 1) / num2 * num2);
}
constexpr uint16_t CeilDiv(uint16_t num1, uint16_t num2) {
    return static_cast<uint16_t>((num1 + num2 - 1) / num2);
}
/// Returns the largest multiple of `num2` that is not above `num1`; returns 0 if `num2` is 0.
template <typename T>
constexpr T AlignDown(T num1, T num2) {
    return num2 == 0 ? T(0) : static_cast<T>(num1 / num2 * num2);
}

}  // namespace AscendC
