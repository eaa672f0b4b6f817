// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/data_copy/data_copy_nz2nd.h"
#include "device/issue/steps.h"

namespace twin::copy {
namespace {

constexpr uint32_t kStripe = 16;
constexpr uint32_t kRowsPerCopy = 4095;

/// Byte distances of one matrix.
struct Layout {
    uint64_t rows;
    uint64_t gmPitch;
    uint32_t stripeBytes;
};

void CopyStripe(GmOperand dst, Operand src, const Layout& layout, uint32_t elementBytes,
                Location where) {
    for (uint64_t row = 0; row < layout.rows; row += kRowsPerCopy) {
        AscendC::DataCopyExtParams params;
        params.blockCount =
            static_cast<uint16_t>(std::min<uint64_t>(kRowsPerCopy, layout.rows - row));
        params.blockLen = layout.stripeBytes;
        params.dstStride = static_cast<uint32_t>(layout.gmPitch) - layout.stripeBytes;
        CopyOutPad(dst, src, params, elementBytes, where);
        dst.address += kRowsPerCopy * layout.gmPitch;
        src = Advance(src, uint64_t{kRowsPerCopy} * layout.stripeBytes);
    }
}

}  // namespace

void CopyOutNz(const GmOperand& dst, const Operand& src, const AscendC::Nz2NdParamsFull& params,
               uint32_t elementBytes, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aiv, where)) {
        return;
    }
    if (params.dValue % kStripe != 0) {
        Fail("T408",
             "columns not whole stripes: DataCopy with Nz2NdParamsFull of %u columns, "
             "expected a multiple of 16",
             params.dValue);
    }
    if (params.dstDStride < kStripe) {
        Fail("T408",
             "rows overlap: DataCopy with Nz2NdParamsFull and dstDStride %u, expected at "
             "least 16",
             params.dstDStride);
    }
    const Steps steps(core, Opcode::DataCopy);
    const Layout layout = {params.nValue, uint64_t{params.dstDStride} * elementBytes,
                           kStripe * elementBytes};
    for (uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
        for (uint32_t stripe = 0; stripe < params.dValue / kStripe; ++stripe) {
            GmOperand to = dst;
            to.address +=
                (uint64_t{matrix} * params.dstNdMatrixStride + stripe * kStripe) * elementBytes;
            const uint64_t skip = (uint64_t{matrix} * params.srcNdMatrixStride * kStripe +
                                   uint64_t{stripe} * params.srcNStride) *
                                  kStripe * elementBytes;
            CopyStripe(to, Advance(src, skip), layout, elementBytes, where);
        }
    }
}

}  // namespace twin::copy
