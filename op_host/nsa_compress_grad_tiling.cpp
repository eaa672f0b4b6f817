// SPDX-License-Identifier: Apache-2.0
#include "nsa_compress_grad_tiling.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "common/l2_plan.h"
#include "common/output_strides.h"
#include "common/tiling_math.h"
#include "nsa_compress_grad_forms.h"
#include "nsa_compress_grad_interface.h"
#include "register/op_def_registry.h"

namespace optiling {
namespace {

using namespace nsa_compress_grad;

bool ReadShapes(gert::TilingContext* context, Problem* problem) {
    const gert::StorageShape* outputGrad = context->GetInputShape(op::kInputOutputGrad);
    const gert::StorageShape* input = context->GetInputShape(op::kInputInput);
    const gert::StorageShape* weight = context->GetInputShape(op::kInputWeight);
    if (outputGrad == nullptr || input == nullptr || weight == nullptr) {
        return false;
    }
    const gert::Shape& dy = outputGrad->GetStorageShape();
    const gert::Shape& x = input->GetStorageShape();
    const gert::Shape& w = weight->GetStorageShape();
    if (dy.GetDimNum() != 3 || x.GetDimNum() != 3 || w.GetDimNum() != 2) {
        return false;
    }
    problem->windows = dy.GetDim(0);
    problem->rows = x.GetDim(0);
    problem->heads = x.GetDim(1);
    problem->headDim = x.GetDim(2);
    return problem->rows > 0 && problem->heads > 0 && problem->headDim > 0 &&
           dy.GetDim(1) == problem->heads && dy.GetDim(2) == problem->headDim &&
           w.GetDim(0) == problem->blockSize && w.GetDim(1) == problem->heads &&
           problem->heads <= op::kMaxHeads && problem->headDim <= op::kMaxHeadDim &&
           problem->headDim % kUnitRows == 0 &&
           ReadOutputStrides(context, op::kAttrInputGradStrides, x, &problem->inputGradStrides) &&
           ReadOutputStrides(context, op::kAttrWeightGradStrides, w, &problem->weightGradStrides);
}

bool ReadAttrs(gert::TilingContext* context, Problem* problem) {
    const gert::RuntimeAttrs* attrs = context->GetAttrs();
    if (attrs == nullptr || attrs->GetInt(op::kAttrCompressBlockSize) == nullptr ||
        attrs->GetInt(op::kAttrCompressStride) == nullptr) {
        return false;
    }
    problem->blockSize = *attrs->GetInt(op::kAttrCompressBlockSize);
    problem->stride = *attrs->GetInt(op::kAttrCompressStride);
    return problem->stride > 0 && problem->stride < problem->blockSize &&
           problem->blockSize <= op::kMaxBlockSize && problem->blockSize % kUnitRows == 0 &&
           problem->stride % kUnitRows == 0;
}

int64_t WindowsOf(const Problem& problem, int64_t length) {
    return op::Windows(length, problem.blockSize, problem.stride);
}

/// Reads the ends of the sequences, and checks them against the number of rows and windows.
bool ReadEnds(gert::TilingContext* context, Problem* problem) {
    const gert::Tensor* tensor = context->GetOptionalInputTensor(op::kInputActSeqLenOptional);
    problem->hasEnds = tensor != nullptr;
    if (!problem->hasEnds) {
        problem->ends.assign(1, problem->rows);
    } else if (tensor->GetData<int64_t>() == nullptr || tensor->GetShapeSize() < 1) {
        return false;
    } else {
        const int64_t* ends = tensor->GetData<int64_t>();
        problem->ends.assign(ends, ends + tensor->GetShapeSize());
    }
    int64_t begin = 0;
    int64_t windows = 0;
    for (const int64_t end : problem->ends) {
        if (end < begin || end > problem->rows) {
            return false;
        }
        windows += WindowsOf(*problem, end - begin);
        begin = end;
    }
    return windows == problem->windows;
}

bool ReadPlatform(gert::TilingContext* context, Problem* problem) {
    if (!ReadChip(context, &problem->chip)) {
        return false;
    }
    problem->cores = std::min<int64_t>(problem->chip.vectorCores, op::kMaxBlocks);
    return true;
}

/// Returns `start`, moved forward to the sequence that contains `row`.
NsaCompressGradStart Advance(const Problem& problem, NsaCompressGradStart start, int64_t row) {
    const int64_t count = static_cast<int64_t>(problem.ends.size());
    while (start.sequence + 1 < count && problem.ends[start.sequence] <= row) {
        const int64_t end = problem.ends[start.sequence];
        start.windows += WindowsOf(problem, end - start.firstRow);
        start.firstRow = end;
        ++start.sequence;
    }
    return start;
}

/// Sets for each block the sequence of its first row. Each group of heads begins at row 0.
void FillStarts(const Problem& problem, int64_t blocks, int64_t units, int64_t unitsPerGroup,
                NsaCompressGradStart* starts) {
    NsaCompressGradStart start = {0, 0, 0};
    int64_t lastUnit = 0;
    for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = FirstOfShare(units, blocks, block);
        const int64_t unit = first % unitsPerGroup;
        start = unit < lastUnit ? NsaCompressGradStart{0, 0, 0} : start;
        start = Advance(problem, start, unit * kUnitRows);
        starts[block] = start;
        lastUnit = unit;
    }
}

void FillL2Plan(const Problem& problem, bool readsAgain, int64_t workspaceBytes,
                NsaCompressGradBaseTilingData* tiling) {
    const int64_t rowBytes = problem.heads * problem.headDim * kElemBytes;
    const int64_t written = problem.rows * rowBytes;
    const int64_t gradients = problem.windows * rowBytes;
    const L2Plan plan =
        PlanL2(problem.chip, {written + (readsAgain ? 0 : gradients),
                              workspaceBytes + (readsAgain ? gradients : 0), written});
    tiling->readsPastL2 = plan.readsPastL2 ? 1 : 0;
    tiling->tilesThroughL2 =
        static_cast<uint32_t>(plan.writtenThroughL2 * op::kTilesOfPlan / written);
}

void FillSizes(const Problem& problem, const Form& form, NsaCompressGradBaseTilingData* tiling) {
    tiling->rows = problem.rows;
    tiling->windows = problem.windows;
    tiling->sequences = problem.hasEnds ? static_cast<int64_t>(problem.ends.size()) : 0;
    std::copy(problem.inputGradStrides.begin(), problem.inputGradStrides.end(),
              tiling->inputGradStrides);
    std::copy(problem.weightGradStrides.begin(), problem.weightGradStrides.end(),
              tiling->weightGradStrides);
    tiling->cube = form.cube;
    tiling->heads = static_cast<uint32_t>(problem.heads);
    tiling->headDim = static_cast<uint32_t>(problem.headDim);
    tiling->blockSize = static_cast<uint32_t>(problem.blockSize);
    tiling->stride = static_cast<uint32_t>(problem.stride);
    tiling->headsPerGroup = static_cast<uint32_t>(form.tile.heads);
    tiling->rowsPerTile = static_cast<uint32_t>(form.tile.rows);
    tiling->windowsPerTile = static_cast<uint32_t>(form.tile.windows);
}

/// Returns the bytes of the cube cores' slots: for each run and head, 16 rows of sums.
int64_t CubeSlotBytes(const Problem& problem, const NsaCompressGradCubeTiling& cube) {
    if (cube.groups == 0) {
        return 0;
    }
    const int64_t headFloats = op::kCubeWindows * cube.groupsPerTile * problem.stride;
    const int64_t runs = problem.chip.cubeCores + CeilDiv(problem.heads, cube.heads) - 1;
    return runs * cube.heads * headFloats * kFloatBytes;
}

/// Fills the tiling data. Returns the bytes of the workspace.
int64_t FillTiling(const Problem& problem, const Form& form, NsaCompressGradTilingData* tiling) {
    NsaCompressGradBaseTilingData* base = tiling;
    const int64_t groups = CeilDiv(problem.heads, form.tile.heads);
    const int64_t units = CeilDiv(problem.rows, kUnitRows);
    const bool cube = form.cube.groups > 0;
    const int64_t blocks = cube ? problem.cores : std::min(problem.cores, groups * units);
    FillSizes(problem, form, base);
    // If the same number of blocks can process each group, no block has parts of two groups.
    const int64_t unitsPerGroup = blocks % groups == 0 ? RoundUp(units, blocks / groups) : units;
    base->unitsPerGroup = unitsPerGroup;
    base->vectorBlocks = static_cast<uint32_t>(blocks);
    base->cubeSlotsAt = (blocks + groups - 1) * form.tile.heads * problem.blockSize * kFloatBytes;
    base->cubeWeightsAt = base->cubeSlotsAt + CubeSlotBytes(problem, form.cube);
    const int64_t weightBytes = problem.stride * op::kCubeWindows * kElemBytes;
    const int64_t workspaceBytes =
        base->cubeWeightsAt + problem.chip.cubeCores * form.cube.headsOfBlock * weightBytes;
    FillL2Plan(problem, cube, workspaceBytes, base);
    std::fill(std::begin(tiling->starts), std::end(tiling->starts), NsaCompressGradStart{0, 0, 0});
    if (problem.ends.size() > op::kMaxSearched) {
        FillStarts(problem, blocks, unitsPerGroup * groups, unitsPerGroup, tiling->starts);
    }
    return workspaceBytes;
}

}  // namespace

ge::graphStatus Tiling4NsaCompressGrad(gert::TilingContext* context) {
    Problem problem;
    Form form;
    if (!ReadAttrs(context, &problem) || !ReadShapes(context, &problem) ||
        !ReadEnds(context, &problem) || !ReadPlatform(context, &problem) ||
        !ChooseForm(problem, &form)) {
        return ge::GRAPH_FAILED;
    }
    NsaCompressGradTilingData* tiling = context->GetTilingData<NsaCompressGradTilingData>();
    size_t* workspaces = context->GetWorkspaceSizes(1);
    if (tiling == nullptr || workspaces == nullptr) {
        return ge::GRAPH_FAILED;
    }
    const int64_t workspaceBytes = FillTiling(problem, form, tiling);
    workspaces[0] = problem.chip.systemBytes + static_cast<size_t>(workspaceBytes);
    const bool cube = form.cube.groups > 0;
    const int64_t blocks = cube ? problem.chip.cubeCores : tiling->vectorBlocks;
    context->SetTilingKey(cube                                     ? NSA_COMPRESS_GRAD_KEY_CUBE
                          : problem.ends.size() > op::kMaxSearched ? NSA_COMPRESS_GRAD_KEY_SEQUENCES
                                                                   : NSA_COMPRESS_GRAD_KEY_VECTOR);
    context->SetBlockDim(static_cast<uint32_t>(blocks));
    context->SetScheduleMode(1);  // cores wait for each other before they add the partial sums
    return ge::GRAPH_SUCCESS;
}

}  // namespace optiling
