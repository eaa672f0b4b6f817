// SPDX-License-Identifier: Apache-2.0
#include "device/transpose/confusion_tiling.h"

#include "core/types.h"
#include "device/transpose/transpose.h"

namespace twin::transpose {
namespace {

using AscendC::TransposeType;

uint32_t Up(int64_t value) { return static_cast<uint32_t>((value + kCube - 1) / kCube * kCube); }

void Swapped(ConfusionTransposeTiling* t, const int64_t* dims, uint32_t typeSize,
             uint32_t scratchBytes) {
    const auto a1 = static_cast<uint32_t>(dims[1]);
    const uint32_t a2 = Up(dims[2]);
    const uint32_t a3 = Up(dims[3]);
    const uint32_t piece = scratchBytes / typeSize / kFractal * kFractal;
    const uint32_t need = a2 * kCube;
    const uint32_t mainBlocks = piece == 0 ? 0 : need / piece;
    t->param1 = static_cast<uint32_t>(dims[0]);
    t->param2 = a1;
    t->param3 = a3;
    t->param4 = a2;
    t->param5 = a3 / kCube;
    t->param6 = piece;
    t->param7 = piece / kCube;
    t->param8 = need;
    t->param9 = mainBlocks;
    t->param10 = piece == 0 ? 0 : need % piece;
    t->param11 = a2 * a3;
    t->param12 = a1 * a2 * a3;
    t->param13 = a1 * a3;
    t->param14 = a1 * kCube;
    t->param15 = piece / kCube * mainBlocks * a1 * a3;
}

/// Numbers from which the tiling parameters are computed if the layout change involves heads.
struct Heads {
    uint32_t n, d, width, alignWidth, rows, blocks, alignD, perBlock;
};

Heads HeadsOf(const int64_t* dims, uint32_t typeSize) {
    const auto n = static_cast<uint32_t>(dims[1]);
    const auto d = static_cast<uint32_t>(dims[3]);
    return {n, d, n * d, Up(n * d), Up(dims[2]), Up(d) / kCube, Up(d), kBlockBytes / typeSize};
}

void SplitNz(ConfusionTransposeTiling* t, const Heads& h) {
    t->param4 = kCube / h.perBlock;
    t->param5 = h.width;
    t->param6 = h.alignWidth / kCube;
    t->param7 = h.rows / kCube;
    t->param8 = h.alignWidth;
    t->param9 = h.rows;
    t->param10 = h.blocks;
    t->param11 = h.alignD;
    t->param12 = h.alignD - h.d;
    t->param13 = h.rows * kCube;
    t->param14 = h.n * h.blocks;
    t->param15 = h.n * h.alignD * h.rows;
    t->param16 = h.alignWidth * h.rows;
}

void SplitNd(ConfusionTransposeTiling* t, const Heads& h) {
    t->param4 = h.width;
    t->param5 = h.alignWidth / kCube;
    t->param6 = h.rows / kCube;
    t->param7 = h.blocks;
    t->param8 = h.alignD;
    t->param9 = h.alignD - h.d;
    t->param10 = h.rows * kCube;
    t->param11 = h.n * h.blocks;
    t->param12 = h.rows * h.alignD;
    t->param13 = h.alignD * kCube;
    t->param14 = h.alignD * h.perBlock;
    t->param15 = h.n * h.alignD * h.rows;
    t->param16 = h.alignWidth * h.rows;
    t->param17 = kCube / h.perBlock;
}

void Joined(ConfusionTransposeTiling* t, const Heads& h) {
    t->param4 = h.width;
    t->param5 = h.alignWidth / kCube;
    t->param6 = h.rows / kCube;
    t->param7 = h.blocks;
    t->param8 = h.alignWidth;
    t->param9 = h.rows * kCube;
    t->param10 = h.alignWidth * kCube;
    t->param11 = h.perBlock * h.alignWidth;
    t->param12 = h.n * h.alignD * h.rows;
    t->param13 = h.alignWidth * h.rows;
    t->param14 = kCube / h.perBlock;
}

void PlainSized(ConfusionTransposeTiling* t, const int64_t* dims, uint32_t perBlock) {
    const auto height = static_cast<uint32_t>(dims[0]);
    const auto width = static_cast<uint32_t>(dims[1]);
    t->param1 = height;
    t->param2 = width;
    t->param3 = height / kCube;
    t->param4 = height;
    t->param5 = width / perBlock;
}

}  // namespace

Scene SceneOf(TransposeType type) {
    switch (type) {
        case TransposeType::TRANSPOSE_NZ2ND_0213:
        case TransposeType::TRANSPOSE_NZ2NZ_0213:
            return Scene::Swap;
        case TransposeType::TRANSPOSE_NZ2NZ_012_WITH_N:
            return Scene::SplitToNz;
        case TransposeType::TRANSPOSE_NZ2ND_012_WITH_N:
            return Scene::SplitToNd;
        case TransposeType::TRANSPOSE_NZ2ND_012_WITHOUT_N:
        case TransposeType::TRANSPOSE_NZ2NZ_012_WITHOUT_N:
            return Scene::Join;
        case TransposeType::TRANSPOSE_ND2ND_ONLY:
            return Scene::Plain;
        default:
            return Scene::None;
    }
}

ConfusionShape ShapeOf(Scene scene, const ConfusionTransposeTiling& t) {
    switch (scene) {
        case Scene::Swap:
            return {t.param1, t.param2, t.param4, t.param3, t.param6};
        case Scene::SplitToNz:
            return {t.param1, t.param2, t.param9, t.param3, 0};
        case Scene::SplitToNd:
        case Scene::Join:
            return {t.param1, t.param2, t.param6 * kCube, t.param3, 0};
        default:
            return {1, 1, t.param1, t.param2, 0};
    }
}

ConfusionTransposeTiling MakeConfusionTiling(TransposeType type, const int64_t* dims,
                                             uint32_t typeSize, uint32_t scratchBytes) {
    ConfusionTransposeTiling tiling;
    const Scene scene = SceneOf(type);
    tiling.param0 = kBlockBytes / typeSize;
    if (scene == Scene::Swap) {
        Swapped(&tiling, dims, typeSize, scratchBytes);
        return tiling;
    }
    if (scene == Scene::Plain) {
        PlainSized(&tiling, dims, tiling.param0);
        return tiling;
    }
    tiling.param1 = static_cast<uint32_t>(dims[0]);
    tiling.param2 = static_cast<uint32_t>(dims[1]);
    tiling.param3 = static_cast<uint32_t>(dims[3]);
    const Heads heads = HeadsOf(dims, typeSize);
    scene == Scene::SplitToNz   ? SplitNz(&tiling, heads)
    : scene == Scene::SplitToNd ? SplitNd(&tiling, heads)
                                : Joined(&tiling, heads);
    return tiling;
}

uint32_t ConfusionScratch(TransposeType type, int64_t rows, uint32_t typeSize, bool least) {
    switch (SceneOf(type)) {
        case Scene::Swap:
            return (least ? kFractal : Up(rows) * kCube) * typeSize;
        case Scene::None:
        case Scene::Plain:
            return 0;
        default:
            return 2 * kFractal * typeSize;
    }
}

}  // namespace twin::transpose
