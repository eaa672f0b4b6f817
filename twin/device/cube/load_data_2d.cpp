// SPDX-License-Identifier: Apache-2.0
#include "device/cube/load_data_2d.h"

#include <cstring>

#include "device/cube/engine.h"
#include "device/data_copy/gm_access.h"
#include "device/lanes/fractal.h"

namespace twin::cube {
namespace {

constexpr char kApi[] = "LoadData with LoadData2DParams";

void Record(Core& core, Pipe pipe, const AscendC::LoadData2DParams& params, Dtype dtype,
            const LegacyRange& dst, const LegacyRange& src) {
    LegacyInstruction instruction;
    instruction.pipe = pipe;
    instruction.opcode = params.ifTranspose ? "LoadDataTranspose" : "LoadData";
    instruction.dtype = dtype;
    instruction.repeats = params.repeatTimes;
    instruction.elements = uint64_t{params.repeatTimes} * kSide * RowElements(dtype);
    instruction.Add(dst);
    instruction.Add(src);
    core.Record(instruction);
}

/// Of the fractals that the repeats write.
struct Target {
    uint8_t* start;
    uint64_t stride;
    LegacyRange range;
};

Target CheckTarget(Core& core, const Operand& dst, Memory memory,
                   const AscendC::LoadData2DParams& params) {
    const uint64_t stride = (uint64_t{params.dstGap} + 1) * kFractalBytes;
    const uint64_t bytes = (params.repeatTimes - 1U) * stride + kFractalBytes;
    const uint32_t alignment = memory == Memory::L1 ? kRowBytes : kFractalBytes;
    uint8_t* start = CheckLocalOperand(core, dst, memory, bytes, alignment, kApi, "dst");
    return {start, stride, LocalRuns(core, dst, kFractalBytes, params.repeatTimes, stride, true)};
}

}  // namespace

void LoadFractals(const Operand& dst, const Operand& src, const AscendC::LoadData2DParams& params,
                  Dtype dtype, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where) || params.repeatTimes == 0) {
        return;
    }
    const Memory memory = MemoryOf(dst.position);
    if (memory != Memory::L0a) {
        RequireMemory(dst, Memory::L0b, kApi, "dst");
    }
    if (params.ifTranspose && SizeOf(dtype) != 2) {
        Fail("T452",
             "transpose not available: %s of %s with ifTranspose, expected elements of 16 bits\n  "
             "try: LoadDataWithTranspose, or LoadData with LoadData3DParamsV2",
             kApi, Name(dtype));
    }
    const Target target = CheckTarget(core, dst, memory, params);
    const uint64_t stride = uint64_t{params.srcStride} * kFractalBytes;
    const Operand first = Advance(src, uint64_t{params.startIndex} * kFractalBytes);
    const uint8_t* from = CheckLocalOperand(core, first, Memory::L1,
                                            (params.repeatTimes - 1U) * stride + kFractalBytes,
                                            kRowBytes, kApi, "src");
    const lanes::TurnFn turn = lanes::BestFractal().turn16;
    for (uint32_t i = 0; i < params.repeatTimes; ++i) {
        uint8_t* to = target.start + i * target.stride;
        if (params.ifTranspose) {
            turn(to, 0, from + i * stride);
        } else {
            std::memcpy(to, from + i * stride, kFractalBytes);
        }
    }
    if (core.Recording()) {
        Record(core, Pipe::Mte1, params, dtype, target.range,
               LocalRuns(core, first, kFractalBytes, params.repeatTimes, stride, false));
    }
}

void LoadFractalsFromGm(const Operand& dst, const GmOperand& src,
                        const AscendC::LoadData2DParams& params, Dtype dtype, Location where) {
    Core& core = Self();
    if (!core.BeginOn(CoreKind::Aic, where) || params.repeatTimes == 0) {
        return;
    }
    const Memory memory = MemoryOf(dst.position);
    if (memory != Memory::L0a && memory != Memory::L0b) {
        RequireMemory(dst, Memory::L1, kApi, "dst");
    }
    if (params.ifTranspose) {
        Fail("T452",
             "transpose not available: %s from GM with ifTranspose, expected a source in L1", kApi);
    }
    const uint64_t stride = uint64_t{params.srcStride} * kFractalBytes;
    const uint64_t steps = params.repeatTimes - 1U;
    const bool down = params.addrMode != 0 && memory == Memory::L1;
    const uint64_t start = uint64_t{params.startIndex} * kFractalBytes;
    if (params.addrMode > 1 || (params.addrMode != 0 && !down) ||
        (down && start < steps * stride)) {
        Fail("T453",
             "source order: %s with addrMode %u from fractal %u over %u repeats, expected 0, or 1 "
             "into L1 with enough fractals before the start",
             kApi, params.addrMode, params.startIndex, params.repeatTimes);
    }
    const Target target = CheckTarget(core, dst, memory, params);
    const uint64_t low = down ? start - steps * stride : start;
    const GmOperand lowest = {src.origin, src.address + low};
    core.CheckGm(src.origin, lowest.address, steps * stride + kFractalBytes,
                 uint64_t{params.repeatTimes} * kFractalBytes, false, kApi);
    copy::OrderRuns(core, lowest, params.repeatTimes, kFractalBytes, stride, false, kApi);
    for (uint64_t i = 0; i <= steps; ++i) {
        const uint64_t offset = down ? start - i * stride : start + i * stride;
        std::memcpy(target.start + i * target.stride,
                    reinterpret_cast<const uint8_t*>(src.address + offset), kFractalBytes);
    }
    if (core.Recording()) {
        Record(core, Pipe::Mte2, params, dtype, target.range,
               GmRuns(lowest, kFractalBytes, params.repeatTimes, stride, false));
    }
}

}  // namespace twin::cube
