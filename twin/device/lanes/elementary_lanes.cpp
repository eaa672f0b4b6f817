// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#include "device/lanes/activation_steps.h"
#include "device/lanes/arithmetic.h"
#include "device/lanes/real_special.h"
#include "device/lanes/reduce.h"

namespace {

using twin::Dtype, twin::lanes::ElementaryFn, twin::lanes::ElementaryOp,
    twin::lanes::ElementaryTable;

inline void Narrow(float* dst, const float* src, size_t n) {
    std::memcpy(dst, src, n * sizeof(float));
}
inline void Narrow(F16* dst, const float* src, size_t n) { NarrowHalf(dst, src, n); }
inline void Narrow(Bf16* dst, const float* src, size_t n) {
    for (size_t i = 0; i < n; ++i) {
        dst[i] = FromFloat<Bf16>(src[i]);
    }
}

/// Computes a function in chunks of floats. `Steps` rounds after each step to the type `Rounding`.
template <typename T, typename Rounding, typename Steps>
void Elementwise(void* dst, const void* src0, const void* src1, const float* scalar, size_t count) {
    alignas(64) float x[kChunk];
    alignas(64) float y[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        Widen(x, static_cast<const T*>(src0) + done, n);
        if (src1 != nullptr) {
            Widen(y, static_cast<const T*>(src1) + done, n);
        }
        Steps::template Run<Rounding>(x, y, scalar, n);
        Narrow(static_cast<T*>(dst) + done, x, n);
    }
}

// Defines an operation that sets x[i] to EXPRESSION, computed in TYPE, where `a` is x[i], `b` is
// y[i] and `s` is the scalar.
#define TWIN_ELEMENTARY_LOOP(NAME, TYPE, EXPRESSION)                               \
    struct NAME##Op {                                                              \
        template <typename T>                                                      \
        static void Run(float* x, const float* y, const float* scalar, size_t n) { \
            const TYPE s = scalar == nullptr ? 0.0F : scalar[0];                   \
            _Pragma("GCC ivdep") for (size_t i = 0; i < n; ++i) {                  \
                const TYPE a = x[i];                                               \
                const TYPE b = y[i];                                               \
                (void)b, (void)s;                                                  \
                x[i] = static_cast<float>(EXPRESSION);                             \
            }                                                                      \
        }                                                                          \
    };
// clang-format off
#define TWIN_ELEMENTARY_LOOPS(LOOP) \
    LOOP(Tanh, double, TanhReal(a)) \
    LOOP(Sin, double, SinReal(a)) \
    LOOP(Cos, double, CosReal(a)) \
    LOOP(Tan, double, TanReal(a)) \
    LOOP(Asin, double, AsinReal(a)) \
    LOOP(Acos, double, AcosReal(a)) \
    LOOP(Atan, double, AtanReal(a)) \
    LOOP(Sinh, double, SinhReal(a)) \
    LOOP(Cosh, double, CoshReal(a)) \
    LOOP(Asinh, double, AsinhReal(a)) \
    LOOP(Acosh, double, AcoshReal(a)) \
    LOOP(Atanh, double, AtanhReal(a)) \
    LOOP(Erf, double, ErfReal(a)) \
    LOOP(Erfc, double, ErfcReal(a)) \
    LOOP(Lgamma, double, LgammaReal(a)) \
    LOOP(Digamma, double, DigammaReal(a)) \
    LOOP(Power, double, PowerReal(a, b)) \
    LOOP(Sign, float, a > 0.0F ? 1.0F : (a < 0.0F ? -1.0F : 0.0F)) \
    LOOP(Round, float, __builtin_rintf(a)) \
    LOOP(Floor, float, __builtin_floorf(a)) \
    LOOP(Ceil, float, __builtin_ceilf(a)) \
    LOOP(Trunc, float, __builtin_truncf(a)) \
    LOOP(Frac, float, a - __builtin_truncf(a)) \
    LOOP(Fmod, float, a - __builtin_truncf(a / b) * b) \
    LOOP(ClampMax, float, a < s ? a : s) \
    LOOP(ClampMin, float, a > s ? a : s) \
    LOOP(Axpy, float, a + b * s)
// clang-format on
TWIN_ELEMENTARY_LOOPS(TWIN_ELEMENTARY_LOOP)
#undef TWIN_ELEMENTARY_LOOP

void AxpyMixed(void* dst, const void* src0, const void* src1, const float* scalar, size_t count) {
    alignas(64) float x[kChunk];
    alignas(64) float y[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        Widen(x, static_cast<const float*>(src0) + done, n);
        Widen(y, static_cast<const F16*>(src1) + done, n);
        AxpyOp::Run<float>(x, y, scalar, n);
        Narrow(static_cast<float*>(dst) + done, x, n);
    }
}

void PowerInt32(void* dst, const void* src0, const void* src1, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        auto base = static_cast<uint32_t>(static_cast<const int32_t*>(src0)[i]);
        const int32_t exponent = static_cast<const int32_t*>(src1)[i];
        const auto given = static_cast<uint32_t>(exponent);
        uint32_t power = 1;
        for (uint32_t left = exponent < 0 ? 0U - given : given; left != 0; left >>= 1) {
            power = (left & 1U) != 0 ? power * base : power;
            base *= base;
        }
        const auto value = static_cast<int32_t>(power);
        // 1 / power, truncated to an integer, is 0 unless `power` is 1 or -1.
        const int32_t inverse = value == 1 || value == -1 ? value : 0;
        static_cast<int32_t*>(dst)[i] = exponent < 0 ? inverse : value;
    }
}

constexpr size_t kF16 = static_cast<size_t>(Dtype::F16);
constexpr size_t kF32 = static_cast<size_t>(Dtype::F32);

/// Enters `op` into the table. Its function for half rounds each step to HalfRounding.
template <typename Steps, typename HalfRounding = F16>
void Set(ElementaryTable& table, ElementaryOp op) {
    table.run[static_cast<size_t>(op)][kF16] = Elementwise<F16, HalfRounding, Steps>;
    table.run[static_cast<size_t>(op)][kF32] = Elementwise<float, float, Steps>;
}

void SetActivations(ElementaryTable& table) {
    Set<SigmoidSteps>(table, ElementaryOp::Sigmoid);
    Set<SiluSteps>(table, ElementaryOp::Silu);
    Set<SwishSteps>(table, ElementaryOp::Swish);
    Set<GeluSteps>(table, ElementaryOp::Gelu);
    Set<GeluSteps, float>(table, ElementaryOp::GeluPrecise);
    Set<FasterGeluSteps>(table, ElementaryOp::FasterGelu);
    Set<FasterGeluSteps, float>(table, ElementaryOp::FasterGeluPrecise);
    Set<FasterGeluV2Steps>(table, ElementaryOp::FasterGeluV2);
    Set<FasterGeluV2Steps, float>(table, ElementaryOp::FasterGeluV2Precise);
    Set<SwiGluSteps>(table, ElementaryOp::SwiGlu);
    Set<GeGluSteps>(table, ElementaryOp::GeGlu);
    Set<ReGluSteps>(table, ElementaryOp::ReGlu);
    table.run[static_cast<size_t>(ElementaryOp::ReGlu)][static_cast<size_t>(Dtype::Bf16)] =
        Elementwise<Bf16, float, ReGluSteps>;
}

void SetFunctions(ElementaryTable& table) {
    Set<LogSteps>(table, ElementaryOp::Log);
    Set<Log2Steps>(table, ElementaryOp::Log2);
    Set<Log10Steps>(table, ElementaryOp::Log10);
    Set<ExpTaylorSteps>(table, ElementaryOp::ExpTaylor);
#define TWIN_SET_LOOP(NAME, TYPE, EXPRESSION) Set<NAME##Op>(table, ElementaryOp::NAME);
    TWIN_ELEMENTARY_LOOPS(TWIN_SET_LOOP)
#undef TWIN_SET_LOOP
}

ElementaryTable MakeTable() {
    ElementaryTable table = {};
    SetActivations(table);
    SetFunctions(table);
    table.axpyMixed = AxpyMixed;
    table.powerInt32 = PowerInt32;
    return table;
}

}  // namespace

TWIN_LANES_TABLE(ElementaryTable, ElementaryLanes, MakeTable())
