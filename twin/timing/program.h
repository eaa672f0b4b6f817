// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_PROGRAM_H
#define TWIN_TIMING_PROGRAM_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/observer.h"
#include "timing/ticks.h"

namespace twin::timing {

/// Pipes in the order in which profiles list them.
enum PipeIndex : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix };
constexpr uint32_t kPipes = 7;
uint8_t IndexOf(Pipe pipe);
const char* PipeName(uint32_t index);

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

/// One of the different instructions of a program.
struct Operation {
    Act act = Act::Work;
    uint8_t pipe = kS;
    uint8_t queue = kS;  ///< where it waits for its turn; that of its pipe but for messages
    int8_t event = -1;   ///< of a flag
    int8_t id = -1;      ///< of a flag
    int8_t mode = -1;    ///< of a flag between cores
    uint32_t cores = 0;  ///< that meet in a SyncAll
    bool unitFlag = false;
    bool held = false;      ///< the scalar unit goes on when it has ended
    CoreSync::What sync{};  ///< of a library call that synchronises cores
    uint32_t syncAt = 0;    ///< the rest of that, in the program's list
    Ticks issue = 0;        ///< of the scalar unit
    Ticks head = 0;         ///< until the pipe takes the next instruction, without its work
    Ticks work = 0;         ///< conflicts included
    Ticks tail = 0;         ///< from there to the result
    Ticks conflicts = 0;
    Ticks port = 0;       ///< of a copy: the least it takes the core's side
    Ticks row = 0;        ///< beside that for each of its runs
    Ticks after = 0;      ///< of one that is held: until the scalar unit has looked at it
    Ticks period = 0;     ///< of one that waits for other cores: from look to look
    uint32_t access = 0;  ///< first of its GmAccess
    uint32_t accesses = 0;
    uint32_t name = 0;     ///< of its description
    uint32_t shared = 0;   ///< the same for all that are described alike, on all cores
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
    const char* opcode;
    const char* call;
    ElementType dtype;
    uint8_t pipe;
    Location where;
    Basis basis = Basis::Table;
};

class SharedCosts;

/// The instructions of one core in program order: a number of an operation each, followed by the
/// addresses of what it touches in GM, low word first. A loop takes four bytes an instruction.
class Program : public CoreRecorder {
public:
    Program(uint32_t block, uint32_t subBlock, CoreKind kind, SharedCosts* costs = nullptr)
        : block(block), subBlock(subBlock), kind(kind), costs_(costs) {}

    /// A library call that is one record becomes the steps that it stands for.
    void OnInstruction(const Instruction& instruction) override;

    const uint32_t block;
    const uint32_t subBlock;
    const CoreKind kind;
    std::vector<uint32_t> code;
    uint64_t instructions = 0;
    std::vector<Operation> operations;
    std::vector<GmAccess> accesses;
    std::vector<Description> descriptions;
    std::vector<ByteRange> operands;  ///< of GM without the address
    std::vector<CoreSync> syncs;

private:
    void Take(const Instruction& instruction);
    /// False: its steps are not listed.
    bool TakeCall(const Instruction& call);

    /// The number of the operation that `key_` describes; kNone where it is new.
    uint32_t Find(uint64_t hash) const;
    void Keep(uint64_t hash, uint32_t number);
    void Place(uint64_t hash, uint32_t number);

    /// Into `key_`: what two instructions have in common that cost the same and are named alike.
    void Describe(const Instruction& instruction);
    uint32_t Add(const Instruction& instruction, uint64_t hash);

    static constexpr uint32_t kNone = UINT32_MAX;

    SharedCosts* const costs_;
    std::vector<uint64_t> key_;  ///< of the instruction being looked at, and room behind it
    size_t keyWords_ = 0;
    std::vector<uint64_t> keys_;   ///< of all operations, behind each other
    std::vector<size_t> keyEnds_;  ///< of each
    std::vector<uint64_t> hashes_;
    std::vector<uint32_t> table_;  ///< open addressing: numbers of operations

    /// A library call and the operations that its steps are; none: it is an operation itself.
    struct Call {
        std::vector<uint64_t> key;
        std::vector<uint32_t> steps;
    };
    std::unordered_multimap<uint64_t, Call> calls_;  ///< by the hash of the key
    std::vector<Instruction> steps_;
};

/// Fills in what `instruction` costs on its core.
void SetCosts(const Instruction& instruction, Operation* operation, Basis* basis);

}  // namespace twin::timing

#endif  // TWIN_TIMING_PROGRAM_H
