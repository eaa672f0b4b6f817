// SPDX-License-Identifier: Apache-2.0
#include "device/softmax/engine.h"

#include <cstring>

#include "device/library/floats.h"
#include "device/pipe/tpipe.h"

namespace twin::softmax {
namespace {

using advanced::Call;

constexpr lanes::Round kRound = lanes::Round::Nearest;  // of this family's results in half
constexpr uint32_t kFractal = 16;
constexpr float kLog10E = 0.4342944819F;

/// Tensors of one call as host memory.
struct Memory {
    const uint8_t* src;
    uint8_t* dst;
    uint8_t* sum;  ///< of Grad: the gradient
    uint8_t* max;
    uint8_t* expMax;
    const uint8_t* inSum;
    const uint8_t* inMax;
};

/// Numbers of one row.
struct Row {
    float* x;
    uint32_t columns;  ///< computed
    uint32_t valid;    ///< that count for sums and maxima
};

class Softmax {
public:
    Softmax(const Task& task, const Memory& memory)
        : task_(task), memory_(memory), size_(SizeOf(task.dtype)) {
        valid_ = task.flags.config.oriSrcK != 0 && task.flags.config.oriSrcM != 0
                     ? task.flags.config.oriSrcK
                     : task.shape.oriSrcK;
    }

    void Compute(uint32_t index) {
        const uint32_t k = task_.shape.srcK;
        Row row{advanced::Row(0, k), task_.flags.nz ? valid_ : k, valid_};
        Move(index, row.x, true);
        switch (task_.kind) {
            case Kind::Simple:
                Subtract(row, Stat(memory_.max, task_.stat, index));
                advanced::Divs(row.x, row.x, Stat(memory_.sum, task_.stat, index), row.columns);
                break;
            case Kind::Flash:
                task_.flags.update ? Flash(row, index) : Plain(row, index);
                break;
            case Kind::FlashV2:
                FlashV2(row, index);
                break;
            case Kind::Grad:
                if (Gradient(row, index)) {
                    return;
                }
                break;
            default:
                Plain(row, index);
        }
        Move(index, row.x, false);
    }

private:
    /// A row between its tensor and floats. In NZ a row is a run of 16 elements in every fractal.
    void Move(uint32_t index, float* x, bool load) {
        const uint32_t k = task_.shape.srcK;
        const uint32_t step = task_.flags.nz ? kFractal : k;
        for (uint32_t done = 0; done < k; done += step) {
            const uint64_t at = Place(index, done) * size_;
            if (load) {
                advanced::Load(x + done, memory_.src + at, task_.dtype, step);
            } else {
                advanced::Store(memory_.dst + at, task_.dtype, x + done, step, kRound);
            }
        }
    }

    uint64_t Place(uint32_t index, uint32_t column) const {
        const uint64_t k = task_.shape.srcK;
        return task_.flags.nz ? uint64_t{column} * task_.shape.srcM + uint64_t{index} * kFractal
                              : index * k + column;
    }

    bool Packed() const {
        return task_.kind == Kind::FlashV2 &&
               task_.flags.config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    }

    float Stat(const uint8_t* stats, Dtype dtype, uint32_t index) const {
        const uint64_t pitch = Packed() ? SizeOf(dtype) : kBlockBytes;
        // NOLINTNEXTLINE(clang-analyzer-core.NullPointerArithm): who reads statistics has some
        return advanced::LoadOne(stats + index * pitch, dtype, 0);
    }

    void KeepStat(uint8_t* stats, Dtype dtype, uint32_t index, float value) const {
        const uint64_t pitch = Packed() ? SizeOf(dtype) : kBlockBytes;
        for (uint64_t at = 0; stats != nullptr && at < pitch; at += SizeOf(dtype)) {
            advanced::StoreOne(stats + index * pitch + at, dtype, 0, value, kRound);
        }
    }

    static void Subtract(const Row& row, float max) {
        advanced::Adds(row.x, row.x, -max, row.columns);
        advanced::Exp(row.x, row.x, row.columns);
    }

    void Plain(const Row& row, uint32_t index) {
        const float max = advanced::MaxOf(row.x, row.valid);
        Subtract(row, max);
        const float sum = advanced::SumOf(row.x, row.valid);
        KeepStat(memory_.max, task_.stat, index, max);
        KeepStat(memory_.sum, task_.stat, index, sum);
        advanced::Divs(row.x, row.x, sum, row.columns);
        if (task_.kind == Kind::Log) {
            advanced::Ln(row.x, row.x, row.columns);
            advanced::Muls(row.x, row.x, kLog10E, row.columns);
        }
    }

    void Flash(const Row& row, uint32_t index) {
        const float before = Stat(memory_.inMax, task_.stat, index);
        const float own = advanced::MaxOf(row.x, row.valid);
        Subtract(row, own);
        const float max = advanced::Larger(before, own);
        const float scale = advanced::ExpOf(own - max);
        const float kept = advanced::ExpOf(before - max) * Stat(memory_.inSum, task_.stat, index);
        const float sum = kept + scale * advanced::SumOf(row.x, row.valid);
        KeepStat(memory_.max, task_.stat, index, max);
        KeepStat(memory_.sum, task_.stat, index, sum);
        KeepStat(memory_.expMax, task_.dtype, index, kept / sum);
        advanced::Muls(row.x, row.x, scale / sum, row.columns);
    }

    void FlashV2(const Row& row, uint32_t index) {
        float max = advanced::MaxOf(row.x, row.valid);
        float kept = 0;
        if (task_.flags.update) {
            const float before = Stat(memory_.inMax, task_.stat, index);
            max = advanced::Larger(before, max);
            const float decay = advanced::ExpOf(before - max);
            kept = decay * Stat(memory_.inSum, task_.stat, index);
            KeepStat(memory_.expMax, task_.dtype, index, decay);
        }
        Subtract(row, max);
        const float sum = advanced::SumOf(row.x, row.valid);
        KeepStat(memory_.max, task_.stat, index, max);
        KeepStat(memory_.sum, task_.stat, index, task_.flags.update ? kept + sum : sum);
    }

    /// Whether all there is to write was the sum.
    bool Gradient(const Row& row, uint32_t index) {
        const uint32_t k = task_.shape.srcK;
        float* grad = advanced::Row(1, k);
        float* product = advanced::Row(2, k);
        const uint8_t* src = memory_.src;
        memory_.src = memory_.sum;
        Move(index, grad, true);
        memory_.src = src;
        advanced::Mul(product, row.x, grad, row.columns);
        const float sum = advanced::SumOf(product, row.valid);
        if (task_.flags.update) {
            KeepStat(memory_.dst, task_.dtype, index, sum);
            return true;
        }
        advanced::Adds(grad, grad, -sum, row.columns);
        advanced::Mul(row.x, grad, row.x, row.columns);
        return false;
    }

    const Task& task_;
    Memory memory_;
    uint32_t size_;
    uint32_t valid_;
};

/// Adds the tensors to the call and finds their places.
Memory Gather(const Task& task, Call& call, uint32_t rows) {
    const uint64_t elements = uint64_t{task.flags.nz ? task.shape.srcM : rows} * task.shape.srcK;
    const uint64_t bytes = elements * SizeOf(task.dtype);
    const bool packed = task.kind == Kind::FlashV2 &&
                        task.flags.config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
    const auto column = [&](Dtype dtype) {
        return uint64_t{rows} * (packed ? SizeOf(dtype) : kBlockBytes);
    };
    uint32_t part = 0;
    const auto add = [&](const char* name, const Operand& place, uint64_t size, bool write) {
        call.Add({name, place, size, write});
        return call.At(part++);
    };
    Memory memory = {};
    const bool sums = task.kind == Kind::Grad && task.flags.update;
    memory.dst = add("dst", task.dst, sums ? uint64_t{rows} * kBlockBytes : bytes, true);
    memory.src = add("src", task.src, bytes, false);
    if (task.kind == Kind::Grad) {
        memory.sum = add("grad", task.sum, bytes, false);
    } else if (task.hasStats) {
        const bool writes = task.kind != Kind::Simple;
        memory.sum = add("sum", task.sum, column(task.stat), writes);
        memory.max = add("max", task.max, column(task.stat), writes);
    }
    if (task.hasStats && task.kind != Kind::Grad && task.flags.update) {
        memory.expMax = add("expMax", task.expMax, column(task.dtype), true);
        memory.inSum = add("inSum", task.inSum, column(task.stat), false);
        memory.inMax = add("inMax", task.inMax, column(task.stat), false);
    }
    return memory;
}

uint64_t Room(const advanced::Tmp& tmp, Location where) {
    return tmp.given ? tmp.place.bytes : StackBuffer(AscendC::TPosition::LCM, where).dataLen;
}

}  // namespace

void Run(const Task& task, Location where) {
    Call call(task.api, where);
    if (!call) {
        return;
    }
    const uint64_t perRow = RowTemporary(task);
    const Plan plan = MakePlan(task, perRow == 0 ? 0 : Room(task.tmp, where), call.core().strict);
    const Memory memory = Gather(task, call, plan.rows);
    call.Check(advanced::InPlace::Works);
    call.Take(task.tmp, {plan.rowsAtOnce * perRow, plan.rowsAtOnce * perRow});
    Softmax softmax(task, memory);
    for (uint32_t i = 0; i < plan.rows; ++i) {
        softmax.Compute(i);
    }
    const uint64_t elements = uint64_t{plan.rows} * task.shape.srcK;
    if (task.flags.reuseSource && task.dtype == Dtype::F32 && memory.src != memory.dst) {
        advanced::Poison(call.core(), task.src.address, elements * sizeof(float));
    }
    call.Finish(task.dtype, elements);
}

bool Adjust(Dtype dtype, Dtype stat, const Operand& result, const Operand& max, uint32_t from,
            const void* to, bool nz, bool packed, const AscendC::SoftMaxShapeInfo& shape,
            Location where) {
    Call call("AdjustSoftMaxRes", where);
    if (!call) {
        return false;
    }
    const uint32_t size = SizeOf(dtype);
    const uint32_t statSize = SizeOf(stat);
    const uint64_t pitch = packed ? statSize : kBlockBytes;
    const uint64_t elements = uint64_t{shape.srcM} * shape.srcK;
    call.Add({"softMaxRes", result, elements * size, true});
    call.Add({"maxTensor", max, shape.srcM * pitch});
    call.Check(advanced::InPlace::Breaks);
    uint8_t* values = call.At(0);
    const uint8_t* maxima = call.At(1);
    const uint32_t step = nz ? kFractal : shape.srcK;
    bool found = false;
    for (uint32_t i = 0; i < shape.srcM; ++i) {
        if (std::memcmp(maxima + i * pitch, &from, statSize) != 0) {
            continue;
        }
        found = true;
        for (uint32_t k = 0; k < shape.srcK; ++k) {
            const uint64_t run =
                nz ? uint64_t{k / step * step} * shape.srcM + i * step : uint64_t{i} * step;
            std::memcpy(values + (run + k % step) * size, to, size);
        }
    }
    call.Finish(dtype, elements);
    return found;
}

}  // namespace twin::softmax
