// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "core/library_steps.h"
#include "device/library/call.h"
#include "device/library/tmp.h"
#include "device/transpose/confusion_tiling.h"
#include "device/transpose/transpose.h"

namespace twin::transpose {
namespace {

using advanced::Call;
using AscendC::TransposeType;

/// Computes the element offset of a (head, row, column) in the source and the destination layout.
struct Layouts {
    Scene scene;
    bool toNz;
    ConfusionShape shape;

    uint64_t SrcBatch() const {
        const uint64_t columns =
            scene == Scene::Swap || scene == Scene::Join ? shape.n * HeadWidth() : shape.Width();
        return columns * shape.s;
    }
    uint64_t DstBatch() const {
        return uint64_t{scene == Scene::Join ? shape.Width() : shape.n * HeadWidth()} * shape.s;
    }
    uint64_t Src(uint64_t n, uint64_t s, uint64_t d) const {
        switch (scene) {
            case Scene::Swap:
            case Scene::Join:
                return n * HeadWidth() * shape.s + Nz(s, d);
            default:
                return Nz(s, n * shape.d + d);
        }
    }
    uint64_t Dst(uint64_t n, uint64_t s, uint64_t d) const {
        const uint64_t heads = shape.n;
        switch (scene) {
            case Scene::Swap:
                return toNz ? (s * HeadWidth() / kCube + d / kCube) * heads * kCube + n * kCube +
                                  d % kCube
                            : (s * heads + n) * HeadWidth() + d;
            case Scene::SplitToNz:
                return n * HeadWidth() * shape.s + Nz(s, d);
            case Scene::SplitToNd:
                return (n * shape.s + s) * HeadWidth() + d;
            default:
                return toNz ? Nz(s, n * shape.d + d) : s * shape.Width() + n * shape.d + d;
        }
    }
    /// Returns the number of columns from `d` on that are contiguous in both layouts.
    uint64_t Run(uint64_t n, uint64_t d) const {
        const uint64_t joined = scene == Scene::Swap ? d : n * shape.d + d;
        return std::min({kCube - d % kCube, kCube - joined % kCube, shape.d - d});
    }

private:
    uint32_t HeadWidth() const { return shape.Blocks() * kCube; }
    uint64_t Nz(uint64_t row, uint64_t column) const {
        return column / kCube * kCube * shape.s + row * kCube + column % kCube;
    }
};

void Move(const Layouts& layouts, uint8_t* dst, const uint8_t* src, uint32_t size) {
    const ConfusionShape& shape = layouts.shape;
    for (uint64_t b = 0; b < shape.b; ++b) {
        for (uint64_t n = 0; n < shape.n; ++n) {
            for (uint64_t d = 0; d < shape.d;) {
                const uint64_t run = layouts.Run(n, d);
                for (uint64_t s = 0; s < shape.s; ++s) {
                    std::memcpy(dst + (b * layouts.DstBatch() + layouts.Dst(n, s, d)) * size,
                                src + (b * layouts.SrcBatch() + layouts.Src(n, s, d)) * size,
                                run * size);
                }
                d += run;
            }
        }
    }
}

template <typename E>
void Turn(const ConfusionShape& shape, uint8_t* dst, const uint8_t* src) {
    const auto* from = reinterpret_cast<const E*>(src);
    auto* to = reinterpret_cast<E*>(dst);
    for (uint64_t column = 0; column < shape.d; ++column) {
        for (uint64_t row = 0; row < shape.s; ++row) {
            to[column * shape.s + row] = from[row * shape.d + column];
        }
    }
}

void CheckTiling(Scene scene, TransposeType type, const ConfusionShape& shape,
                 const ConfusionTransposeTiling& got, uint32_t size) {
    const uint32_t scratch = shape.piece * size;
    const int64_t flat[] = {shape.s, shape.d};
    const int64_t dims[] = {shape.b, shape.n, shape.s, shape.d};
    const ConfusionTransposeTiling want =
        MakeConfusionTiling(type, scene == Scene::Plain ? flat : dims, size, scratch);
    uint32_t value[18];
    uint32_t expected[18];
    static_assert(sizeof(got) == sizeof(value), "the tiling is its 18 parameters");
    std::memcpy(value, &got, sizeof(value));
    std::memcpy(expected, &want, sizeof(expected));
    static const char* const kNames[] = {"param0",  "param1",  "param2",  "param3",  "param4",
                                         "param5",  "param6",  "param7",  "param8",  "param9",
                                         "param10", "param11", "param12", "param13", "param14",
                                         "param15", "param16", "param17"};
    for (uint32_t i = 0; i < sizeof(kNames) / sizeof(kNames[0]); ++i) {
        advanced::CheckFields("ConfusionTranspose", {{kNames[i], value[i], expected[i]}});
    }
}

void CheckShape(Scene scene, TransposeType type, const ConfusionShape& shape, uint32_t size) {
    if (scene == Scene::None) {
        Fail("T722",
             "form not taken: ConfusionTranspose with TransposeType %u, of which the library does "
             "nothing\n  try: one of TRANSPOSE_NZ2ND_0213 to TRANSPOSE_ND2ND_ONLY",
             static_cast<uint32_t>(type));
    }
    const bool plain =
        scene != Scene::Plain || (shape.s % kCube == 0 && shape.d * size % kBlockBytes == 0);
    const bool pieces = scene != Scene::Swap || shape.piece > 0;
    if (shape.b == 0 || shape.n == 0 || shape.s == 0 || shape.d == 0 || !plain || !pieces) {
        Fail("T703",
             "shape not taken: ConfusionTranspose type %u of batch %u, heads %u, rows %u, columns "
             "%u with %u elements of scratch; none is 0, and without heads rows are a multiple of "
             "16 and columns of 32 B\n  try: the tiling that the host makes for this shape",
             static_cast<uint32_t>(type), shape.b, shape.n, shape.s, shape.d, shape.piece);
    }
}

}  // namespace

void RunConfusion(Dtype dtype, const Operand& dst, const Operand& src, TransposeType type,
                  const ConfusionTransposeTiling& tiling, const advanced::Tmp& tmp,
                  Location where) {
    Call call(Opcode::ConfusionTranspose, where);
    if (!call) {
        return;
    }
    const uint32_t size = SizeOf(dtype);
    const Scene scene = SceneOf(type);
    call.shape().form = scene == Scene::Plain ? 1 : 0;
    const bool toNz = type == TransposeType::TRANSPOSE_NZ2NZ_0213 ||
                      type == TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N;
    const Layouts layouts{scene, toNz, ShapeOf(scene, tiling)};
    const ConfusionShape& shape = layouts.shape;
    CheckShape(scene, type, shape, size);
    if (call.core().strict) {
        CheckTiling(scene, type, shape, tiling, size);
    }
    const bool plain = scene == Scene::Plain;
    const uint64_t area = uint64_t{shape.s} * shape.d;
    const uint64_t dstBytes = (plain ? area : shape.b * layouts.DstBatch()) * size;
    const uint64_t srcBytes = (plain ? area : shape.b * layouts.SrcBatch()) * size;
    uint8_t* to = call.Write(Arg::DstTensor, dst, dstBytes);
    const uint8_t* from = call.Read(Arg::SrcTensor, src, srcBytes);
    const uint64_t need = scene == Scene::Swap ? uint64_t{shape.piece} * size
                                               : ConfusionScratch(type, shape.s, size, true);
    call.Take(tmp, {need, need});
    call.RunMoving(dtype, dstBytes / size, Overlap::Library, [&](const auto& bytes) {
        uint8_t* const results = bytes.Of(Memory::Ub, to);
        const uint8_t* const source = bytes.Of(Memory::Ub, from);
        if (plain) {
            (size == 2 ? Turn<uint16_t> : Turn<uint32_t>)(shape, results, source);
        } else {
            if (scene != Scene::Swap && shape.d % kCube != 0 && results == to) {
                call.Spoil();  // Move does not write the elements that pad a head
            }
            Move(layouts, results, source, size);
        }
    });
}

}  // namespace twin::transpose

namespace twin {

void ConfusionTransposeSteps(CallSteps s) {
    if (!s.Has(1)) {  // every layout change except the plain transpose
        s.Barrier();
    }
    s.Unlisted({s.Operand(0), s.Operand(1)});
}

}  // namespace twin
