// SPDX-License-Identifier: Apache-2.0
#include "device/math/axpy.h"

#include "core/tmp_size.h"
#include "device/library/call.h"

namespace twin::advanced {

void RunAxpy(Dtype dtype, const Operand& dst, const Operand& src, float scalar, const Tmp& tmp,
             uint32_t count, Location where) {
    Call call(Opcode::Axpy, where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const lanes::ElementaryTable& table = lanes::BestElementary();
    const lanes::ElementaryFn run =
        dtype == Dtype::F32
            ? table.axpyMixed
            : table.run[static_cast<size_t>(ElementaryOp::Axpy)][static_cast<size_t>(Dtype::F16)];
    uint8_t* to = call.Write(Arg::DstTensor, dst, uint64_t{count} * size);
    call.Read(Arg::DstTensor, dst, uint64_t{count} * size);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, uint64_t{count} * sizeof(uint16_t));
    const TmpSize said = ElementaryTmp(ElementaryOp::Axpy, sizeof(uint16_t), count, false);
    call.Take(tmp, {said.min, said.max});
    const bool narrow = size == sizeof(uint16_t);
    if (!call.Ready(dtype, count, narrow ? Overlap::InPlace : Overlap::Library)) {
        return;
    }
    run(to, to, from, &scalar, count);
    call.Saturate(to, dtype, count);
    call.Done();
}

}  // namespace twin::advanced
