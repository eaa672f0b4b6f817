// SPDX-License-Identifier: Apache-2.0
// Computes how long copies of another size would take: they go through the model like a kernel's
// copies.
#include "timing/copy_time.h"

#include <memory>

#include "timing/replay.h"

namespace twin::timing {
namespace {

Instruction CopyOf(const TwinCopies& copies) {
    ByteRange local, gm;
    local.memory = copies.cube ? Memory::L1 : Memory::Ub;
    local.write = copies.load;
    local.runs = Runs(copies.runBytes * copies.runs);
    gm.memory = Memory::Gm;
    gm.write = !copies.load;
    gm.runs = Runs(copies.runBytes, {copies.runs, copies.pitch});
    Instruction copy;
    copy.core = copies.cube ? CoreKind::Aic : CoreKind::Aiv;
    copy.pipe = copies.load ? Pipe::Mte2 : Pipe::Mte3;
    copy.opcode = Opcode::DataCopy;
    copy.ranges = {local, gm};
    return copy;
}

double Micros(const SocInfo& soc, const TwinCopies& copies) {
    Instruction copy = CopyOf(copies);
    const uint64_t spacing =
        (copies.runs * copies.pitch + kLineBytes - 1) / kLineBytes * kLineBytes;
    OperationTable table;
    std::vector<std::unique_ptr<Program>> programs;
    std::vector<const Program*> all;
    for (uint32_t core = 0; core < copies.cores; ++core) {
        programs.push_back(std::make_unique<Program>(core, 0, copy.core, table));
        for (uint64_t i = 0; i < copies.copies; ++i) {
            copy.ranges.back().begin = (core * copies.copies + i) * spacing;
            programs.back()->OnInstruction(copy);
        }
        all.push_back(programs.back().get());
    }
    Replay replay(soc, all);
    replay.Run();
    Ticks sum = 0;
    for (const auto& core : replay.cores()) {
        sum += core->end() - core->start();
    }
    const double mean = static_cast<double>(sum) / static_cast<double>(replay.cores().size());
    return mean / kCycle / soc.cubeMHz;
}

}  // namespace
}  // namespace twin::timing

double twinCopyMicros(const char* soc, const TwinCopies* copies) {
    const twin::SocInfo* const found = twin::FindSoc(soc);
    return found == nullptr || copies->cores == 0 ? -1.0 : twin::timing::Micros(*found, *copies);
}
