// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "device/matmul/problem.h"

namespace twin::matmul {

/// One base block of C.
struct Block {
    int32_t m = 0, n = 0;  ///< indices of the block
    int32_t rows = 0, columns = 0;
};

/// The order in which Iterate visits the blocks of C. With order M, the loops are, from the outer
/// to the inner: groups of stepN columns of blocks, groups of stepM rows, rows, columns of the
/// group. Order N swaps rows and columns. With isPartialOutput, K steps are the innermost loop.
class TWIN_API Walk {
public:
    void Restart() { started_ = false; }
    bool AtStart() const { return !started_; }
    /// Moves to the next block. After the last block, returns false and starts again.
    bool Next(const Problem& problem);

    const Block& At() const { return block_; }
    /// Returns the current K step if the problem is partial, otherwise 0.
    int32_t StepK() const { return stepK_; }
    /// Returns the number of the pass over A. A new pass copies A to L1 again. PassB is for B.
    int64_t PassA() const { return passA_; }
    int64_t PassB() const { return passB_; }

private:
    void Place(const Problem& problem);

    bool started_ = false;
    int32_t outer_ = 0, inner_ = 0;  ///< first block of the groups along the slow and the fast axis
    /// Indices of the block along both axes. Inside a group, slow_ changes faster than fast_.
    int32_t fast_ = 0, slow_ = 0;
    int32_t stepK_ = 0;
    Block block_;
    int64_t passA_ = 0, passB_ = 0;
};

}  // namespace twin::matmul
