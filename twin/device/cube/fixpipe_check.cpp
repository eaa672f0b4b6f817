// SPDX-License-Identifier: Apache-2.0
#include "device/cube/fixpipe_move.h"
#include "device/cube/product.h"

namespace twin::cube {
namespace {

/// The modes that convert one type to another.
struct Modes {
    QuantMode_t scalar;
    QuantMode_t vector;
};

Modes ModesOf(Dtype from, Dtype to) {
    if (from == to) {
        return {QuantMode_t::NoQuant, QuantMode_t::NoQuant};
    }
    if (to == Dtype::Bf16) {
        return {QuantMode_t::F322BF16, QuantMode_t::F322BF16};
    }
    if (to == Dtype::F16) {
        return from == Dtype::F32 ? Modes{QuantMode_t::F322F16, QuantMode_t::F322F16}
                                  : Modes{QuantMode_t::DEQF16, QuantMode_t::VDEQF16};
    }
    return from == Dtype::F32 ? Modes{QuantMode_t::QF322B8_PRE, QuantMode_t::VQF322B8_PRE}
                              : Modes{QuantMode_t::REQ8, QuantMode_t::VREQ8};
}

void CheckMode(const CopyOut& out, bool withVector) {
    const Modes modes = ModesOf(out.from, out.to);
    if (out.quant != modes.scalar && out.quant != modes.vector) {
        Fail("T464", "quantisation mode: %s from %s to %s with %s, expected %s%s%s", Name(out.api),
             Name(out.from), Name(out.to), ModeName(out.quant), ModeName(modes.scalar),
             modes.scalar == modes.vector ? "" : " or ",
             modes.scalar == modes.vector ? "" : ModeName(modes.vector));
    }
    if (withVector && !IsVectorMode(out.quant)) {
        Fail("T464",
             "quantisation mode: %s with a vector and %s copies nothing on the chip, expected a "
             "mode with one word per column\n  try: %s, or the form without a vector",
             Name(out.api), ModeName(out.quant), ModeName(modes.vector));
    }
}

void CheckSplit(const CopyOut& out) {
    if (out.split &&
        (out.from != Dtype::F32 || out.to != Dtype::F32 || out.rowMajor || out.unitFlag != 0)) {
        Fail("T462",
             "layout: %s with channel split, expected float to float in fractal order without unit "
             "flag",
             Name(out.api));
    }
    const uint32_t unit = out.split ? kSide / 2 : kSide;
    if (!out.rowMajor && out.columns % unit != 0) {
        Fail("T450",
             "parameter out of range: %s in fractal order with nSize %u, expected a "
             "multiple of %u",
             Name(out.api), out.columns, unit);
    }
}

void CheckStrides(Core& core, const CopyOut& out) {
    if (core.strict && out.columns > kSide &&
        (out.srcStride % kSide != 0 || out.srcStride < out.rows)) {
        Fail("T463",
             "stripes of L0C: %s of %u rows with srcStride %u, expected a multiple of 16 that is "
             "not smaller: Mmad writes whole fractals\n  try: srcStride = mSize rounded up to 16",
             Name(out.api), out.rows, out.srcStride);
    }
    const uint64_t size = SizeOf(out.to);
    const uint64_t stripe = uint64_t{out.rows} * StripeColumns(out) * size;
    const bool narrow = out.rowMajor ? out.dstStride < out.columns && out.rows > 1
                                     : uint64_t{out.dstStride} * kRowBytes < stripe &&
                                           out.columns > StripeColumns(out);
    if (core.strict && narrow) {
        Fail("T451",
             "%s overlap: %s of %u x %u with dstStride %u; the order of overlapping writes is "
             "undefined\n  try: dstStride = %llu",
             out.rowMajor ? "rows" : "stripes", Name(out.api), out.rows, out.columns, out.dstStride,
             static_cast<unsigned long long>(out.rowMajor ? out.columns
                                                          : CeilDiv(stripe, kRowBytes)));
    }
}

}  // namespace

void CheckCopyOut(Core& core, const CopyOut& out, bool withVector) {
    CheckRange(Name(out.api), "nSize", out.columns, 1, kMaxDimension);
    CheckRange(Name(out.api), "mSize", out.rows, 1, out.rowMajor ? 8192 : UINT16_MAX);
    CheckRange(Name(out.api), "dstStride", out.dstStride, 1, UINT32_MAX);
    if (out.ndNum > 1) {
        CheckRange(Name(out.api), "srcNdStride", out.srcNdStride, 1, 512);
        CheckRange(Name(out.api), "dstNdStride", out.dstNdStride, 1, UINT16_MAX);
    }
    CheckMode(out, withVector);
    CheckSplit(out);
    CheckStrides(core, out);
    if (core.strict && withVector && !out.rowMajor && SizeOf(out.to) == 1 && out.columns > kLine) {
        Fail("T455",
             "not modelled: %s in fractal order to 8 bits with a vector of %u columns; the library "
             "leaves gaps between its parts of 128 columns\n  try: calls of at most 256 columns",
             Name(out.api), out.columns);
    }
}

}  // namespace twin::cube
