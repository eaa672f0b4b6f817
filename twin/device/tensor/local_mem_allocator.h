// SPDX-License-Identifier: Apache-2.0
#pragma once

// For a kernel compiled with compile_kernel(debug=True), between its source and its export: the
// variables that a debugger finds in the frame below the kernel's (cannery/debugger/printers.py).
// The debugger only reads memory, so it does not call functions of the process.
#include "core/launch_state.h"
#include "device/issue/operand.h"
#include "device/tensor/local_tensor.h"

namespace AscendC {

/// Allocates tensors from address 0 upwards without TPipe, one after the other (newer than 8.1). Do
/// not mix it with TPipe, which also starts at 0.
template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
    static_assert(hard != Hardware::GM && hard != Hardware::MAX,
                  "LocalMemAllocator: a local memory; global memory is not handed out");

public:
    LocalMemAllocator() = default;

    /// The start of the next tensor.
    uint32_t GetCurAddr() const { return head_; }

    template <TPosition pos, class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, TWIN_HERE) {
        static_assert(GetPhyType(pos) == hard, "Alloc: the position lies in another memory");
        LocalTensor<DataType> tensor(pos, head_, tileSize, here);
        twin::RegisterStaticTensor(twin::Of(tensor));
        head_ += tensor.GetLength();
        return tensor;
    }
    template <class DataType>
    LocalTensor<DataType> Alloc(uint32_t tileSize, TWIN_HERE) {
        return Alloc<kPosition, DataType>(tileSize, here);
    }
    template <TPosition pos, class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(TWIN_HERE) {
        return Alloc<pos, DataType>(tileSize, here);
    }
    template <class DataType, uint32_t tileSize>
    LocalTensor<DataType> Alloc(TWIN_HERE) {
        return Alloc<kPosition, DataType>(tileSize, here);
    }

private:
    /// For tensors whose position the kernel does not name.
    static constexpr TPosition kPosition = hard == Hardware::L1       ? TPosition::A1
                                           : hard == Hardware::L0A    ? TPosition::A2
                                           : hard == Hardware::L0B    ? TPosition::B2
                                           : hard == Hardware::L0C    ? TPosition::CO1
                                           : hard == Hardware::BIAS   ? TPosition::C2
                                           : hard == Hardware::FIXBUF ? TPosition::C2PIPE2GM
                                                                      : TPosition::VECCALC;
    uint32_t head_ = 0;
};

}  // namespace AscendC

namespace twin {

constexpr uint32_t kPositions = static_cast<uint32_t>(AscendC::TPosition::MAX) + 1;

struct DebuggerView {
    const Core* core = SelfOrNull();
    const LaunchState* launch = core == nullptr ? nullptr : core->launch;
    Memory memoryOf[kPositions];  ///< indexed by TPosition

    DebuggerView() {
        for (uint32_t position = 0; position < kPositions; ++position) {
            memoryOf[position] = MemoryOf(static_cast<uint8_t>(position));
        }
    }
};

}  // namespace twin

#define TWIN_FOR_DEBUGGER const ::twin::DebuggerView debugger;
