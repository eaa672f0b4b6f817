// SPDX-License-Identifier: Apache-2.0
#include "device/advanced/xor.h"

#include <cstring>

#include "core/tmp_size.h"

namespace twin::advanced {
namespace {

void XorBytes(uint8_t* dst, const uint8_t* a, const uint8_t* b, uint64_t bytes) {
    for (uint64_t i = 0; i < bytes; ++i) {
        dst[i] = a[i] ^ b[i];
    }
}

}  // namespace

void RunXor(Dtype dtype, const Operand& dst, const Operand& src0, const Operand& src1,
            const Tmp& tmp, uint32_t count, Location where) {
    Call call("Xor", where);
    if (!call || count == 0) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const uint64_t bytes = uint64_t{count} * size;
    call.Add({"dstTensor", dst, bytes, true});
    call.Add({"src0Tensor", src0, bytes});
    call.Add({"src1Tensor", src1, bytes});
    const bool sound = call.Check(InPlace::Breaks);
    const TmpSize said = XorTmp(size, count);
    call.Take(tmp, {said.min, said.max});
    if (sound) {
        XorBytes(call.At(0), call.At(1), call.At(2), bytes);
    } else {
        call.Spoil();
    }
    call.Finish(dtype, count);
}

}  // namespace twin::advanced
