// SPDX-License-Identifier: Apache-2.0
#include "core/cross_core.h"

#include <algorithm>
#include <iterator>

namespace twin {

void CrossCoreFlags::Resize(BlockShape shape, uint32_t blocks) {
    shape_ = shape;
    coreCount_ = shape.Cores() * blocks;
    cores_.clear();
}

void CrossCoreFlags::Prepare() {
    if (cores_.empty()) {
        cores_.resize(coreCount_);
    }
}

void CrossCoreFlags::Merge(const Knowledge& from, Knowledge* into) {
    for (uint32_t member = 0; member < kMembers; ++member) {
        for (uint32_t flag = 0; flag < kFlags; ++flag) {
            (*into)[member][flag] = std::max((*into)[member][flag], from[member][flag]);
        }
    }
}

void CrossCoreFlags::Participants(uint32_t core, uint32_t mode, std::vector<uint32_t>* setters,
                                  std::vector<uint32_t>* receivers) const {
    const CoreKind kind = shape_.KindOf(core);
    const uint32_t first = shape_.BlockOf(core) * shape_.Cores();
    const uint32_t begin = mode == 0 ? 0 : first;
    const uint32_t end = mode == 0 ? coreCount_ : first + shape_.Cores();
    for (uint32_t other = begin; other < end; ++other) {
        const bool same = shape_.KindOf(other) == kind;
        if (same) {
            setters->push_back(other);
        }
        // The setters receive the flag in modes 0 and 1, the cores of the other kind in mode 2.
        if (same == (mode != 2)) {
            receivers->push_back(other);
        }
    }
}

uint32_t CrossCoreFlags::Set(uint32_t core, uint32_t mode, uint32_t flag) {
    Prepare();
    std::vector<uint32_t> setters;
    std::vector<uint32_t> receivers;
    Participants(core, mode, &setters, &receivers);
    CoreState& self = cores_[core];
    self.sent[mode][flag].push_back(self.known);
    const uint32_t sets = ++self.sets[mode][flag];
    const bool complete = std::all_of(setters.begin(), setters.end(), [&](uint32_t setter) {
        return !cores_[setter].sent[mode][flag].empty();
    });
    if (complete) {
        // A receiver also gets the numbers of waits that the setters in its own block know.
        std::vector<Knowledge> news;
        for (const uint32_t setter : setters) {
            news.push_back(cores_[setter].sent[mode][flag].front());
            cores_[setter].sent[mode][flag].pop_front();
        }
        for (const uint32_t receiver : receivers) {
            Knowledge merged = {};
            for (size_t i = 0; i < setters.size(); ++i) {
                if (shape_.BlockOf(setters[i]) == shape_.BlockOf(receiver)) {
                    Merge(news[i], &merged);
                }
            }
            cores_[receiver].received[flag].push_back(merged);
            ++cores_[receiver].counter[flag];
        }
    }
    uint32_t fewestWaits = UINT32_MAX;
    for (const uint32_t receiver : receivers) {
        if (shape_.BlockOf(receiver) == shape_.BlockOf(core)) {
            fewestWaits = std::min(fewestWaits, self.known[receiver % shape_.Cores()][flag]);
        }
    }
    return sets - std::min(sets, fewestWaits);
}

void CrossCoreFlags::Pass(uint32_t core, uint32_t flag) {
    CoreState& self = cores_[core];
    --self.counter[flag];
    Merge(self.received[flag].front(), &self.known);
    self.received[flag].pop_front();
    ++self.known[core % shape_.Cores()][flag];
}

std::vector<uint32_t> CrossCoreFlags::SettersFor(uint32_t core, uint32_t mode) const {
    const uint32_t first = shape_.BlockOf(core) * shape_.Cores();
    std::vector<uint32_t> setters;
    std::vector<uint32_t> receivers;
    // In mode 2, the block's cores of the other kind set the flag. `Participants` gets one of these
    // cores: the first core of a block is the cube core, the last core is a vector core.
    const bool other = mode == 2;
    const bool isCube = shape_.KindOf(core) == CoreKind::Aic;
    Participants(!other ? core : (isCube ? first + shape_.Cores() - 1 : first), mode, &setters,
                 &receivers);
    return setters;
}

std::vector<CrossCoreFlags::Missing> CrossCoreFlags::MissingSets(uint32_t core,
                                                                 uint32_t flag) const {
    const bool both = shape_.aic != 0 && shape_.aiv != 0;
    std::vector<Missing> behind;
    std::vector<Missing> used;
    for (uint32_t mode = 0; mode <= (both ? 2U : 0U); ++mode) {
        const std::vector<uint32_t> setters = SettersFor(core, mode);
        const auto counts = [&](uint32_t setter) {
            return cores_.empty() ? 0 : cores_[setter].sets[mode][flag];
        };
        uint32_t fewest = UINT32_MAX;
        uint32_t most = 0;
        for (const uint32_t setter : setters) {
            fewest = std::min(fewest, counts(setter));
            most = std::max(most, counts(setter));
        }
        Missing missing = {mode, {}};
        std::copy_if(setters.begin(), setters.end(), std::back_inserter(missing.cores),
                     [&](uint32_t setter) { return counts(setter) == fewest; });
        if (fewest != most) {
            behind.push_back(missing);
        } else if (most != 0) {
            used.push_back(missing);
        }
    }
    if (!behind.empty() || !used.empty()) {
        return behind.empty() ? used : behind;
    }
    const uint32_t mode = both ? 2 : 0;
    return {{mode, SettersFor(core, mode)}};
}

void CrossCoreFlags::Meet(bool aic, bool aiv) {
    const auto meets = [&](uint32_t core) {
        return shape_.KindOf(core) == CoreKind::Aic ? aic : aiv;
    };
    for (uint32_t first = 0; first < cores_.size(); first += shape_.Cores()) {
        Knowledge all = {};
        for (uint32_t core = first; core < first + shape_.Cores(); ++core) {
            if (meets(core)) {
                Merge(cores_[core].known, &all);
            }
        }
        for (uint32_t core = first; core < first + shape_.Cores(); ++core) {
            if (meets(core)) {
                cores_[core].known = all;
            }
        }
    }
}

}  // namespace twin
