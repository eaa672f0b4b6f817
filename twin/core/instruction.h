// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "core/byte_marks.h"
#include "core/byte_range.h"
#include "core/element_order.h"
#include "core/opcodes.h"
#include "core/scalar_work.h"
#include "core/types.h"

namespace twin {

/// State that instructions read or write, except bytes of memories.
enum class Register : uint8_t {
    Mask,         ///< vector mask and its mode
    Ctrl,         ///< control register CTRL: saturation, HF32, order of fractals
    CmpMask,      ///< CMPMASK: result of Compare, selection mask of Select
    GatherKept,   ///< RSVD_CNT: number of elements that GatherMask has kept
    Sum,          ///< ACC_VAL: sum of a reduction
    Best,         ///< MAX_MIN_CNT: maximum or minimum of a reduction, and its index
    Merged,       ///< VMS4_SR: number of pairs that a merge took from each list
    DeqScale,     ///< scale of SetDeqScale, for casts
    PadValue,     ///< value with which copies and image-to-column loads pad
    Atomic,       ///< atomic mode and type of copies to GM
    FeatureMap,   ///< feature map of image-to-column loads
    LoadRepeat,   ///< repeat and boundary of image-to-column loads
    Fixpipe,      ///< ND parameters and quantisation of copies out of L0C
    UnitFlags,    ///< unit flags of L0C
    SparseIndex,  ///< index memory of sparse matrix products
    DataCache     ///< data cache of the scalar unit
};
constexpr uint32_t kRegisters = 16;

class RegisterSet {
public:
    void Add(Register which) { bits_ |= Bit(which); }
    bool Has(Register which) const { return (bits_ & Bit(which)) != 0; }

private:
    static uint32_t Bit(Register which) { return 1U << static_cast<uint32_t>(which); }
    uint32_t bits_ = 0;
};

/// How an instruction of a library call synchronises cores, if not by a flag between cores.
struct CoreSync {
    enum class What : uint8_t {
        None,
        Inside,   ///< the instruction is part of a call that orders its own accesses
        Release,  ///< the core tells others that all its earlier instructions have ended
        Acquire,  ///< the core waits for releases of other cores
        Meet,     ///< a Release by the core, and an Acquire of the Releases of the other cores
    };
    /// How to compute the number of the release that the core waits for. The first release is 0.
    enum class Round : uint8_t {
        Fixed,  ///< the number is `round`
        /// The number is n - round; n counts the core's releases so far. Below 0: no wait.
        Own,
        /// The number is n - round; n counts the waits at `object` so far. Below 0: no wait.
        Next,
    };
    What what = What::None;
    Round which = Round::Fixed;
    uint32_t member = 0;  ///< number that the releasing core has at `object`
    uint32_t first = 0;   ///< number of the first core whose release the core waits for
    uint32_t count = 0;
    uint32_t round = 0;
    uint64_t object = 0;  ///< number of the object at which the cores synchronise
    // The next fields are for requests to the Matmul server, which runs on a cube core.
    uint8_t client = 0;  ///< number of the vector core that makes the request, from 1; 0: none
    /// Each of two vector cores makes one request of a pair. True: this request is the second one.
    bool follows = false;
    uint32_t pairRound = 0;  ///< number of earlier pairs for the same Matmul object
    /// Object at which the two requests of a pair synchronise; 0: the request has no partner.
    uint64_t pair = 0;
};

/// Besides the operands, these values decide which instructions a library call consists of.
struct CallShape {
    uint64_t scratch = 0;  ///< bytes of the call's temporary buffer
    uint32_t form = 0;     ///< bits for the variant of the call, such as template arguments
    uint32_t rows = 0;
    uint32_t columns = 0;  ///< number of elements of a row, with padding
    uint32_t valid = 0;    ///< elements per row without padding; broadcast: elements of the source
    uint32_t once = 0;     ///< number of rows that the call computes at a time
    uint32_t level = 0;    ///< number of terms of a series; axis of a broadcast

    bool operator==(const CallShape& other) const { return Fields() == other.Fields(); }

private:
    std::tuple<uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t> Fields()
        const {
        return {scratch, form, rows, columns, valid, once, level};
    }
};

struct LibraryCall;

/// The kinds of instruction records. Each struct has the data that only its kind of record has.
namespace record {

/// An instruction that computes, copies, or sets registers.
struct Work {};

/// An access of the scalar unit to global memory.
struct GmScalar {
    uint64_t value = 0;  ///< value that the scalar unit has read or written
    bool pastCache = false;
    bool preload = false;  ///< only loads the line into the data cache
};

/// A set of a flag between two pipes of a core, or a wait for the flag.
struct Flag {
    int8_t event = -1;  ///< number of the HardEvent
    int8_t id = -1;
    bool set = false;
    QueueEvent cause = QueueEvent::None;
    int16_t queue = -1;  ///< queue whose operation has issued the flag; -1: none
    int16_t slot = -1;
};

/// A set of a flag between cores, or a wait for the flag.
struct CrossFlag {
    int8_t id = -1;
    int8_t mode = -1;  ///< mode of a set; negative: the record is a wait

    bool Waits() const { return mode < 0; }
};

/// A barrier of one pipe or of all pipes: later instructions begin after all earlier ones have
/// ended.
struct Barrier {};

/// A DataCacheCleanAndInvalid.
struct CacheClean {
    uint64_t line = 0;  ///< device address of the line; 0: all lines
};

/// An instruction by which a library call synchronises cores.
struct Meeting {
    CoreSync sync;
};

/// A library call that has one record for all its instructions.
struct Call {
    const LibraryCall* library = nullptr;  ///< description that can list the instructions
    const CallShape* shape = nullptr;      ///< shape of the call; valid while the call is recorded
};

}  // namespace record

/// A record of what one Ascend C call has issued to one pipe. It has the fields below, and further
/// data in `kind`. The class `Issue` creates the records of a kernel. Code that reads a record
/// calls std::visit on `kind`, or As() if only one kind matters:
///
///     if (const auto* flag = record.As<record::Flag>()) { ... flag->event ... }
struct Instruction {
    using Kind = std::variant<record::Work, record::GmScalar, record::Flag, record::CrossFlag,
                              record::Barrier, record::CacheClean, record::Meeting, record::Call>;

    uint64_t sequence = 0;  ///< number in the program order of its core
    uint32_t block = 0;
    uint8_t subBlock = 0;
    CoreKind core = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    ElementType dtype;
    Opcode opcode = Opcode::None;
    Opcode call = Opcode::None;  ///< library call that has issued this instruction
    uint32_t repeats = 0;
    uint64_t callBegin = 0;  ///< `sequence` of the library call's first instruction
    uint64_t elements = 0;
    std::vector<ByteRange> ranges;  ///< bytes of the operands, without the gaps between runs
    RegisterSet reads;
    RegisterSet writes;
    /// Atomic mode of a copy to GM, or the mode that SetAtomic sets.
    AtomicOp atomic = AtomicOp::None;
    bool pastL2 = false;         ///< the copy's tensor has CACHE_MODE_DISABLE
    bool movedByCaller = false;  ///< the caller of `Issue` moves the bytes itself, earlier or later
    /// Moves the ByteMarks in the same way as the instruction moves or multiplies the bytes. Null
    /// for most instructions of the vector unit.
    MarkMover follow;
    /// Lists which element of each operand has which index. A vector instruction that works element
    /// by element computes the result with an index from the source elements with this index.
    OperandOrders orders;
    const ActiveElements* active = nullptr;  ///< indices in use; null: all indices
    Kind kind;
    Location where;
    /// Work of the scalar unit in the kernel's own code, from the core's previous record to this
    /// one.
    ScalarWork scalarWork;

    /// Returns the data of kind T; nullptr if the record has another kind.
    template <typename T>
    const T* As() const {
        return std::get_if<T>(&kind);
    }
    /// Returns how an instruction of a library call synchronises cores; None for other records.
    CoreSync::What Syncs() const {
        const auto* const meeting = As<record::Meeting>();
        return meeting == nullptr ? CoreSync::What::None : meeting->sync.what;
    }
};

TWIN_API const char* Name(Register which);

}  // namespace twin
