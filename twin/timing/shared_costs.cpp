// SPDX-License-Identifier: Apache-2.0
#include "timing/shared_costs.h"

#include <algorithm>

namespace twin::timing {

SharedCosts::Cost SharedCosts::Of(const Instruction& instruction, uint64_t hash,
                                  const uint64_t* words, size_t count) {
    const auto find = [&]() -> const Known* {
        const auto same = known_.equal_range(hash);
        const auto found = std::find_if(same.first, same.second, [&](const auto& each) {
            return each.second.words.size() == count &&
                   std::equal(words, words + count, each.second.words.begin());
        });
        return found == same.second ? nullptr : &found->second;
    };
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const Known* const known = find()) {
            return known->cost;
        }
    }
    Cost cost;
    SetCosts(instruction, &cost.operation, &cost.basis);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const Known* const known = find()) {
        return known->cost;
    }
    cost.number = static_cast<uint32_t>(known_.size());
    return known_.emplace(hash, Known{{words, words + count}, cost})->second.cost;
}

}  // namespace twin::timing
