// SPDX-License-Identifier: Apache-2.0
#include "device/transpose/trans_data.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "core/library_steps.h"
#include "device/library/call.h"

namespace twin::transpose {
namespace {

using AscendC::DataFormat;
using AscendC::TransDataConfig;

constexpr uint64_t kBytes = 2;  ///< size of an element

/// Places of elements, in elements, in NCDHW and in the other format.
struct Places {
    Ncdhw s;
    bool fractal;  ///< the other format is FRACTAL_Z_3D

    int64_t Plane() const { return s.h * s.w; }
    int64_t PaddedPlane() const { return Parts(Plane()) * kCube0; }
    int64_t OrdinarySize() const { return s.n * s.c * s.d * PaddedPlane(); }
    int64_t OtherSize() const {
        const int64_t rows = fractal ? Parts(s.n) * kCube0 : s.n;
        return rows * Parts(s.c) * kCube0 * s.d * Plane();
    }
    int64_t Ordinary(int64_t n, int64_t c, int64_t d) const {
        return ((n * s.c + c) * s.d + d) * PaddedPlane();
    }
    /// Returns the place of the first element of a plane; the next ones are Step() further on.
    int64_t Other(int64_t n, int64_t c, int64_t d) const {
        const int64_t c1 = c / kCube0, c0 = c % kCube0, columns = Parts(s.c);
        return fractal ? (d * columns + c1) * Plane() * Step() + n * kCube0 + c0
                       : ((n * s.d + d) * columns + c1) * Plane() * Step() + c0;
    }
    int64_t Step() const { return fractal ? Parts(s.n) * kCube0 * kCube0 : kCube0; }
};

/// Copies all elements between both formats; `split` is true for a copy out of NCDHW.
void Move(const Places& places, bool split, uint8_t* dst, const uint8_t* src) {
    const Ncdhw& s = places.s;
    for (int64_t n = 0; n < s.n; ++n) {
        for (int64_t c = 0; c < s.c; ++c) {
            for (int64_t d = 0; d < s.d; ++d) {
                const int64_t ordinary = places.Ordinary(n, c, d), other = places.Other(n, c, d);
                for (int64_t i = 0; i < places.Plane(); ++i) {
                    const auto one = static_cast<uint64_t>(ordinary + i) * kBytes;
                    const auto two = static_cast<uint64_t>(other + i * places.Step()) * kBytes;
                    std::memcpy(dst + (split ? two : one), src + (split ? one : two), kBytes);
                }
            }
        }
    }
}

}  // namespace

uint64_t TransDataScratch(const TransDataConfig& config, const Ncdhw& s) {
    const int64_t plane = Parts(s.h * s.w) * kCube0, channels = Parts(s.c) * kCube0;
    const int64_t rows = Parts(s.n) * kCube0, whole = s.d * channels * plane;
    int64_t elements = 0;
    if (config.dstFormat == DataFormat::NDC1HWC0) {
        elements = s.d * plane + whole;
    } else if (config.srcFormat == DataFormat::NDC1HWC0) {
        elements = whole + 256;
    } else if (config.dstFormat == DataFormat::FRACTAL_Z_3D) {
        elements = std::max(s.c * s.d * plane, s.d * s.h * s.w * rows) + rows * whole;
    } else {
        elements = rows * whole * (s.n == rows && s.c == channels ? 1 : 2);
    }
    return static_cast<uint64_t>(elements) * kBytes;
}

void RunTransData(Dtype dtype, const Operand& dst, const Operand& src,
                  const TransDataConfig& config, const Ncdhw& shape, const advanced::Tmp& tmp,
                  Location where) {
    advanced::Call call(Opcode::TransData, where);
    if (!call) {
        return;
    }
    for (const int64_t axis : {shape.n, shape.c, shape.d, shape.h, shape.w}) {
        if (axis <= 0) {
            Fail("T703",
                 "shape not taken: TransData of [%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                 ", %" PRId64 "] (NCDHW); no axis is 0",
                 shape.n, shape.c, shape.d, shape.h, shape.w);
        }
    }
    const bool split = config.srcFormat == DataFormat::NCDHW;
    const DataFormat other = split ? config.dstFormat : config.srcFormat;
    const Places places{shape, other == DataFormat::FRACTAL_Z_3D};
    const auto ordinary = static_cast<uint64_t>(places.OrdinarySize()) * kBytes;
    const auto divided = static_cast<uint64_t>(places.OtherSize()) * kBytes;
    const uint64_t dstBytes = split ? divided : ordinary;
    uint8_t* const to = call.Write(Arg::DstTensor, dst, dstBytes);
    const uint8_t* const from = call.Read(Arg::SrcTensor, src, split ? ordinary : divided);
    const uint64_t need = TransDataScratch(config, shape);
    call.Take(tmp, {need, need});
    call.RunMoving(dtype, dstBytes / kBytes, Overlap::Library, [&](const auto& bytes) {
        uint8_t* const results = bytes.Of(Memory::Ub, to);
        if (split) {
            std::memset(results, 0, dstBytes);  // rows and channels that pad are zeros
        } else if (results == to) {
            call.Spoil();  // the elements that pad a plane have any values
        }
        Move(places, split, results, bytes.Of(Memory::Ub, from));
    });
}

}  // namespace twin::transpose

namespace twin {

void TransDataSteps(CallSteps s) { s.Unlisted({s.Operand(0), s.Operand(1)}); }

}  // namespace twin
