// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/issue/operand.h"
#include "device/sort/sort.h"
#include "device/vec/shapes.h"

namespace AscendC {

/// Parameters of a merge. elementLengths counts pairs of 8 B; validBit is 3, 7 or 15 for two, three
/// or four lists.
struct MrgSort4Info {
    TWIN_DEFAULT(MrgSort4Info)
    MrgSort4Info(const uint16_t elementLengthsIn[4], const bool ifExhaustedSuspensionIn,
                 const uint16_t validBitIn, const uint16_t repeatTimesIn, TWIN_HERE)
        : elementLengths{elementLengthsIn[0], elementLengthsIn[1], elementLengthsIn[2],
                         elementLengthsIn[3]},
          ifExhaustedSuspension(ifExhaustedSuspensionIn),
          validBit(validBitIn),
          repeatTimes(::twin::sort::NarrowRepeats("MrgSort4Info", repeatTimesIn, here)) {}
    MrgSort4Info(::twin::TwinParens, const uint16_t elementLengthsIn[4],
                 const bool ifExhaustedSuspensionIn, ::twin::TwinFit<uint16_t> validBitIn,
                 ::twin::TwinFit<uint16_t> repeatTimesIn, TWIN_HERE)
        : MrgSort4Info(elementLengthsIn, ifExhaustedSuspensionIn, validBitIn.For("validBit"),
                       repeatTimesIn.For("repeatTimes"), here) {}

    uint16_t elementLengths[4] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};

/// Four lists of pairs with descending scores. Lists that validBit leaves out may be empty tensors.
template <typename T>
TWIN_PARAMETERS(MrgSortSrcList, (LocalTensor<T>, src1, {}), (LocalTensor<T>, src2, {}),
                (LocalTensor<T>, src3, {}), (LocalTensor<T>, src4, {}))

/// Merges up to four lists into one. If scores are equal, the earlier list's pair comes first.
template <typename T>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src,
                    const MrgSort4Info& params, TWIN_HERE) {
    TWIN_REFUSE_DTYPE(MrgSort, T, half, float);
    const uint16_t* lengths = params.elementLengths;
    ::twin::sort::RunMerge(::twin::sort::Merge{::twin::kDtypeOf<T>,
                                               dst,
                                               {src.src1, src.src2, src.src3, src.src4},
                                               {lengths[0], lengths[1], lengths[2], lengths[3]},
                                               params.ifExhaustedSuspension,
                                               params.validBit,
                                               params.repeatTimes},
                           here);
}

/// Merges like the MrgSort above. If isExhaustedSuspension is true, sortedNum receives the number
/// of pairs that the merge took from each list; otherwise it does not change.
template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList,
                    const uint16_t elementCountList[4], uint32_t sortedNum[4], uint16_t validBit,
                    const int32_t repeatTimes, TWIN_HERE) {
    const ::twin::Steps steps(::twin::Self(), ::twin::Opcode::MrgSort);
    const uint16_t narrow = ::twin::sort::NarrowRepeats("MrgSort", repeatTimes, here);
    MrgSort<T>(dst, sortList,
               MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, narrow, here), here);
    if (isExhaustedSuspension) {
        uint16_t taken[4];
        ::twin::sort::ReadMerged(taken, here);
        for (int32_t i = 0; i < 4; ++i) {
            sortedNum[i] = taken[i];
        }
    }
}

/// Returns how many pairs the last MrgSort with suspension took from each list.
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4, TWIN_HERE) {
    uint16_t taken[4];
    ::twin::sort::ReadMerged(taken, here);
    mrgSortList1 = taken[0];
    mrgSortList2 = taken[1];
    mrgSortList3 = taken[2];
    mrgSortList4 = taken[3];
}

}  // namespace AscendC
