// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_TYPES_H
#define TWIN_CORE_TYPES_H

#include <array>
#include <cstdint>

#include "core/export.h"

namespace twin {

enum class Memory : uint8_t { Gm, Ub, L1, L0a, L0b, L0c, Bt, Fb };
constexpr uint32_t kMemories = 8;
using MemorySizes = std::array<uint64_t, kMemories>;  ///< indexed by Memory
enum class Pipe : uint8_t { S = 0, V = 1, M = 2, Mte1 = 3, Mte2 = 4, Mte3 = 5, All = 6, Fix = 10 };
enum class CoreKind : uint8_t { Aic, Aiv };

/// Element types that vector instructions know, as the lanes and the records name them.
enum class Dtype : uint8_t { F16, Bf16, F32, I8, U8, I16, U16, I32, U32, I64, U64, I4, F64, Bool };
constexpr uint32_t kDtypeCount = 14;

constexpr uint32_t kBlockBytes = 32;    ///< DataBlock: unit of addresses in the unified buffer
constexpr uint32_t kRepeatBytes = 256;  ///< bytes of one repeat of a vector instruction
constexpr uint32_t kMaxRepeat = 255;

TWIN_API const char* Name(Memory memory);
TWIN_API const char* Name(Pipe pipe);
TWIN_API const char* Name(CoreKind kind);
TWIN_API const char* Name(Dtype dtype);
/// Bytes of one element; 0 for I4, which has half a byte.
TWIN_API uint32_t SizeOf(Dtype dtype);

}  // namespace twin

#endif  // TWIN_CORE_TYPES_H
