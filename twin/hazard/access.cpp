// SPDX-License-Identifier: Apache-2.0
#include "hazard/access.h"

namespace twin::hazard {

uint32_t Sites::Number(const Site& site) {
    const Key key{site.opcode, site.where.file,
                  uint64_t{site.where.line} << 8 | static_cast<uint64_t>(site.lane) << 2 |
                      (site.matmul ? 2U : 0U) | (site.unitFlag ? 1U : 0U)};
    Recent& recent = recent_[Hash()(key) >> 58U];
    if (recent.number == UINT32_MAX || !(recent.key == key)) {
        const auto entry = numbers_.emplace(key, static_cast<uint32_t>(sites_.size()));
        if (entry.second) {
            sites_.push_back(site);
        }
        recent = {key, entry.first->second};
    }
    return recent.number;
}

}  // namespace twin::hazard
