// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/observer.h"
#include "timing/event_queue.h"

namespace twin::timing {

/// What the model does with an instruction.
enum class Act : uint8_t {
    Work,      ///< head, work and tail in its pipe
    Gm,        ///< moves bytes between GM and the core
    Scalar,    ///< of the scalar unit
    ScalarGm,  ///< the same, through its data cache
    SetFlag,   ///< once everything before it in the pipe is done
    WaitFlag,
    Barrier,  ///< of one pipe
    BarrierAll,
    CrossSet,
    CrossWait,
    SyncAll,
    Tell,  ///< a message to another core, behind what its queue has done
};

/// Bytes of GM that an instruction touches; where they begin stands in the program's code.
struct GmAccess {
    Runs runs;
    bool write = false;
    bool pastL2 = false;
    bool atomic = false;
};

/// One of the different instructions of a launch. What every step looks at comes first, in one line
/// of the host's cache.
struct alignas(64) Operation {
    Act act = Act::Work;
    uint8_t pipe = 0;
    uint8_t queue = 0;  ///< where it waits for its turn; that of its pipe but for messages
    int8_t event = -1;  ///< of a flag
    int8_t id = -1;     ///< of a flag
    int8_t mode = -1;   ///< of a flag between cores
    bool unitFlag = false;
    bool held = false;      ///< the scalar unit goes on when it has ended
    CoreSync::What sync{};  ///< of a library call that synchronises cores
    uint32_t accesses = 0;  ///< so many GmAccess
    uint32_t access = 0;    ///< the first of them
    Ticks issue = 0;        ///< of the scalar unit
    Ticks head = 0;         ///< until the pipe takes the next instruction, without its work
    Ticks work = 0;         ///< conflicts included
    Ticks tail = 0;         ///< from there to the result
    Ticks conflicts = 0;
    Ticks port = 0;        ///< of a copy: the least it takes the core's side
    Ticks row = 0;         ///< beside that for each of its runs
    Ticks after = 0;       ///< of one that is held: until the scalar unit has looked at it
    Ticks period = 0;      ///< of one that waits for other cores: from look to look
    uint32_t cores = 0;    ///< that meet in a SyncAll
    uint32_t syncAt = 0;   ///< the rest of a library call's, in the table's list
    uint32_t operand = 0;  ///< first of its operands
    uint32_t operands = 0;
};

/// Where the cost of an instruction comes from.
enum class Basis : uint8_t {
    Table,
    Formula,  ///< a library call whose steps are not listed
    Guess     ///< no row names it
};

/// How a profile names an operation.
struct Description {
    Opcode opcode;
    Opcode call;
    ElementType dtype;
    uint8_t pipe;
    Location where;
    Basis basis = Basis::Table;
};

/// What two instructions have in common that cost the same and are named alike, as words.
struct OperationKey {
    const uint64_t* words;
    size_t count;
    uint64_t hash;  ///< of the words
};

/// The different instructions of a launch: its cores issue much the same ones, and each is worked
/// out and kept once. Whoever looks for one that is there takes no lock.
class OperationTable {
public:
    OperationTable();

    /// The number of the operation that `key` describes; `instruction` is one. From any thread.
    uint32_t NumberOf(const OperationKey& key, const Instruction& instruction) {
        const Node* const found = Find(*slots_.load(std::memory_order_acquire), key);
        return found != nullptr ? found->number : Add(key, instruction);
    }

    // To be read when all cores have ended.
    std::vector<Operation> operations;
    std::vector<GmAccess> accesses;
    std::vector<Description> descriptions;  ///< of each operation
    std::vector<ByteRange> operands;        ///< of GM without the address
    std::vector<CoreSync> syncs;

private:
    /// Its words follow it.
    struct Node {
        uint64_t hash;
        uint32_t number;
        uint32_t count;
        const uint64_t* words() const { return reinterpret_cast<const uint64_t*>(this + 1); }
    };
    /// Open addressing.
    using Slots = std::vector<std::atomic<const Node*>>;

    static const Node* Find(const Slots& slots, const OperationKey& key);
    static void Place(Slots& slots, const Node& node);
    uint32_t Add(const OperationKey& key, const Instruction& instruction);
    void Keep(const OperationKey& key);
    void Grow();

    std::mutex mutex_;  ///< of whoever adds
    std::vector<const Node*> nodes_;
    std::vector<std::unique_ptr<uint64_t[]>> memory_;  ///< of each node
    std::vector<std::unique_ptr<Slots>> all_;  ///< those before the latest may still be looked at
    std::atomic<const Slots*> slots_;
};

/// Fills in what `instruction` costs on its core.
void SetCosts(const Instruction& instruction, Operation* operation, Basis* basis);

}  // namespace twin::timing
