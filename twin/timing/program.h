// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The instructions of one core in program order. In `code`, an instruction is the number of its
/// operation, followed by the GM addresses that it accesses (two words each, low word first). So an
/// instruction without GM accesses takes only four bytes. A word with the bit kScalarWork comes
/// before an instruction or at the end: the other bits are ticks that the scalar unit works first.
class Program : public CoreRecorder {
public:
    Program(uint32_t block, uint32_t subBlock, CoreKind kind, OperationTable& table)
        : block(block), subBlock(subBlock), kind(kind), table(table) {}

    /// Adds the instruction. If it stands for a library call, adds the call's instructions instead.
    void OnInstruction(const Instruction& instruction) override;
    void OnReturn(const Core& core) override;

    static constexpr uint32_t kScalarWork = uint32_t{1} << 31;

    const uint32_t block;
    const uint32_t subBlock;
    const CoreKind kind;
    OperationTable& table;  ///< operations of the launch
    std::vector<uint32_t> code;
    uint64_t instructions = 0;
    uint32_t last = 0;     ///< number of the latest instruction's operation
    bool counted = false;  ///< some operations of the scalar unit were counted
    /// File of a function whose operations of the scalar unit are not counted; nullptr: none known.
    const char* uncounted = nullptr;

private:
    void Take(const Instruction& instruction);
    void TakeScalar(const ScalarWork& work);
    /// Adds the instructions of a library call; returns false if they cannot be listed.
    bool TakeCall(const Instruction& call);
    /// Returns the key of the instruction's operation; valid until the next call.
    OperationKey KeyOf(const Instruction& instruction);

    std::vector<uint64_t> words_;  ///< buffer for the words of the current instruction's key

    /// A library call and the operations of its steps; no `steps` if a formula gives the time.
    struct Call {
        std::vector<uint64_t> key;
        std::vector<uint32_t> steps;
    };
    std::unordered_multimap<uint64_t, Call> calls_;  ///< indexed by the hash of the key
    std::vector<Instruction> steps_;
};

}  // namespace twin::timing
