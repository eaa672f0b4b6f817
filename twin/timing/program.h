// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_TIMING_PROGRAM_H
#define TWIN_TIMING_PROGRAM_H

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/observer.h"
#include "timing/operation_table.h"

namespace twin::timing {

/// Pipes in the order in which profiles list them.
enum PipeIndex : uint8_t { kS, kV, kM, kMte1, kMte2, kMte3, kFix };
constexpr uint32_t kPipes = 7;
uint8_t IndexOf(Pipe pipe);
const char* PipeName(uint32_t index);

/// The instructions of one core in program order: a number of an operation each, followed by the
/// addresses of what it touches in GM, low word first. A loop takes four bytes an instruction.
class Program : public CoreRecorder {
public:
    Program(uint32_t block, uint32_t subBlock, CoreKind kind, OperationTable& table)
        : block(block), subBlock(subBlock), kind(kind), table(table) {}

    /// A library call that is one record becomes the steps that it stands for.
    void OnInstruction(const Instruction& instruction) override;

    const uint32_t block;
    const uint32_t subBlock;
    const CoreKind kind;
    OperationTable& table;  ///< of the launch
    std::vector<uint32_t> code;
    uint64_t instructions = 0;

private:
    void Take(const Instruction& instruction);
    /// False: its steps are not listed.
    bool TakeCall(const Instruction& call);
    /// What two instructions have in common that are one operation; until the next call.
    OperationKey KeyOf(const Instruction& instruction);

    std::vector<uint64_t> words_;  ///< of the instruction being looked at, and room behind it

    /// A library call and the operations that its steps are; none: it is an operation itself.
    struct Call {
        std::vector<uint64_t> key;
        std::vector<uint32_t> steps;
    };
    std::unordered_multimap<uint64_t, Call> calls_;  ///< by the hash of the key
    std::vector<Instruction> steps_;
};

}  // namespace twin::timing

#endif  // TWIN_TIMING_PROGRAM_H
