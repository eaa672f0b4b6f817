// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/atomics.h"
#include "core/core.h"
#include "core/data_cache.h"
#include "core/gm.h"
#include "core/instruction.h"
#include "core/observer.h"

namespace twin {

/// Feature map that an image-to-column load reads, as SetFmatrix describes it.
struct FeatureMap {
    uint16_t height = 0;
    uint16_t width = 0;
    uint8_t pads[4] = {};  ///< padding: columns left and right, rows top and bottom
    bool known = false;
};

/// Registers, unit flags and index memory of a cube core; CTRL is in `Core`. A member "...Known" is
/// true if this kernel has set the value. Otherwise an earlier kernel may have left any value.
struct CubeState {
    FeatureMap featureMaps[2];  ///< feature maps of the left and of the right matrix
    uint32_t padValue = 0;      ///< padding value: one element, in the low bytes
    bool padValueKnown = false;
    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
    uint32_t boundary = 0;  ///< bytes of L1 after which image-to-column loads wrap; 0: never
    uint16_t ndNum = 0;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool ndKnown = false;
    uint64_t quantWord = 0;
    bool quantWordKnown = false;
    int64_t quantAddress = -1;  ///< address of the quantisation vector in FB; negative: not set
    /// One bit for each 1024 B of L0C; it is set if the bytes were written but not yet copied out.
    uint64_t unitFlags[2] = {};
    /// Index memory for sparse matrices, a quarter of L0B's size; empty until it is used.
    std::vector<uint8_t> sparseIndex;
};

/// Places of the arrays that a kernel declares in UB (see device/tensor/ub_array.h).
struct UbArrays {
    std::map<const void*, uint64_t> places;  ///< address in UB for each declaration
    uint64_t end = 0;
};

/// The state of a core that only the twin's library uses. It is not in `Core`, because kernels
/// include core.h, which is kept small.
struct CoreState {
    explicit CoreState(Core& core) : cache(core) {}

    std::vector<CoreRecorder*> recorders;
    std::unique_ptr<CoreRecorder> watcher;  ///< the recorder that WatchCore has added, or null
    CubeState cube;                         ///< state that only cube instructions use
    AtomicLog atomics;                      ///< atomic copies; guarded by the launch's lock
    DataCache cache;                        ///< cache of scalar accesses to GM
    UbArrays ubArrays;
    std::map<uintptr_t, int32_t> softRounds;  ///< number of soft SyncAll calls per workspace
    std::vector<BufferRecord> buffers;        ///< changed by AddBuffer and TakeBuffersBack only
    Instruction record;                       ///< the instruction being issued
    bool collecting = false;  ///< `record` belongs to an instruction that is not finished
};

/// Describes a host address in GM with a text such as "byte 128 of input x".
std::string DescribeGm(const Core& core, uintptr_t address);

}  // namespace twin
