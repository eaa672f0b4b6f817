// SPDX-License-Identifier: Apache-2.0
#include "core/watched_core.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/core_state.h"
#include "core/launch_state.h"
#include "core/observer.h"

namespace twin {
namespace {

class WriteWatcher final : public CoreRecorder {
public:
    explicit WriteWatcher(const Core& core) {
        for (uint32_t memory = 0; memory < kMemories; ++memory) {
            marks_[memory].resize(core.memory[memory] == nullptr ? 0 : core.memoryBytes[memory]);
        }
    }

    void OnInstruction(const Instruction& instruction) override {
        for (const ByteRange& range : instruction.ranges) {
            if (range.write && range.memory != Memory::Gm) {
                Mark(range);
            }
        }
    }

    const uint8_t* Marks(uint32_t memory) const {
        return marks_[memory].empty() ? nullptr : marks_[memory].data();
    }

private:
    void Mark(const ByteRange& range) {
        std::vector<uint8_t>& marks = marks_[static_cast<size_t>(range.memory)];
        EachRun(range, [&marks](uint64_t begin, uint64_t end) {
            for (uint64_t at = begin; at < std::min<uint64_t>(end, marks.size()); ++at) {
                marks[at] = 1;
            }
        });
    }

    std::vector<uint8_t> marks_[kMemories];
};

}  // namespace

WatchedCore WatchCore(Core* core) {
    auto watcher = std::make_unique<WriteWatcher>(*core);
    WatchedCore watched;
    watched.poison = core->launch->spec.localPoison;
    watched.buffers = &core->state->buffers;
    for (uint32_t memory = 0; memory < kMemories; ++memory) {
        watched.written[memory] = watcher->Marks(memory);
    }
    core->state->recorders.push_back(watcher.get());
    core->state->watcher = std::move(watcher);
    core->recording = true;
    return watched;
}

}  // namespace twin
