// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_LISTS_H
#define TWIN_DEVICE_SORT_LISTS_H

#include <cstdint>

#include "device/tensor/local_tensor.h"

namespace twin::sort {

constexpr uint32_t kGroup = 32;     ///< scores that Sort32 sorts at once
constexpr uint32_t kPairBytes = 8;  ///< score in the low bytes, index in the high four
constexpr uint32_t kLists = 4;      ///< lists that MrgSort merges

/// One merge with the parameters of its call.
struct Merge {
    Dtype dtype;
    Operand dst;
    Operand src[kLists];
    uint16_t lengths[kLists];  ///< in pairs
    bool suspend;              ///< stop as soon as a list is exhausted
    uint16_t validBit;
    int32_t repeats;
};

/// Sorts every 32 scores, with their indices, to 32 pairs with descending scores. Equal scores keep
/// their order; NaN counts as the largest number.
TWIN_API void RunSort32(Opcode api, Dtype dtype, const Operand& dst, const Operand& score,
                        const Operand& index, int32_t repeats, Location where);
/// Merges lists of descending pairs into one; of equal scores those of the lower list come first.
TWIN_API void RunMerge(const Merge& merge, Location where);
/// Merges the groups of Sort32 in `dst` to one list, in rounds of four lists through `tmp`.
TWIN_API void RunFullSort(Dtype dtype, const Operand& dst, const Operand& tmp, int32_t repeats,
                          Location where);
/// Splits pairs into scores and indices, 32 per repeat.
TWIN_API void RunExtract(Dtype dtype, const Operand& value, const Operand& index,
                         const Operand& sorted, int32_t repeats, Location where);
/// The register VMS4_SR: pairs that the last suspended merge took from each list.
TWIN_API void ReadMerged(uint16_t counts[kLists], Location where);
/// The repeat count in the chip's 8 bits; strict mode refuses to cut it (T430).
TWIN_API uint8_t NarrowRepeats(const char* api, int32_t repeats, Location where);

}  // namespace twin::sort

#endif  // TWIN_DEVICE_SORT_LISTS_H
