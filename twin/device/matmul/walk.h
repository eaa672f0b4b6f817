// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_MATMUL_WALK_H
#define TWIN_DEVICE_MATMUL_WALK_H

#include "device/matmul/problem.h"

namespace twin::matmul {

/// One base block of C.
struct Block {
    int32_t m = 0, n = 0;  ///< number among base blocks
    int32_t rows = 0, columns = 0;
};

/// The order in which Iterate visits C. With order M: groups of stepN columns of blocks; inside
/// one, groups of stepM rows; inside one, every row; and innermost the columns of the group. Order
/// N mirrors it.
class TWIN_API Walk {
public:
    void Restart() { started_ = false; }
    bool AtStart() const { return !started_; }
    /// Moves to the next block; returns false after the last one, and then starts again.
    bool Next(const Problem& problem);

    const Block& At() const { return block_; }
    /// Numbers of the passes over A and B: data in L1 are used within one pass only.
    int64_t PassA() const { return passA_; }
    int64_t PassB() const { return passB_; }

private:
    void Place(const Problem& problem);

    bool started_ = false;
    int32_t outer_ = 0, inner_ = 0;  ///< first block of the groups along the slow and the fast axis
    int32_t fast_ = 0,
            slow_ =
                0;  ///< block inside a group: the fast axis changes per row, the slow one innermost
    Block block_;
    int64_t passA_ = 0, passB_ = 0;
};

}  // namespace twin::matmul

#endif  // TWIN_DEVICE_MATMUL_WALK_H
