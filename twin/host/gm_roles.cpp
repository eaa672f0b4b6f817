// SPDX-License-Identifier: Apache-2.0
#include "host/gm_roles.h"

namespace twin::host {
namespace {

/// Ranges begin at multiples of this device address, so each line belongs to one range.
constexpr uint32_t kLineShift = 9;

}  // namespace

/// The accesses of one core. An access lies in one range, so its first line identifies the range.
class GmRoles::Recording : public CoreRecorder {
public:
    void OnInstruction(const Instruction& instruction) override {
        for (const ByteRange& range : instruction.ranges) {
            if (range.memory == Memory::Gm && range.runs.TotalBytes() != 0) {
                GmRole& role = lines[range.begin >> kLineShift];
                role.written |= range.write;
                role.read |= !range.write || instruction.atomic[0] != '\0';
            }
        }
    }
    std::unordered_map<uint64_t, GmRole> lines;
};

GmRoles::GmRoles(std::map<uintptr_t, GmRole>* roles) : roles_(roles) {}

GmRoles::~GmRoles() = default;

CoreRecorder* GmRoles::Recorder(uint32_t, uint32_t, CoreKind) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cores_.push_back(std::make_unique<Recording>());
    return cores_.back().get();
}

void GmRoles::OnEnd(const LaunchInfo& info) {
    for (const auto& core : cores_) {
        for (const auto& [line, role] : core->lines) {
            const uint64_t begin = line << kLineShift;
            for (const GmRange& range : info.gm) {
                if (range.device < begin + (1U << kLineShift) &&
                    begin < range.device + range.bytes) {
                    GmRole& all = (*roles_)[range.begin];
                    all.read |= role.read;
                    all.written |= role.written;
                }
            }
        }
    }
}

}  // namespace twin::host
