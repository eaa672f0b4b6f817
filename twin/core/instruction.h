// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "core/atomics.h"
#include "core/byte_range.h"
#include "core/opcodes.h"
#include "core/types.h"

namespace twin {

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

    bool operator==(const CallShape& other) const { return Fields() == other.Fields(); }

private:
    std::tuple<uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t> Fields()
        const {
        return {scratch, form, rows, columns, valid, once, level};
    }
};

struct LibraryCall;

/// The kinds of records: what a record says beside its head.
namespace record {

/// Works in its pipe: computes, copies, sets registers.
struct Work {
    MarkMover follow;  ///< of what moves, or multiplies, bytes of the cube
};

/// An access of the scalar unit to global memory.
struct GmScalar {
    uint64_t value = 0;  ///< what it has read or written
    bool pastCache = false;
};

/// Sets a flag between two pipes of a core, or waits for it.
struct Flag {
    int8_t event = -1;  ///< HardEvent
    int8_t id = -1;
    bool set = false;
    QueueEvent cause = QueueEvent::None;
    int16_t queue = -1;  ///< whose operation issued it
    int16_t slot = -1;
};

/// Sets a flag between cores, or waits for it.
struct CrossFlag {
    int8_t id = -1;
    int8_t mode = -1;  ///< of a set

    bool Waits() const { return mode < 0; }
};

/// Nothing behind it in its pipe, or in any pipe, begins before all before it has ended.
struct Barrier {};

/// DataCacheCleanAndInvalid.
struct CacheClean {
    uint64_t line = 0;  ///< device address; 0: all lines
};

/// A step of a library call that synchronises cores.
struct Meeting {
    CoreSync sync;
};

/// A library call that is one record.
struct Call {
    const LibraryCall* library = nullptr;  ///< says its steps: core/library_steps.h
    const CallShape* shape = nullptr;      ///< while it is recorded
};

}  // namespace record

/// What one Ascend C call put into one pipe: a head that all records have, and the rest by its
/// kind. Made by Issue alone. Observers visit the kind, or ask for the one that they look for:
///
///     if (const auto* flag = record.As<record::Flag>()) { ... flag->event ... }
struct Instruction {
    using Kind = std::variant<record::Work, record::GmScalar, record::Flag, record::CrossFlag,
                              record::Barrier, record::CacheClean, record::Meeting, record::Call>;

    uint64_t sequence = 0;  ///< program order on its core
    uint32_t block = 0;
    uint8_t subBlock = 0;
    CoreKind core = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    ElementType dtype;
    Opcode opcode = Opcode::None;
    Opcode call = Opcode::None;  ///< the library call that this is a step of
    uint32_t repeats = 0;
    uint64_t callBegin = 0;  ///< sequence of the first step of that call
    uint64_t elements = 0;
    std::vector<ByteRange> ranges;  ///< exact: nothing is widened to its span
    RegisterSet reads;
    RegisterSet writes;
    AtomicOp atomic = AtomicOp::None;  ///< of copies to GM; of SetAtomic the mode that it sets
    bool pastL2 = false;               ///< of a copy whose tensor has CACHE_MODE_DISABLE
    bool movedByCaller = false;        ///< its bytes are moved before or after it is recorded
    Kind kind;
    Location where;

    /// What it is if it is of that kind, else nullptr.
    template <typename T>
    const T* As() const {
        return std::get_if<T>(&kind);
    }
    /// What a step of a library call that synchronises cores does; None for all others.
    CoreSync::What Syncs() const {
        const auto* const meeting = As<record::Meeting>();
        return meeting == nullptr ? CoreSync::What::None : meeting->sync.what;
    }
};

TWIN_API const char* Name(QueueEvent event);
TWIN_API const char* Name(Register which);

}  // namespace twin
