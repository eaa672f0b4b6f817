// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "core/tmp_size.h"
#include "device/library/call.h"
#include "device/math/axpy.h"

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
