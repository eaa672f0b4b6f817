// SPDX-License-Identifier: Apache-2.0
#include "device/advanced/axpy.h"

#include "core/tmp_size.h"

namespace twin::advanced {

void RunAxpy(Dtype dtype, const Operand& dst, const Operand& src, float scalar, const Tmp& tmp,
             uint32_t count, Location where) {
    Call call("Axpy", where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const lanes::ElementaryTable& table = lanes::BestElementary();
    const lanes::ElementaryFn run =
        dtype == Dtype::F32
            ? table.axpyMixed
            : table.run[static_cast<size_t>(ElementaryOp::Axpy)][static_cast<size_t>(Dtype::F16)];
    call.Add({"dstTensor", dst, uint64_t{count} * size, true});
    call.Add({"srcTensor", src, uint64_t{count} * sizeof(uint16_t)});
    const bool sound = call.Check(size == sizeof(uint16_t) ? InPlace::Works : InPlace::Breaks);
    const TmpSize said = ElementaryTmp(ElementaryOp::Axpy, sizeof(uint16_t), count, false);
    call.Take(tmp, {said.min, said.max});
    if (sound) {
        run(call.At(0), call.At(0), call.At(1), &scalar, count);
        call.Saturate(dtype, count);
    } else {
        call.Spoil();
    }
    call.Finish(dtype, count);
}

}  // namespace twin::advanced
