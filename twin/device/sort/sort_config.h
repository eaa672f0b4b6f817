// SPDX-License-Identifier: Apache-2.0
#pragma once

// The configuration of a form of Sort that A2 and A3 do not have. Sources for several chips name
// it.
namespace AscendC {

enum class SortType { RADIX_SORT, MERGE_SORT };

struct SortConfig {
    SortType type = SortType::RADIX_SORT;
    bool isDescend = false;
    bool hasSrcIndex = false;
    bool hasDstIndex = false;
};
constexpr SortConfig DEFAULT_SORT_CONFIG = SortConfig();

}  // namespace AscendC
