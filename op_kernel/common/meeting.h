// SPDX-License-Identifier: Apache-2.0
#ifndef OP_KERNEL_COMMON_MEETING_H
#define OP_KERNEL_COMMON_MEETING_H

#include "kernel_operator.h"

namespace ops {

/// A barrier of all vector cores in two steps, each of which every core must reach. A core prepares
/// its next phase between them, while it would only wait in SyncAll(), which is both steps and a
/// barrier of all pipes. After Wait(), a core can load what the others stored before Arrive().
class Meeting {
public:
    /// Tells the other cores that the stores of this core have finished, as soon as they have.
    static __aicore__ inline void Arrive() { AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(kFlag); }
    /// Waits until all cores have arrived.
    static __aicore__ inline void Wait() { AscendC::CrossCoreWaitFlag(kFlag); }

private:
    static constexpr uint16_t kFlag = 4;  ///< the library uses flags from 11 on
};

}  // namespace ops

#endif  // OP_KERNEL_COMMON_MEETING_H
