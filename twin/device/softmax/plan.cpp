// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/library/tmp.h"
#include "device/softmax/task.h"

namespace twin::softmax {
namespace {

constexpr uint32_t kRepeat = 64;  ///< number of floats in a repeat
constexpr uint32_t kTile = 8;     ///< number of rows that are reduced together
constexpr uint32_t kMaxBasicK = 2048;

[[noreturn]] void RefuseShape(const Task& task, const char* rule) {
    const AscendC::SoftMaxShapeInfo& s = task.shape;
    Fail("T703",
         "shape not taken: %s of %u x %u %s, of which %u x %u are valid; %s\n  try: rows padded "
         "to 32 B, and their true length as oriSrcK",
         Name(task.api), s.srcM, s.srcK, Name(task.dtype), s.oriSrcM, s.oriSrcK, rule);
}

void CheckShape(const Task& task, bool strict) {
    const AscendC::SoftMaxShapeInfo& s = task.shape;
    if (s.srcM == 0 || s.srcK == 0) {
        RefuseShape(task, "expected a shape, as an argument or set on src");
    }
    if (s.srcK * SizeOf(task.dtype) % kBlockBytes != 0) {
        RefuseShape(task, "expected rows of a multiple of 32 B");
    }
    if (s.oriSrcK == 0 || s.oriSrcK > s.srcK || s.oriSrcM > s.srcM) {
        RefuseShape(task, "expected 1 <= oriSrcK <= srcK and oriSrcM <= srcM");
    }
    if (task.flags.nz && (s.srcK % kFractal != 0 || s.oriSrcK + kFractal <= s.srcK)) {
        RefuseShape(task, "expected whole fractals of 16 columns, the last one not empty");
    }
    if (strict && task.flags.basicBlock &&
        (s.srcM % kTile != 0 || s.srcK % kRepeat != 0 || s.srcK >= kMaxBasicK ||
         s.oriSrcK != s.srcK)) {
        RefuseShape(
            task,
            "isBasicBlock takes a multiple of 8 rows and of 64 columns, fewer than 2048, all "
            "valid");
    }
    if (task.kind == Kind::FlashV3 &&
        (s.srcM % kTile != 0 || s.srcK % kRepeat != 0 || s.srcK < kTile * kRepeat ||
         s.oriSrcM != s.srcM || s.oriSrcK != s.srcK || task.params.splitMeanCnt != kTile ||
         (task.flags.update && task.params.loopCnt == 0))) {
        RefuseShape(
            task,
            "it takes a multiple of 8 rows and of 64 columns, at least 512, all valid, with "
            "splitMeanCnt 8, and with isUpdate a loopCnt");
    }
}

void CheckTiling(const Task& task) {
    const SoftMaxTiling& t = task.tiling;
    const uint32_t k = task.shape.srcK;
    const uint32_t perBlock = kBlockBytes / SizeOf(task.stat);
    const uint32_t rows = t.rangeM * t.splitM + t.tailM;
    const uint32_t most = std::min(rows, task.shape.srcM);
    advanced::CheckFields(Name(task.api),
                          {{"srcM", t.srcM, task.shape.srcM},
                           {"srcK", t.srcK, k},
                           {"splitM", t.splitM, std::max(t.splitM, 1U)},
                           {"rangeM", t.rangeM, std::max(t.rangeM, 1U)},
                           {"reduceM", t.reduceM, t.splitM},
                           {"splitK", t.splitK, k},
                           {"splitSize", t.splitSize, t.splitM * k},
                           {"reduceK", t.reduceK, task.flags.nz ? t.reduceK : perBlock},
                           {"reduceSize", t.reduceSize, t.reduceM * t.reduceK},
                           {"tailSplitSize", t.tailSplitSize, t.tailM * k},
                           {"tailReduceSize", t.tailReduceSize, t.tailM * t.reduceK},
                           {"rangeM * splitM + tailM", rows, std::max(most, task.shape.oriSrcM)}});
}

}  // namespace

AscendC::SoftMaxShapeInfo Resolve(const AscendC::SoftMaxShapeInfo& given,
                                  const AscendC::ShapeInfo& tensor) {
    AscendC::SoftMaxShapeInfo shape = given;
    if (tensor.shapeDim == 0 || tensor.originalShapeDim == 0) {
        return shape;  // CheckShape will refuse this shape
    }
    const auto rowsOf = [](const uint32_t* dims, uint32_t count) {
        uint32_t rows = 1;
        for (uint32_t i = 0; i + 1 < count; ++i) {
            rows *= dims[i];
        }
        return rows;
    };
    shape.srcM = rowsOf(tensor.shape, tensor.shapeDim);
    shape.srcK = tensor.shape[tensor.shapeDim - 1];
    shape.oriSrcM = rowsOf(tensor.originalShape, tensor.originalShapeDim);
    shape.oriSrcK = tensor.originalShape[tensor.originalShapeDim - 1];
    return shape;
}

uint64_t RowTemporary(const Task& task) {
    const bool wide = task.dtype == Dtype::F16;  // rows are first converted to float
    const uint64_t k = task.shape.srcK;
    const uint64_t block = kBlockBytes / SizeOf(task.stat);
    const bool update = task.flags.update;
    const uint64_t kept = task.hasStats && task.stat == Dtype::F32 ? 0 : block;
    uint64_t floats = 0;
    switch (task.kind) {
        case Kind::Simple:
            floats = wide ? k + block : 0;
            break;
        case Kind::Flash:
            floats = update ? 2 * k + 4 * block : (wide ? k : 0) + kept + kRepeat;
            break;
        case Kind::FlashV2:
            floats = (wide ? k + kept : 0) + kRepeat + (update ? block : 0);
            break;
        case Kind::FlashV3:
            floats = 5 * block + 2 * k + kRepeat;
            break;
        case Kind::Grad:
            floats = wide ? 3 * k + 2 * block : k + (update ? 1 : 2) * block;
            break;
        default:
            floats = (wide ? k : 0) + kept + kRepeat;
    }
    if (task.flags.nz) {
        floats = k + (task.kind == Kind::FlashV2 ? 3 : 1) * kFractal;
    }
    return floats * sizeof(float);
}

Plan MakePlan(const Task& task, uint64_t room, bool strict) {
    CheckShape(task, strict);
    const SoftMaxTiling& t = task.tiling;
    const AscendC::SoftMaxShapeInfo& s = task.shape;
    const bool fits = t.srcM == s.srcM && t.srcK == s.srcK;
    if (fits || !task.flags.config.isCheckTiling) {
        if (strict) {
            CheckTiling(task);
        }
        const uint64_t rows = uint64_t{t.rangeM} * t.splitM + t.tailM;
        return {t.splitM, static_cast<uint32_t>(std::min<uint64_t>(rows, s.srcM))};
    }
    // Like the library, takes as many rows at once as fit into the buffer, but at least one row.
    const uint64_t perRow = std::max<uint64_t>(RowTemporary(task), 1);
    const uint64_t rowsAtOnce = std::min<uint64_t>(std::max<uint64_t>(room / perRow, 1), s.srcM);
    const bool clipped = task.kind == Kind::Softmax || task.kind == Kind::Simple;
    return {static_cast<uint32_t>(rowsAtOnce), clipped && s.oriSrcM != 0 ? s.oriSrcM : s.srcM};
}

}  // namespace twin::softmax
