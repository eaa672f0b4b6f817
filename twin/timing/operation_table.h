// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/observer.h"
#include "timing/event_queue.h"
#include "timing/startup.h"

namespace twin::timing {

/// How the timing model executes an instruction.
enum class Act : uint8_t {
    Work,      ///< occupies its pipe for `head` and `work`
    Gm,        ///< moves bytes between GM and the core
    Scalar,    ///< an instruction of the scalar unit
    ScalarGm,  ///< an access of the scalar unit through its data cache
    SetFlag,   ///< sets a flag when all earlier instructions of the pipe are done
    WaitFlag,
    Barrier,  ///< barrier of one pipe
    BarrierAll,
    CrossSet,
    CrossWait,
    SyncAll,
    Tell,     ///< sends a message to another core after the earlier instructions in `queue`
    Preload,  ///< requests code for the instruction cache
};

/// Bytes of GM that an instruction accesses. Their addresses are in Program::code.
struct GmAccess {
    Runs runs;
    bool write = false;
    bool pastL2 = false;
    bool atomic = false;
};

/// An instruction of a launch; equal instructions share one object. The members that every
/// simulated step reads come first, in one cache line of the host.
struct alignas(64) Operation {
    Act act = Act::Work;
    uint8_t pipe = 0;
    uint8_t queue = 0;  ///< pipe whose queue has the instruction; differs from `pipe` for Act::Tell
    int8_t event = -1;  ///< HardEvent of a flag
    int8_t id = -1;     ///< id of a flag
    int8_t mode = -1;   ///< mode of a cross-core flag
    bool unitFlag = false;
    bool held = false;                ///< the scalar unit waits until the instruction has ended
    CoreSync::What sync{};            ///< how a library call synchronises cores
    Startup startup = Startup::None;  ///< the term of a launch's start that this is part of
    uint16_t code = 0;                ///< bytes of the kernel's code at `place`
    uint32_t accesses = 0;            ///< number of accesses to GM
    uint32_t access = 0;              ///< index of the first access in OperationTable::accesses
    uint32_t place = 0;  ///< number of the place in the code: opcode, call and source line
    Ticks issue = 0;     ///< ticks in which the scalar unit issues the instruction
    Ticks head = 0;      ///< constant ticks of the pipe before the work
    Ticks work = 0;      ///< ticks of the pipe for the data, with bank conflicts
    Ticks tail = 0;      ///< ticks from the end of the work to the result
    Ticks conflicts = 0;
    Ticks port = 0;        ///< for a copy: least ticks in the core's port
    Ticks row = 0;         ///< for a copy: additional ticks for each run
    Ticks after = 0;       ///< with `held`: ticks until the scalar unit has seen the end
    Ticks period = 0;      ///< for a wait for other cores: ticks from poll to poll
    uint32_t count = 0;    ///< number of cores that meet in a SyncAll, or of units in a Preload
    uint32_t syncAt = 0;   ///< index in OperationTable::syncs
    uint32_t operand = 0;  ///< index of the first operand in OperationTable::operands
    uint32_t operands = 0;
};

/// Where the cost of an instruction comes from.
enum class Basis : uint8_t {
    Table,
    Formula,  ///< a library call whose steps are not listed
    Guess     ///< the cost table has no row for the instruction
};

/// Data of an operation that a profile shows to the user.
struct Description {
    Opcode opcode;
    Opcode call;
    ElementType dtype;
    uint8_t pipe;
    Location where;
    Basis basis = Basis::Table;
};

/// The properties that decide cost and name of an instruction, as 64-bit words. All instructions
/// with equal keys are one operation.
struct OperationKey {
    const uint64_t* words;
    size_t count;
    uint64_t hash;  ///< hash of the words
};

/// The different instructions of a launch. Cores issue mostly the same instructions, so the cost of
/// each is computed once. A search for a known instruction takes no lock.
class OperationTable {
public:
    OperationTable();

    /// Returns the number of the operation with this key, which must be the key of `instruction`.
    /// If the table has no such operation, adds it. Any thread may call this.
    uint32_t NumberOf(const OperationKey& key, const Instruction& instruction) {
        const Node* const found = Find(*slots_.load(std::memory_order_acquire), key);
        return found != nullptr ? found->number : Add(key, instruction);
    }

    // The following members are read after all cores have ended.
    std::vector<Operation> operations;
    std::vector<GmAccess> accesses;
    std::vector<Description> descriptions;  ///< name and source line of each operation
    std::vector<ByteRange> operands;        ///< operands; the addresses in GM are not used
    std::vector<CoreSync> syncs;
    uint32_t places() const { return static_cast<uint32_t>(places_.size()); }

private:
    /// An entry of the table; the words of its key follow it in memory.
    struct Node {
        uint64_t hash;
        uint32_t number;
        uint32_t count;
        const uint64_t* words() const { return reinterpret_cast<const uint64_t*>(this + 1); }
    };
    /// A hash table with open addressing.
    using Slots = std::vector<std::atomic<const Node*>>;

    static const Node* Find(const Slots& slots, const OperationKey& key);
    static void Place(Slots& slots, const Node& node);
    uint32_t Add(const OperationKey& key, const Instruction& instruction);
    uint32_t PlaceOf(const Instruction& instruction);
    void Keep(const OperationKey& key);
    void Grow();

    std::mutex mutex_;  ///< held by a thread that adds an entry
    std::vector<const Node*> nodes_;
    std::vector<std::unique_ptr<uint64_t[]>> memory_;  ///< memory of the entries
    std::vector<std::unique_ptr<Slots>> all_;  ///< all tables; threads may still read earlier ones
    std::atomic<const Slots*> slots_;
    std::map<std::tuple<Opcode, Opcode, const char*, uint32_t>, uint32_t> places_;
};

/// Returns the time that the scalar unit takes for operations of the kernel's own code.
Ticks PriceOf(const ScalarWork& work);

/// Sets the costs of `instruction` on its own core, and the basis of these costs.
void SetCosts(const Instruction& instruction, Operation* operation, Basis* basis);

}  // namespace twin::timing
