// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/types.h"
#include "device/issue/operand.h"

namespace twin {

/// Strict mode refuses a subscript that no tensor has and that does not fit 32 bits.
TWIN_API void RefuseOffset(int64_t number, Location where);

/// Subscript of a view. Operators have no further parameter, so the conversion from the number adds
/// the place in the source.
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

/// Scalar access to a local tensor: [address, address+bytes) as a host pointer, checked and
/// recorded.
TWIN_API void* LocalScalar(const Operand& operand, uint32_t bytes, bool write, Opcode opcode,
                           Location where);
/// Host pointer of a local tensor, for code that asks for the physical address.
TWIN_API void* LocalPointer(const Operand& operand);
/// Scalar read of global memory.
TWIN_API const void* GmScalar(const GmOperand& operand, uint32_t bytes, const char* api,
                              Location where);
/// Scalar write of global memory: into the data cache, not into memory.
TWIN_API void GmScalarWrite(const GmOperand& operand, const void* value, uint32_t bytes,
                            const char* api, Location where);
/// Writes the data cache's line of `operand`, or all lines, back and drops them.
TWIN_API void CleanDataCache(const GmOperand& operand, bool entire, Location where);
/// A tensor at an address that the kernel chooses: checks that it lies in the unified buffer, at a
/// multiple of 32 B.
TWIN_API void CheckStaticTensor(const Operand& operand, Location where);
/// Registers such a tensor as a buffer for records and errors.
TWIN_API void RegisterStaticTensor(const Operand& operand);
/// The user's number of a queue's buffer.
TWIN_API int32_t& BufferTag(uint8_t* handle);
TWIN_API void PrintTensor(const Operand& operand, uint32_t count, Dtype dtype, Location where);
TWIN_API int32_t WriteTensor(const Operand& operand, const std::string& file, Location where);
/// Strict mode refuses a view that starts beyond the end of its tensor.
TWIN_API void RefuseView(const Operand& operand, uint64_t offsetBytes, Location where);
/// Refuses a view of int4b_t that starts in the middle of a byte.
TWIN_API void RefuseOddView(uint32_t offset, Location where);

/// The text of one element for DumpTensor and Print: reals with six decimals.
std::string ElementText(Dtype dtype, const uint8_t* from);

}  // namespace twin
