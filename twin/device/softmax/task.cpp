// SPDX-License-Identifier: Apache-2.0
#include "device/softmax/task.h"

#include <cstring>

#include "device/library/call.h"
#include "device/library/elementwise.h"
#include "device/pipe/tpipe.h"
#include "device/softmax/steps.h"

namespace twin::softmax {
namespace {

using advanced::Call;

constexpr lanes::Round kRound = lanes::Round::Nearest;  // rounding of results of type half
constexpr float kLog10E = 0.4342944819F;
constexpr uint32_t kMeans = 8;   // FlashV3: parts of a row with a mean of their own
constexpr uint32_t kGroup = 64;  // FlashV3: columns that the library adds at once

/// Host addresses of the tensors of one call.
struct Places {
    const uint8_t* src;
    uint8_t* dst;
    const uint8_t* grad;
    const uint8_t* givenSum;  ///< input of SimpleSoftMax
    const uint8_t* givenMax;
    uint8_t* sum;
    uint8_t* max;
    uint8_t* expMax;
    const uint8_t* inSum;
    const uint8_t* inMax;
    uint8_t* mean;
    const uint8_t* inMean;
    uint8_t* rowMax;
};

/// One row, converted to float.
struct Row {
    float* x;
    uint32_t columns;  ///< number of columns that are computed
    uint32_t valid;    ///< number of columns that sums and maxima include
};

bool IsPacked(const Task& task) {
    return task.kind == Kind::FlashV2 &&
           task.flags.config.mode == AscendC::SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC;
}

struct Softmax {
    const Task& task;
    const Places& places;
    uint32_t valid;
    uint32_t size = SizeOf(task.dtype);

    void Compute(uint32_t index) const {
        const uint32_t k = task.shape.srcK;
        Row row{advanced::Row(0, k), task.flags.nz ? valid : k, valid};
        Load(index, row.x, places.src);
        switch (task.kind) {
            case Kind::Simple:
                Subtract(row, Stat(places.givenMax, task.stat, index));
                advanced::Divs(row.x, row.x, Stat(places.givenSum, task.stat, index), row.columns);
                break;
            case Kind::Flash:
                task.flags.update ? Flash(row, index) : Plain(row, index);
                break;
            case Kind::FlashV2:
                FlashV2(row, index);
                break;
            case Kind::FlashV3:
                FlashV3(row, index);
                break;
            case Kind::Grad:
                if (Gradient(row, index)) {
                    return;
                }
                break;
            default:
                Plain(row, index);
        }
        Store(index, row.x);
    }

    /// Load and Store convert a row between its tensor and floats. In NZ a row has 16 consecutive
    /// elements in every fractal.
    void Load(uint32_t index, float* x, const uint8_t* from) const {
        for (uint32_t done = 0; done < task.shape.srcK; done += Step()) {
            // `from` is not null: it is null only for an absent tensor, which no call loads.
            // NOLINTNEXTLINE(clang-analyzer-core.NullPointerArithm)
            advanced::Load(x + done, from + Place(index, done) * size, task.dtype, Step());
        }
    }
    void Store(uint32_t index, const float* x) const {
        for (uint32_t done = 0; done < task.shape.srcK; done += Step()) {
            advanced::Store(places.dst + Place(index, done) * size, task.dtype, x + done, Step(),
                            kRound);
        }
    }
    uint32_t Step() const { return task.flags.nz ? kFractal : task.shape.srcK; }

    uint64_t Place(uint32_t index, uint32_t column) const {
        const uint64_t k = task.shape.srcK;
        return task.flags.nz ? uint64_t{column} * task.shape.srcM + uint64_t{index} * kFractal
                             : index * k + column;
    }

    float Stat(const uint8_t* stats, Dtype dtype, uint32_t index) const {
        const uint64_t pitch = IsPacked(task) ? SizeOf(dtype) : kBlockBytes;
        // NOLINTNEXTLINE(clang-analyzer-core.NullPointerArithm): callers pass no null `stats`
        return advanced::LoadOne(stats + index * pitch, dtype, 0);
    }

    void KeepStat(uint8_t* stats, Dtype dtype, uint32_t index, float value) const {
        const uint64_t pitch = IsPacked(task) ? SizeOf(dtype) : kBlockBytes;
        for (uint64_t at = 0; stats != nullptr && at < pitch; at += SizeOf(dtype)) {
            advanced::StoreOne(stats + index * pitch + at, dtype, 0, value, kRound);
        }
    }

    static void Subtract(const Row& row, float max) {
        advanced::Adds(row.x, row.x, -max, row.columns);
        advanced::Exp(row.x, row.x, row.columns);
    }

    void Plain(const Row& row, uint32_t index) const {
        const float max = advanced::MaxOf(row.x, row.valid);
        Subtract(row, max);
        const float sum = advanced::SumOf(row.x, row.valid);
        KeepStat(places.max, task.stat, index, max);
        KeepStat(places.sum, task.stat, index, sum);
        advanced::Divs(row.x, row.x, sum, row.columns);
        if (task.kind == Kind::Log) {
            advanced::Ln(row.x, row.x, row.columns);
            advanced::Muls(row.x, row.x, kLog10E, row.columns);
        }
    }

    void Flash(const Row& row, uint32_t index) const {
        const float before = Stat(places.inMax, task.stat, index);
        const float own = advanced::MaxOf(row.x, row.valid);
        Subtract(row, own);
        const float max = advanced::Larger(before, own);
        const float scale = advanced::ExpOf(own - max);
        const float kept = advanced::ExpOf(before - max) * Stat(places.inSum, task.stat, index);
        const float sum = kept + scale * advanced::SumOf(row.x, row.valid);
        KeepStat(places.max, task.stat, index, max);
        KeepStat(places.sum, task.stat, index, sum);
        KeepStat(places.expMax, task.dtype, index, kept / sum);
        advanced::Muls(row.x, row.x, scale / sum, row.columns);
    }

    void FlashV2(const Row& row, uint32_t index) const {
        float max = advanced::MaxOf(row.x, row.valid);
        float kept = 0;
        KeepStat(places.rowMax, task.stat, index, max);
        if (task.flags.update) {
            const float before = Stat(places.inMax, task.stat, index);
            max = advanced::Larger(before, max);
            const float decay = advanced::ExpOf(before - max);
            kept = decay * Stat(places.inSum, task.stat, index);
            KeepStat(places.expMax, task.dtype, index, decay);
        }
        Subtract(row, max);
        const float sum = advanced::SumOf(row.x, row.valid);
        KeepStat(places.max, task.stat, index, max);
        KeepStat(places.sum, task.stat, index, task.flags.update ? kept + sum : sum);
    }

    /// Moves each of the eight parts of a row towards the mean of the row, which keeps differences
    /// small, and then computes as FlashV2. The maxima are relative to the mean of all columns so
    /// far. The library takes the means of the parts from the first 512 columns, and adds the
    /// others in groups of 64.
    void FlashV3(const Row& row, uint32_t index) const {
        const AscendC::SoftMaxParams& p = task.params;
        const float strength = p.alpha / (1 - p.alpha);
        const uint32_t part = row.columns / kMeans;
        float means[kMeans];
        float mean = 0;
        for (uint32_t i = 0; i < kMeans; ++i) {
            float sum = advanced::SumOf(row.x + i * kGroup, kGroup);
            for (uint32_t at = kMeans * kGroup; at < row.columns; at += kGroup) {
                sum += advanced::SumOf(row.x + at + i * kMeans, kMeans);
            }
            means[i] = sum / static_cast<float>(part);
            mean += means[i] / static_cast<float>(kMeans);
        }
        for (uint32_t i = 0; i < kMeans; ++i) {
            float* const x = row.x + i * part;
            advanced::Adds(x, x, -(mean - means[i]) * strength, part);
        }
        float newMean = mean, shift = 0, kept = 0;
        float max = advanced::MaxOf(row.x, row.valid);
        if (task.flags.update) {
            const auto loops = static_cast<float>(p.loopCnt);
            const float oldMean = Stat(places.inMean, task.stat, index);
            newMean = (mean + oldMean * (loops - 1)) / loops;
            shift = (mean - newMean) * strength;
            const float oldShift = (oldMean - newMean) * strength;
            const float before = Stat(places.inMax, task.stat, index);
            max = advanced::Larger(shift + max, oldShift + before);
            const float decay = advanced::ExpOf(before - max + oldShift);
            kept = decay * Stat(places.inSum, task.stat, index);
            KeepStat(places.expMax, task.dtype, index, decay);
        }
        Subtract(row, max - shift);
        KeepStat(places.mean, task.stat, index, newMean);
        KeepStat(places.max, task.stat, index, max);
        KeepStat(places.sum, task.stat, index, kept + advanced::SumOf(row.x, row.valid));
    }

    /// Computes the gradient in row.x. If only the sum is wanted, stores the sum and returns true.
    bool Gradient(const Row& row, uint32_t index) const {
        const uint32_t k = task.shape.srcK;
        float* grad = advanced::Row(1, k);
        float* product = advanced::Row(2, k);
        Load(index, grad, places.grad);
        advanced::Mul(product, row.x, grad, row.columns);
        const float sum = advanced::SumOf(product, row.valid);
        if (task.flags.update) {
            KeepStat(places.dst, task.dtype, index, sum);
            return true;
        }
        advanced::Adds(grad, grad, -sum, row.columns);
        advanced::Mul(row.x, grad, row.x, row.columns);
        return false;
    }
};

/// Adds the tensors to `call` as operands and returns their host addresses.
Places NoteAll(const Task& task, Call& call, uint32_t rows) {
    const uint64_t size = SizeOf(task.dtype);
    const uint64_t k = task.shape.srcK;
    const Runs all = task.flags.nz ? Runs{rows * kFractal * size,
                                          Level{k / kFractal, task.shape.srcM * kFractal * size}}
                                   : Runs{rows * k * size};
    const auto column = [&](Dtype dtype) {
        return Runs{uint64_t{rows} * (IsPacked(task) ? SizeOf(dtype) : kBlockBytes)};
    };
    const bool grads = task.kind == Kind::Grad;
    const bool spent =
        task.flags.reuseSource && task.dtype == Dtype::F32 && task.src.address != task.dst.address;
    Places places = {};
    places.dst = call.Write(Arg::Dst, task.dst,
                            grads && task.flags.update ? Runs{rows * uint64_t{kBlockBytes}} : all);
    places.src = call.Read(Arg::Src, task.src, all, spent);
    if (grads) {
        places.grad = call.Read(Arg::Grad, task.sum, all);
    } else if (task.kind == Kind::Simple) {
        places.givenSum = call.Read(Arg::Sum, task.sum, column(task.stat));
        places.givenMax = call.Read(Arg::Max, task.max, column(task.stat));
    } else if (task.hasStats) {
        places.sum = call.Write(Arg::Sum, task.sum, column(task.stat));
        places.max = call.Write(Arg::Max, task.max, column(task.stat));
    }
    if (task.hasStats && !grads && task.flags.update) {
        places.expMax = call.Write(Arg::ExpMax, task.expMax, column(task.dtype));
        places.inSum = call.Read(Arg::InSum, task.inSum, column(task.stat));
        places.inMax = call.Read(Arg::InMax, task.inMax, column(task.stat));
    }
    if (task.kind == Kind::FlashV3) {
        places.mean = call.Write(Arg::Mean, task.mean, column(task.stat));
        if (task.flags.update) {
            places.inMean = call.Read(Arg::InMean, task.inMean, column(task.stat));
        }
    }
    if (task.hasRowMax && task.flags.update) {
        places.rowMax = call.Write(Arg::OutReduceMax, task.rowMax, column(task.stat));
    }
    return places;
}

CallShape ShapeOf(const Task& task, const Plan& plan) {
    const AscendC::SoftmaxConfig& config = task.flags.config;
    const bool fixed = config.oriSrcM != 0 && config.oriSrcK != 0;
    const bool basic =
        fixed ? config.oriSrcK % 64 == 0 && config.oriSrcK < 2048 && config.oriSrcM % 8 == 0
              : task.flags.basicBlock;
    CallShape shape;
    shape.form = (basic ? Form::kBasic : 0) | (task.flags.nz ? Form::kNz : 0) |
                 (task.hasStats ? Form::kStats : 0) | (task.flags.update ? Form::kUpdate : 0) |
                 (task.flags.reuseSource ? Form::kReuse : 0) |
                 (task.stat == Dtype::F32 ? Form::kWide : 0) |
                 (IsPacked(task) ? Form::kPacked : 0) | (task.hasRowMax ? Form::kRowMax : 0);
    shape.rows = plan.rows;
    shape.columns = task.shape.srcK;
    shape.valid = fixed ? config.oriSrcK : task.shape.oriSrcK;
    shape.once = plan.rowsAtOnce;
    return shape;
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
    call.shape() = ShapeOf(task, plan);
    const Places places = NoteAll(task, call, plan.rows);
    call.Take(task.tmp, {plan.rowsAtOnce * perRow, plan.rowsAtOnce * perRow});
    const uint32_t valid = call.shape().valid;
    const uint64_t elements = uint64_t{plan.rows} * task.shape.srcK;
    call.RunRows(task.dtype, elements, valid, task.flags.nz, [&] {
        const Softmax softmax{task, places, valid};
        for (uint32_t i = 0; i < plan.rows; ++i) {
            softmax.Compute(i);
        }
    });
}

bool Adjust(Dtype dtype, Dtype stat, const Operand& result, const Operand& max, uint32_t from,
            const void* to, bool nz, bool packed, const AscendC::SoftMaxShapeInfo& shape,
            Location where) {
    Call call(Opcode::AdjustSoftMaxRes, where);
    if (!call) {
        return false;
    }
    const uint64_t size = SizeOf(dtype);
    const uint32_t statSize = SizeOf(stat);
    const uint64_t pitch = packed ? statSize : kBlockBytes;
    const uint64_t step = nz ? kFractal : shape.srcK;
    const uint8_t* maxima = call.Read(Arg::MaxTensor, max, shape.srcM * pitch);
    CallShape& form = call.shape();
    form.form = nz ? 1 : 0;
    form.rows = shape.srcM;
    form.columns = shape.srcK;
    form.once = static_cast<uint32_t>(pitch);
    for (uint32_t i = 0; i < shape.srcM; ++i) {
        form.level += std::memcmp(maxima + i * pitch, &from, statSize) == 0 ? 1 : 0;
    }
    // Visits the rows whose maximum is `from`. In NZ, each fractal has 16 elements of a row.
    bool found = false;
    const auto matches = [&](const auto& visit) {
        for (uint64_t i = 0; i < shape.srcM; ++i) {
            if (std::memcmp(maxima + i * pitch, &from, statSize) == 0) {
                for (uint64_t k = 0; k < shape.srcK; k += step) {
                    visit((k * shape.srcM + i * step) * size);
                }
            }
        }
    };
    const auto pieces = [&](const PieceVisitor& visit) {
        matches([&](uint64_t at) { visit(0, result.address + at, step * size); });
    };
    const uint64_t elements = uint64_t{shape.srcM} * shape.srcK;
    uint8_t* values = call.Write(Arg::SoftMaxRes, result, elements * size, pieces);
    call.Run(dtype, elements, Overlap::Library, [&] {
        matches([&](uint64_t at) {
            found = true;
            for (uint64_t k = 0; k < step; ++k) {
                std::memcpy(values + at + k * size, to, size);
            }
        });
    });
    return found;
}

}  // namespace twin::softmax
