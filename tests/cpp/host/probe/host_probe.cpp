// SPDX-License-Identifier: Apache-2.0
// The kernel of the operator HostProbe: one block, tiles of 256 elements.
#include "kernel_operator.h"
#include "probe_tiling.h"

using namespace AscendC;

constexpr uint32_t kTile = 256;

extern "C" __global__ __aicore__ void host_probe(GM_ADDR x, GM_ADDR indices, GM_ADDR out,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(ProbeTiling);
    GET_TILING_DATA(data, tiling);
    TPipe pipe;
    TBuf<QuePosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, kTile * sizeof(DTYPE_X));
    LocalTensor<DTYPE_X> tile = buffer.Get<DTYPE_X>();
    GlobalTensor<DTYPE_X> from;
    GlobalTensor<DTYPE_X> to;
    from.SetGlobalBuffer((__gm__ DTYPE_X*)x);
    to.SetGlobalBuffer((__gm__ DTYPE_X*)(data.mode == kProbeWriteInput ? x : out));
    DataCopyPadExtParams<DTYPE_X> pad{false, 0, 0, 0};
    const uint32_t elems = data.mode == kProbeReadPastInput ? data.elems + 1 : data.elems;
    do {
        for (uint32_t begin = 0; begin < elems; begin += kTile) {
            const uint32_t count = elems - begin < kTile ? elems - begin : kTile;
            DataCopyExtParams part{1, static_cast<uint32_t>(count * sizeof(DTYPE_X)), 0, 0, 0};
            DataCopyPad(tile, from[begin], part, pad);
            PipeBarrier<PIPE_ALL>();
            DataCopyPad(to[begin], tile, part);
            PipeBarrier<PIPE_ALL>();
        }
    } while (data.mode == kProbeLoop);
    DataCopyExtParams block{1, 32, 0, 0, 0};
    if (data.mode == kProbeTouchWorkspace) {
        GlobalTensor<DTYPE_X> scratch;
        scratch.SetGlobalBuffer((__gm__ DTYPE_X*)GetUserWorkspace(workspace));
        DataCopyPad(scratch, tile, block);
    } else if (data.mode == kProbeReadIndices) {
        GlobalTensor<DTYPE_X> values;
        values.SetGlobalBuffer((__gm__ DTYPE_X*)indices);
        DataCopyExtParams all{1, static_cast<uint32_t>(data.indices * 8), 0, 0, 0};
        DataCopyPad(tile, values, all, pad);
        PipeBarrier<PIPE_ALL>();
        DataCopyPad(to, tile, all);
    }
}
