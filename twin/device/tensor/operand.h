// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/core.h"
#include "core/types.h"
#include "device/issue/operand.h"
#include "device/types/enums.h"

namespace twin {

/// Fails in strict mode, because the subscript `number` does not fit 32 bits (T107).
TWIN_API void RefuseOffset(int64_t number, Location where);

/// The subscript of a view, with its source location. An operator has no parameter for the
/// location, so the conversion from a number adds the location.
struct Offset {
    uint32_t value;
    Location where;

    template <typename T,
              typename = std::enable_if_t<std::is_arithmetic<T>::value || std::is_enum<T>::value>>
    Offset(T number, TWIN_HERE) : value(static_cast<uint32_t>(number)), where(here) {
        if constexpr (std::is_signed<T>::value || sizeof(T) > sizeof(value)) {
            const auto wide = static_cast<int64_t>(number);
            if (__builtin_expect(wide < 0 || wide > UINT32_MAX, 0)) {
                RefuseOffset(wide, here);
            }
        }
    }
};

/// Checks and records a scalar access to a local tensor; returns the host address of the element.
/// `type` is the type as which the kernel gets the value.
TWIN_API void* LocalScalar(const Operand& operand, uint32_t bytes, bool write, Opcode opcode,
                           Location where, ElementType type = {});
/// Returns the host address of a local tensor, which GetPhyAddr gives to the kernel.
TWIN_API void* LocalPointer(const Operand& operand);
/// Checks and records a scalar read of global memory; returns the host address of the value.
TWIN_API const void* GmScalar(const GmOperand& operand, uint32_t bytes, const char* api,
                              Location where);
/// Loads the line that contains the operand into the scalar data cache.
TWIN_API void GmPreload(const GmOperand& operand, Location where);
/// Writes a value to the data cache, as the scalar unit does, and not to global memory.
TWIN_API void GmScalarWrite(const GmOperand& operand, const void* value, uint32_t bytes,
                            const char* api, Location where);
/// Writes back and drops the data cache line of `operand`, or all lines if `entire` is true.
TWIN_API void CleanDataCache(const GmOperand& operand, bool entire, Location where);
/// Checks a tensor whose address the kernel has chosen: it must have elements, lie inside its
/// memory and start at a multiple of 32 B.
TWIN_API void CheckStaticTensor(const Operand& operand, Location where);
/// Registers a tensor whose address the kernel has chosen, so that error messages can name it.
TWIN_API void RegisterStaticTensor(const Operand& operand);
/// Returns the number that SetUserTag has given to a buffer.
TWIN_API int32_t& BufferTag(uint8_t* handle);
TWIN_API void PrintTensor(const Operand& operand, uint32_t count, Dtype dtype, Location where);
/// A file name. A template accepts std::string, so that kernels need not include <string>.
struct FileName {
    FileName(const char* text) : text(text) {}
    template <typename Text>
    FileName(const Text& name) : text(name.c_str()) {}

    const char* text;
};
TWIN_API int32_t WriteTensor(const Operand& operand, const char* file, Location where);
/// Fails in strict mode, because a view starts beyond the end of its tensor (T107).
TWIN_API void RefuseView(const Operand& operand, uint64_t offsetBytes, Location where);
/// Fails, because a view of int4b_t starts in the middle of a byte (T414).
TWIN_API void RefuseOddView(uint32_t offset, Location where);

}  // namespace twin

// A kernel may define K_MAX_SHAPE_DIM to make ShapeInfo smaller on the chip. The twin's ShapeInfo
// keeps its size.

#ifndef K_MAX_SHAPE_DIM
#define K_MAX_SHAPE_DIM 8
#endif

namespace twin {

constexpr uint32_t kMaxShapeDim = 8;

[[noreturn]] TWIN_API void RefuseShape(uint32_t shapeDim, uint32_t originalShapeDim,
                                       Location where);

}  // namespace twin

namespace AscendC {

/// A tensor's shape, and its shape before a change of format. Only a few APIs read a ShapeInfo.
struct ShapeInfo {
    ShapeInfo() = default;
    ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[],
              const uint8_t inputOriginalShapeDim, const uint32_t inputOriginalShape[],
              const DataFormat inputFormat, TWIN_HERE)
        : shapeDim(inputShapeDim),
          originalShapeDim(inputOriginalShapeDim),
          dataFormat(inputFormat) {
        if (shapeDim > twin::kMaxShapeDim || originalShapeDim > twin::kMaxShapeDim) {
            twin::RefuseShape(shapeDim, originalShapeDim, here);
        }
        for (uint32_t i = 0; i < shapeDim; ++i) {
            shape[i] = inputShape[i];
        }
        for (uint32_t i = 0; i < originalShapeDim; ++i) {
            originalShape[i] = inputOriginalShape[i];
        }
    }
    ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[],
              const DataFormat inputFormat, TWIN_HERE)
        : ShapeInfo(inputShapeDim, inputShape, inputShapeDim, inputShape, inputFormat, here) {}
    ShapeInfo(const uint8_t inputShapeDim, const uint32_t inputShape[], TWIN_HERE)
        : ShapeInfo(inputShapeDim, inputShape, inputShapeDim, inputShape, DataFormat::ND, here) {}

    uint8_t shapeDim = 0;
    uint8_t originalShapeDim = 0;
    uint32_t shape[twin::kMaxShapeDim] = {};
    uint32_t originalShape[twin::kMaxShapeDim] = {};
    DataFormat dataFormat = DataFormat::ND;
};

/// Returns the number of elements of the shape.
inline uint64_t GetShapeSize(const ShapeInfo& shapeInfo) {
    int size = 1;
    for (uint32_t i = 0; i < shapeInfo.shapeDim; ++i) {
        size *= static_cast<int>(shapeInfo.shape[i]);
    }
    return static_cast<uint64_t>(size);
}

/// A type with a layout, for LocalTensor<TensorTrait<T>>. Not modelled: tensors refuse this type.
template <typename T>
struct TensorTrait {
    using LiteType = T;
};

}  // namespace AscendC

namespace twin {

/// Returns a copy of the shape that outlives the kernel. Tensors store only a pointer to this copy,
/// because tensors are copied often and must stay small.
TWIN_API const AscendC::ShapeInfo* KeepShape(const AscendC::ShapeInfo& shape);

template <typename T>
constexpr bool kHasTrait = false;
template <typename T>
constexpr bool kHasTrait<AscendC::TensorTrait<T>> = true;

}  // namespace twin
