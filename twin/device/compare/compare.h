// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/enums.h"
#include "device/types/parameters.h"
#include "device/vec/shapes.h"

namespace twin::compare {

/// Number of elements or repeats of a comparison, and strides of its sources. Masks have no effect.
struct Shape {
    bool counted = false;
    uint32_t count = 0;    ///< number of elements, if `counted`
    uint32_t repeats = 0;  ///< number of repeats, unless `counted`
    uint32_t block0 = 1, block1 = 1, repeat0 = 8, repeat1 = 8;

    static Shape Elements(uint32_t count) {
        Shape shape;
        shape.counted = true;
        shape.count = count;
        return shape;
    }
    static Shape Strided(uint8_t repeats, const AscendC::BinaryRepeatParams& p) {
        return Shape{false,          0, repeats, p.src0BlkStride, p.src1BlkStride, p.src0RepStride,
                     p.src1RepStride};
    }
    static Shape Strided(uint8_t repeats, const AscendC::UnaryRepeatParams& p) {
        return Shape{false, 0, repeats, p.srcBlkStride, 1, p.srcRepStride, 8};
    }
};

/// Compares src0 with src1 element by element and writes one bit per element to dst, without gaps.
TWIN_API void RunTensor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
                        AscendC::CMPMODE mode, const Shape& shape, Location where);
TWIN_API void RunScalar(Opcode api, Dtype dtype, const Operand& dst, const Operand& src,
                        const void* scalar, AscendC::CMPMODE mode, const Shape& shape,
                        Location where);
/// Compares one repeat of src0 and src1 and writes the bits to the CMPMASK register.
TWIN_API void RunRegister(Dtype dtype, const Operand& src0, const Operand& src1,
                          AscendC::CMPMODE mode, const vec::Extent& extent,
                          const AscendC::BinaryRepeatParams& strides, Location where);
TWIN_API void GetRegister(const Operand& dst, Location where);
TWIN_API void SetRegister(const Operand& src, Location where);

/// The mode, the mask bits and the second source of a Select.
struct Choice {
    AscendC::SELMODE mode;
    const Operand* bits = nullptr;  ///< mask; nullptr: CMPMASK has the bits or their address
    const Operand* src1 = nullptr;  ///< second source; nullptr: it is a scalar
    const void* scalar = nullptr;   ///< scalar; nullptr: there is none, or it is in CMPMASK
};

TWIN_API void RunSelect(Dtype dtype, const Operand& dst, const Operand& src0, const Choice& choice,
                        const vec::Extent& extent, const AscendC::BinaryRepeatParams& strides,
                        Location where);

/// UB address where a Select in mode 1 or 2 stores its scalar or the address of its mask.
constexpr uint32_t kScratch = 188416;

}  // namespace twin::compare

namespace AscendC {

/// Copies the 16 bytes of the CMPMASK register to dst, which must start at a multiple of 16 B.
template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst, TWIN_HERE) {
    twin::compare::GetRegister(dst, here);
}

/// Copies 16 bytes of src to the CMPMASK register: the mask bits (Select mode 0), copies of the
/// scalar (mode 1) or the address of the mask tensor (mode 2).
template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src, TWIN_HERE) {
    twin::compare::SetRegister(src, here);
}

/// Sets bit i of dst to the result of src0[i] cmpMode src1[i], lowest bit first and without gaps
/// between repeats. Masks and dst strides have no effect on A2/A3.
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE cmpMode, const ::twin::vec::ConstMask mask,
                    const ::twin::Narrow8 repeatTime, const BinaryRepeatParams& repeatParams,
                    TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare, T, half, float, int32_t);
    (void)mask;
    twin::compare::RunTensor(twin::kDtypeOf<T>, dst, src0, src1, cmpMode,
                             twin::compare::Shape::Strided(repeatTime, repeatParams), here);
}

/// Compares the first `count` elements. The hardware leaves out an incomplete last repeat of 256 B.
template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                    const LocalTensor<T>& src1, CMPMODE cmpMode, uint32_t count, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare, T, half, float, int32_t);
    twin::compare::RunTensor(twin::kDtypeOf<T>, dst, src0, src1, cmpMode,
                             twin::compare::Shape::Elements(count), here);
}

/// Compares one repeat and writes the bits to CMPMASK; bits of elements outside the mask become 0.
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const ::twin::vec::ConstMask mask, const BinaryRepeatParams& repeatParams,
                    TWIN_HERE) {
    TWIN_REFUSE_DTYPE(Compare into the register, T, half, float);
    twin::compare::RunRegister(twin::kDtypeOf<T>, src0, src1, cmpMode,
                               twin::vec::Extent::Mask(mask, 1, isSetMask), repeatParams, here);
}

#define TWIN_COMPARE_SCALAR_FORM(API, MORE, EXTENT, shape)                                     \
    template <typename T, typename U MORE()>                                                   \
    inline void API(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, \
                    CMPMODE cmpMode, EXTENT(), TWIN_HERE) {                                    \
        TWIN_REFUSE_DTYPE(API, T, half, float, int32_t);                                       \
        ::twin::compare::RunScalar(::twin::Opcode::API, ::twin::kDtypeOf<T>, dst, src0,        \
                                   &src1Scalar, cmpMode, ::twin::compare::Shape::shape, here); \
    }
#define TWIN_SET_MASK() , bool isSetMask = true
#define TWIN_REPEATS const ::twin::Narrow8 repeatTime, const UnaryRepeatParams &repeatParams
#define TWIN_BY_BITS() const uint64_t[], TWIN_REPEATS
#define TWIN_BY_MASK() const uint64_t, TWIN_REPEATS
#define TWIN_BY_COUNT() uint32_t count
/// Sets bit i of dst to the result of src0[i] cmpMode src1Scalar; otherwise like Compare. The newer
/// name of CompareScalar is Compares.
#define TWIN_COMPARE_SCALAR(API)                                                                  \
    TWIN_COMPARE_SCALAR_FORM(API, TWIN_SET_MASK, TWIN_BY_BITS, Strided(repeatTime, repeatParams)) \
    TWIN_COMPARE_SCALAR_FORM(API, TWIN_SET_MASK, TWIN_BY_MASK, Strided(repeatTime, repeatParams)) \
    TWIN_COMPARE_SCALAR_FORM(API, TWIN_NOTHING, TWIN_BY_COUNT, Elements(count))
TWIN_COMPARE_SCALAR(CompareScalar)
TWIN_COMPARE_SCALAR(Compares)

// Executes assignments such as dst = a < b (tensor/operators.h) for all elements of a.

template <typename T>
template <typename U>
inline void SymbolOverrideCompare<T>::Process(const LocalTensor<U>& dst) const {
    Compare(dst, src0, src1, mode, src0.GetSize(), where);
}

}  // namespace AscendC
