// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace twin {

/// Feature map that an image-to-column load reads, as SetFmatrix describes it.
struct FeatureMap {
    uint16_t height = 0;
    uint16_t width = 0;
    uint8_t pads[4] = {};  ///< left, right, top, bottom
    bool known = false;
};

/// Registers of a cube core besides CTRL. "Known" means that the kernel has set the register: the
/// twin assumes nothing about values that an earlier kernel left.
struct CubeState {
    FeatureMap featureMaps[2];  ///< left and right
    uint32_t padValue = 0;      ///< one element in the low bytes
    bool padValueKnown = false;
    uint16_t repeatStride = 0;
    uint8_t repeatTime = 1;
    uint8_t repeatMode = 0;
    uint32_t boundary = 0;  ///< bytes of L1 after which image-to-column loads wrap; 0: none
    uint16_t ndNum = 0;
    uint16_t srcNdStride = 0;
    uint16_t dstNdStride = 0;
    bool ndKnown = false;
    uint64_t quantWord = 0;
    bool quantWordKnown = false;
    int64_t quantAddress = -1;   ///< address of the quantisation vector in FB; negative: not set
    uint64_t unitFlags[2] = {};  ///< a bit per 1024 B of L0C: written, not yet copied out
    std::vector<uint8_t>
        sparseIndex;  ///< a memory beside L0B, a quarter of its size; empty until used
};

}  // namespace twin
