// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/library_steps.h"
#include "core/tmp_size.h"
#include "device/library/call.h"
#include "device/math/functions.h"

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

namespace {

void XorBytes(uint8_t* dst, const uint8_t* a, const uint8_t* b, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i) {
        dst[i] = a[i] ^ b[i];
    }
}

}  // namespace

void RunXor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
            const Tmp& tmp, uint32_t count, Location where) {
    Call call(Opcode::Xor, where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t bytes = uint64_t{count} * size;
    uint8_t* to = call.Write(Arg::DstTensor, dst, bytes);
    const uint8_t* from0 = call.Read(Arg::Src0Tensor, src0, bytes);
    const uint8_t* from1 = call.Read(Arg::Src1Tensor, src1, bytes);
    const TmpSize said = XorTmp(size, count);
    call.Take(tmp, {said.min, said.max});
    if (call.Ready(dtype, count, Overlap::Library)) {
        XorBytes(to, from0, from1, bytes);
        call.Done();
    }
}

}  // namespace twin::advanced

namespace twin {

void AxpySteps(CallSteps s) {
    const bool half = s.Half();
    const int64_t size = s.Part(half ? 2 : 1);
    const View x = s.Floats(size), wide = s.Floats(size);
    s.Pieces(size, {s.Operand(0), s.Operand(1).As(Dtype::F16)},
             [&](CallSteps s, View dst, View src) {
                 const View y = half ? wide : dst;
                 s.Cast(x, src);
                 s.If(half).Cast(y, dst);
                 s.Muls(x, x);
                 s.Add(y, x, y);
                 s.If(half).Cast(dst, y);
             });
}

void XorSteps(CallSteps s) {
    const int64_t size = s.Part(1, sizeof(uint16_t));
    const View either = s.Work(s.Type(), size);
    s.Along<3>(size, [&](CallSteps s, View dst, View src, View other) {
        s.NoBarrier().And(dst, src, other);
        s.Or(either, src, other);
        s.Not(dst, dst);
        s.And(dst, either, dst);
    });
}

}  // namespace twin
