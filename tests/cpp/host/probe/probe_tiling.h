// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// What the probe's kernel does in addition to copying x to out.
enum ProbeMode : int32_t {
    kProbeCopy = 0,
    kProbeWriteInput = 1,
    kProbeReadPastInput = 2,
    kProbeTouchWorkspace = 3,
    kProbeLoop = 4,
    kProbeReadIndices = 5,
};

struct ProbeTiling {
    uint32_t elems;
    int32_t mode;
    uint32_t indices;
};
