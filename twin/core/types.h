// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/export.h"

#define TWIN_HERE ::twin::Location here = ::twin::Location::Here()

// The HardEvents of the API: the pipe that sets the flag, the pipe that waits for it, and whether
// vector cores have the event. Source: the enumeration in the device headers of CANN 8.1.RC1.
// clang-format off
#define TWIN_HARD_EVENTS(EVENT) \
    EVENT(MTE2_MTE1, Mte2, Mte1, false) EVENT(MTE1_MTE2, Mte1, Mte2, false) \
    EVENT(MTE1_M, Mte1, M, false) EVENT(M_MTE1, M, Mte1, false) EVENT(MTE2_V, Mte2, V, true) \
    EVENT(V_MTE2, V, Mte2, true) EVENT(MTE3_V, Mte3, V, true) EVENT(V_MTE3, V, Mte3, true) \
    EVENT(M_V, M, V, false) EVENT(V_M, V, M, false) EVENT(V_V, V, V, true) \
    EVENT(MTE3_MTE1, Mte3, Mte1, false) EVENT(MTE1_MTE3, Mte1, Mte3, false) \
    EVENT(MTE1_V, Mte1, V, false) EVENT(MTE2_M, Mte2, M, false) EVENT(M_MTE2, M, Mte2, false) \
    EVENT(V_MTE1, V, Mte1, false) EVENT(M_FIX, M, Fix, false) EVENT(FIX_M, Fix, M, false) \
    EVENT(MTE3_MTE2, Mte3, Mte2, true) EVENT(MTE2_MTE3, Mte2, Mte3, true) EVENT(S_V, S, V, true) \
    EVENT(V_S, V, S, true) EVENT(S_MTE2, S, Mte2, true) EVENT(MTE2_S, Mte2, S, true) \
    EVENT(S_MTE3, S, Mte3, true) EVENT(MTE3_S, Mte3, S, true) EVENT(MTE2_FIX, Mte2, Fix, false) \
    EVENT(FIX_MTE2, Fix, Mte2, false) EVENT(FIX_S, Fix, S, false) EVENT(M_S, M, S, false) \
    EVENT(FIX_MTE3, Fix, Mte3, false) EVENT(MTE1_FIX, Mte1, Fix, false) \
    EVENT(FIX_MTE1, Fix, Mte1, false) EVENT(FIX_FIX, Fix, Fix, false)
// clang-format on

namespace twin {

enum class Memory : uint8_t { Gm, Ub, L1, L0a, L0b, L0c, Bt, Fb };
constexpr uint32_t kMemories = 8;
using MemorySizes = std::array<uint64_t, kMemories>;  ///< indexed by Memory
enum class Pipe : uint8_t { S = 0, V = 1, M = 2, Mte1 = 3, Mte2 = 4, Mte3 = 5, All = 6, Fix = 10 };
enum class CoreKind : uint8_t { Aic, Aiv };

/// Element types of tensors in instructions and records.
enum class Dtype : uint8_t { F16, Bf16, F32, I8, U8, I16, U16, I32, U32, I64, U64, I4, F64, Bool };
constexpr uint32_t kDtypeCount = 14;

enum class AtomicOp : uint8_t { None, Add, Max, Min };
/// The queue operation for which the library has issued a flag.
enum class QueueEvent : uint8_t { None, Alloc, EnQue, DeQue, Free, Drain };

constexpr uint32_t kBlockBytes = 32;    ///< bytes of a DataBlock, the unit of UB addresses
constexpr uint32_t kRepeatBytes = 256;  ///< bytes of one repeat of a vector instruction
constexpr uint32_t kMaxRepeat = 255;

TWIN_API const char* Name(Memory memory);
TWIN_API const char* Name(Pipe pipe);
TWIN_API const char* Name(CoreKind kind);
TWIN_API const char* Name(Dtype dtype);
/// Returns the name of NumPy's dtype, such as "float16".
TWIN_API const char* NumpyName(Dtype dtype);
TWIN_API const char* Name(AtomicOp op);
TWIN_API const char* Name(QueueEvent event);
/// Returns the size of one element in bytes; 0 for I4, whose elements have 4 bits.
TWIN_API uint32_t SizeOf(Dtype dtype);

/// The source location of an Ascend C call in the kernel. API functions have it as their last
/// parameter, with a default argument that the compiler computes at the call.
struct Location {
    const char* file = "";
    const char* function = "";
    uint32_t line = 0;

    static constexpr Location Here(const char* file = __builtin_FILE(),
                                   const char* function = __builtin_FUNCTION(),
                                   uint32_t line = __builtin_LINE()) {
        return Location{file, function, line};
    }
};

/// Returns the location of the call. Macros of the API call this function, because all names in
/// their expansions begin with twin, Twin or TWIN. A kernel may have a macro `Here` or `Location`.
constexpr Location TwinHere(TWIN_HERE) { return here; }

/// The data of a hard event: one row of TWIN_HARD_EVENTS.
struct HardEventInfo {
    const char* name;
    Pipe source;
    Pipe destination;
    bool onAiv;
};

TWIN_API const HardEventInfo& EventInfo(uint32_t hardEvent);

/// A buffer in local memory. InitBuffer creates it; outputs and error messages name it.
struct BufferRecord {
    Memory memory;
    uint32_t begin;
    uint32_t bytes;
    int16_t queue;     ///< number of the queue or buffer, in order of InitBuffer
    int16_t slot;      ///< number of the buffer in its queue
    const char* kind;  ///< kind of the owner: "VECIN", "VECOUT", "TBuf" or "LocalTensor"
    Location where;    ///< source location of the InitBuffer call
};

/// The creation or the removal of a buffer. Buffers are removed by Reset, by the end of their TPipe
/// or pool, and by the start of a new TPipe.
struct BufferEvent {
    const BufferRecord& buffer;
    bool made;          ///< true: the buffer is created; false: it is removed
    uint64_t sequence;  ///< number of the core's next instruction
    Location where;     ///< source location of the call
};

/// How a launch with an error ends for its caller: with the status of a core exception, with the
/// status of a core timeout, or rejected before it starts.
enum class Ends : uint8_t { Exception, Timeout, Refused };

struct ErrorCode {
    char code[5];
    Ends ends;
};

/// The error codes of twin/errors.toml, in ascending order.
extern const ErrorCode kErrorCodes[];
extern const size_t kErrorCodeCount;

/// Returns how a launch with this error message ends; the message starts with an error code.
Ends HowItEnds(const char* message);

}  // namespace twin
