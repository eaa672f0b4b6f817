// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_INSTRUCTION_H
#define TWIN_CORE_INSTRUCTION_H

#include <cstdint>
#include <vector>

#include "core/byte_marks.h"
#include "core/location.h"
#include "core/types.h"

namespace twin {

struct LibraryCall;

/// One dimension of a strided access: `count` places, `stride` bytes apart.
struct Level {
    uint64_t count = 1;
    uint64_t stride = 0;

    uint64_t Span() const { return count == 0 ? 0 : (count - 1) * stride; }
};

/// Bytes from an operand's start on: `bytes` at every place of `block` (inside a repeat) and
/// `repeat`. A contiguous run that the hardware works off in repeats says in `pace` how many bytes
/// each of them takes; 0: all at once.
struct Runs {
    uint64_t bytes = 0;
    Level block;
    Level repeat;
    uint64_t pace = 0;

    Runs() = default;
    constexpr explicit Runs(uint64_t bytes, Level block = {}, Level repeat = {})
        : bytes(bytes), block(block), repeat(repeat) {}

    uint64_t TotalBytes() const { return bytes * block.count * repeat.count; }
    uint64_t Span() const { return TotalBytes() == 0 ? 0 : repeat.Span() + block.Span() + bytes; }
};

/// Element type of an instruction; copies, flags and barriers have none.
class ElementType {
public:
    ElementType& operator=(Dtype dtype) {
        dtype_ = static_cast<int8_t>(dtype);
        return *this;
    }
    bool Known() const { return dtype_ >= 0; }
    /// Of a known type.
    Dtype Value() const { return static_cast<Dtype>(dtype_); }
    const char* Text() const { return Known() ? Name(Value()) : ""; }

private:
    int8_t dtype_ = -1;
};

/// Bytes that an instruction touches. In GM `begin` is a host address until the record is made,
/// then a modelled device address; in local memory it is an offset.
struct ByteRange {
    const char* operand = "";  ///< its name in the API
    Memory memory = Memory::Ub;
    bool write = false;
    bool filler = false;  ///< written, but with nothing that was asked for (DataCopyPad's tail)
    ElementType type;     ///< of its elements, where it is known
    uint64_t begin = 0;
    Runs runs;
    int16_t queue = -1;  ///< queue or buffer that owns the range, in order of InitBuffer; -1: none
    int16_t slot = -1;   ///< buffer inside the queue
};

/// What an instruction depends on, or leaves behind, besides bytes in memories.
enum class Register : uint8_t {
    Mask,         ///< vector mask and its mode
    Ctrl,         ///< CTRL: saturation, HF32, order of fractals
    CmpMask,      ///< CMPMASK
    GatherKept,   ///< RSVD_CNT
    Sum,          ///< ACC_VAL
    Best,         ///< MAX_MIN_CNT
    Merged,       ///< VMS4_SR
    DeqScale,     ///< of casts with a scale
    PadValue,     ///< of copies and of image-to-column loads
    Atomic,       ///< mode and type of copies to GM
    FeatureMap,   ///< of image-to-column loads
    LoadRepeat,   ///< repeat and boundary of image-to-column loads
    Fixpipe,      ///< matrices, quantisation word and address of copies out of L0C
    UnitFlags,    ///< of L0C
    SparseIndex,  ///< beside L0B
    DataCache     ///< of the scalar unit
};
constexpr uint32_t kRegisters = 16;

/// A set of registers.
class RegisterSet {
public:
    void Add(Register which) { bits_ |= Bit(which); }
    bool Has(Register which) const { return (bits_ & Bit(which)) != 0; }

private:
    static uint32_t Bit(Register which) { return 1U << static_cast<uint32_t>(which); }
    uint32_t bits_ = 0;
};

/// Which queue operation made the library issue a flag.
enum class QueueEvent : uint8_t { None, Alloc, EnQue, DeQue, Free, Drain };

/// What a library call that synchronises cores does besides flags between cores.
struct CoreSync {
    enum class What : uint8_t {
        None,
        Inside,   ///< a step of such a call: what it touches is the library's business
        Release,  ///< tells others that everything the core has issued before has ended
        Acquire,  ///< waits for such releases
        Meet,     ///< releases, and waits for the others' releases
    };
    /// Which release of each member is waited for.
    enum class Round : uint8_t {
        Fixed,  ///< number `round`, from 0
        Own,    ///< the one that is `round` before the core's own next one; before the first: none
        Next,   ///< the first that nobody has waited for; the first `round` waits need none
    };
    What what = What::None;
    Round which = Round::Fixed;
    uint32_t member = 0;  ///< who releases
    uint32_t first = 0;   ///< whose releases are waited for
    uint32_t count = 0;
    uint32_t round = 0;
    uint64_t object = 0;  ///< what they meet at
    // Of cores that ask a server, and of the server.
    uint8_t client = 0;      ///< for whom it works until it answers, from 1
    bool follows = false;    ///< of two requests that are one: it waits for the other one's work
    uint32_t pairRound = 0;  ///< its number among such requests, from 0
    uint64_t pair = 0;       ///< what the two meet at; 0: the request stands alone
};

/// What the steps of a library call that is one record depend on beside its operands.
struct CallShape {
    uint64_t scratch = 0;  ///< bytes of its temporary buffer
    uint32_t form = 0;     ///< bits that stand for its template arguments
    uint32_t rows = 0;
    uint32_t columns = 0;  ///< of a row, padding included
    uint32_t valid = 0;    ///< of those
    uint32_t once = 0;     ///< rows that it takes together
    uint32_t level = 0;    ///< terms of a series
};

/// What one Ascend C call put into one pipe: everything that observers need. Made by Issue alone.
struct Instruction {
    uint64_t sequence = 0;  ///< program order on its core
    uint32_t block = 0;
    uint8_t subBlock = 0;
    CoreKind core = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    const char* opcode = "";
    ElementType dtype;
    uint32_t repeats = 0;
    uint64_t elements = 0;
    std::vector<ByteRange> ranges;  ///< exact: nothing is widened to its span
    RegisterSet reads;
    RegisterSet writes;
    int8_t flagEvent = -1;  ///< HardEvent of a SetFlag or WaitFlag, else -1
    int8_t flagId = -1;
    bool flagSet = false;
    int8_t crossFlagId = -1;    ///< of a flag between cores, else -1
    int8_t crossFlagMode = -1;  ///< of its set
    QueueEvent queueEvent = QueueEvent::None;
    // Of few calls, which set them themselves before the record is made.
    int16_t queue = -1;  ///< whose operation issued the flag
    int16_t slot = -1;
    uint64_t line = 0;    ///< device address of what DataCacheCleanAndInvalid writes back; 0: all
    uint64_t scalar = 0;  ///< what a scalar access to GM has read or written
    CoreSync sync;
    const char* atomic = "";     ///< of a copy to GM: "add", "max", "min"
    bool movedByCaller = false;  ///< its bytes are moved before or after it is recorded
    bool pastL2 = false;         ///< of a copy whose tensor has CACHE_MODE_DISABLE
    /// The library call that this is a step of, and its first step's sequence; "": none.
    const char* call = "";
    uint64_t callBegin = 0;
    const LibraryCall* library = nullptr;  ///< of a library call that is this one record
    const CallShape* shape = nullptr;      ///< of the same, while it is recorded
    MarkMover follow;                      ///< of what moves, or multiplies, bytes of the cube
    Location where;
};

TWIN_API const char* Name(QueueEvent event);
TWIN_API const char* Name(Register which);

}  // namespace twin

#endif  // TWIN_CORE_INSTRUCTION_H
