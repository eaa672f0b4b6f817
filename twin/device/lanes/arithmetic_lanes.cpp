// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; TWIN_LANES_ISA is then the namespace of that set.
// All helpers have internal linkage, so that no processor runs code for another instruction set.
#include <cmath>
#include <cstring>

#include "device/lanes/arithmetic.h"
#include "device/lanes/convert.h"
#include "device/lanes/exp.h"
#include "device/lanes/reduce.h"

namespace {

template <typename T>
struct Unsigned {
    using Type = T;
};
template <>
struct Unsigned<int16_t> {
    using Type = uint16_t;
};
template <>
struct Unsigned<int32_t> {
    using Type = uint32_t;
};

// `F` computes on one float, or on a vector register of floats. `I` computes in an unsigned type,
// in which overflow is defined: integers wrap.
#define TWIN_FLOAT(...)     \
    template <typename V>   \
    static V F(V a, V b) {  \
        return __VA_ARGS__; \
    }
#define TWIN_INTEGER(...)                                      \
    template <typename T>                                      \
    static T I(T a, T b) {                                     \
        [[maybe_unused]] typedef typename Unsigned<T>::Type U; \
        return static_cast<T>(__VA_ARGS__);                    \
    }
#define TWIN_UNARY(...)     \
    template <typename V>   \
    static V F(V x) {       \
        return __VA_ARGS__; \
    }
// clang-format off
struct AddOp { TWIN_FLOAT(a + b) TWIN_INTEGER(static_cast<U>(static_cast<U>(a) + static_cast<U>(b))) };
struct SubOp { TWIN_FLOAT(a - b) TWIN_INTEGER(static_cast<U>(static_cast<U>(a) - static_cast<U>(b))) };
struct MulOp { TWIN_FLOAT(a * b) TWIN_INTEGER(static_cast<uint32_t>(a) * static_cast<uint32_t>(b)) };
struct DivOp { TWIN_FLOAT(a / b) };
// If either operand is NaN, the result is NaN.
struct MaxOp { TWIN_FLOAT((a > b) | (a != a) ? a : b) TWIN_INTEGER(a > b ? a : b) };
struct MinOp { TWIN_FLOAT((a < b) | (a != a) ? a : b) TWIN_INTEGER(a < b ? a : b) };
struct LeakyReluOp { TWIN_FLOAT(a >= V{} ? a : a * b) };
struct AndOp { TWIN_INTEGER(a & b) };
struct OrOp { TWIN_INTEGER(a | b) };
struct AbsOp { TWIN_UNARY(Abs(x)) };
struct SqrtOp { TWIN_UNARY(Sqrt(x)) };
struct RsqrtOp { TWIN_UNARY(1.0F / Sqrt(x)) };
struct ReciprocalOp { TWIN_UNARY(1.0F / x) };
struct ReluOp { TWIN_UNARY((x > V{}) | (x != x) ? x : V{}) };
// clang-format on
#undef TWIN_FLOAT
#undef TWIN_INTEGER
#undef TWIN_UNARY

/// Sets element i of dst to f of elements i of the sources. f computes in float (24 bits). Rounding
/// its result to half (11 bits) gives the correctly rounded result of one addition, multiplication,
/// division or square root.
template <typename Function, typename... Sources>
void MapHalf(void* dst, size_t count, Function f, const Sources*... src) {
    auto* d = static_cast<F16*>(dst);
    size_t i = 0;
#ifdef TWIN_WIDE_HALF
    constexpr size_t kWide = sizeof(Floats) / sizeof(float);
    for (; i + kWide <= count; i += kWide) {
        StoreHalf(d + i, f(LoadHalf(static_cast<const F16*>(src) + i)...));
    }
#endif
    for (; i < count; ++i) {
        d[i] = FromFloat<F16>(f(ToFloat(static_cast<const F16*>(src)[i])...));
    }
}

template <typename Op>
void BinaryHalf(void* dst, const void* src0, const void* src1, size_t count) {
    MapHalf(dst, count, [](auto a, auto b) { return Op::F(a, b); }, src0, src1);
}

template <typename Op>
void BinaryFloat(void* dst, const void* src0, const void* src1, size_t count) {
    auto* d = static_cast<float*>(dst);
    const auto* a = static_cast<const float*>(src0);
    const auto* b = static_cast<const float*>(src1);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::F(a[i], b[i]);
    }
}

template <typename Op, typename T>
void BinaryInteger(void* dst, const void* src0, const void* src1, size_t count) {
    auto* d = static_cast<T*>(dst);
    const auto* a = static_cast<const T*>(src0);
    const auto* b = static_cast<const T*>(src1);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::template I<T>(a[i], b[i]);
    }
}

template <typename Op>
void UnaryFloat(void* dst, const void* src, size_t count) {
    auto* d = static_cast<float*>(dst);
    const auto* s = static_cast<const float*>(src);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::F(s[i]);
    }
}

template <typename Op>
void UnaryHalf(void* dst, const void* src, size_t count) {
    MapHalf(dst, count, [](auto x) { return Op::F(x); }, src);
}

using Elementary = void (*)(float* dst, const float* src, size_t count);

template <Elementary run>
void ElementaryFloat(void* dst, const void* src, size_t count) {
    run(static_cast<float*>(dst), static_cast<const float*>(src), count);
}

template <Elementary run>
void ElementaryHalf(void* dst, const void* src, size_t count) {
    constexpr size_t kChunk = 512;  // this many floats fit into the first-level cache
    alignas(64) float values[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        WidenHalf(values, static_cast<const F16*>(src) + done, n);
        run(values, values, n);
        NarrowHalf(static_cast<F16*>(dst) + done, values, n);
    }
}

void ReluInt32(void* dst, const void* src, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const int32_t x = static_cast<const int32_t*>(src)[i];
        static_cast<int32_t*>(dst)[i] = x > 0 ? x : 0;
    }
}

void Not16(void* dst, const void* src, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        static_cast<uint16_t*>(dst)[i] =
            static_cast<uint16_t>(~static_cast<const uint16_t*>(src)[i]);
    }
}

template <typename Op>
void ScalarFloat(void* dst, const void* src, const void* scalar, size_t count) {
    auto* d = static_cast<float*>(dst);
    const auto* a = static_cast<const float*>(src);
    const float b = *static_cast<const float*>(scalar);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::F(a[i], b);
    }
}

template <typename Op>
void ScalarHalf(void* dst, const void* src, const void* scalar, size_t count) {
    const float b = ToFloat(*static_cast<const F16*>(scalar));
    MapHalf(dst, count, [b](auto a) { return Op::F(a, Spread(b, a)); }, src);
}

template <typename Op, typename T>
void ScalarInteger(void* dst, const void* src, const void* scalar, size_t count) {
    auto* d = static_cast<T*>(dst);
    const auto* a = static_cast<const T*>(src);
    const T b = *static_cast<const T*>(scalar);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        d[i] = Op::template I<T>(a[i], b);
    }
}

template <typename T>
void Fill(void* dst, const void* scalar, size_t count) {
    T value;
    std::memcpy(&value, scalar, sizeof(T));
    auto* d = static_cast<T*>(dst);
    for (size_t i = 0; i < count; ++i) {
        d[i] = value;
    }
}

}  // namespace

namespace twin::lanes::TWIN_LANES_ISA {

namespace {

constexpr size_t kF16 = static_cast<size_t>(Dtype::F16);
constexpr size_t kBf16 = static_cast<size_t>(Dtype::Bf16);
constexpr size_t kF32 = static_cast<size_t>(Dtype::F32);
constexpr size_t kI16 = static_cast<size_t>(Dtype::I16);
constexpr size_t kU16 = static_cast<size_t>(Dtype::U16);
constexpr size_t kI32 = static_cast<size_t>(Dtype::I32);
constexpr size_t kU32 = static_cast<size_t>(Dtype::U32);

template <typename Op>
void SetArithmetic(BinaryFn* row) {
    row[kF16] = BinaryHalf<Op>;
    row[kF32] = BinaryFloat<Op>;
    row[kI16] = BinaryInteger<Op, int16_t>;
    row[kI32] = BinaryInteger<Op, int32_t>;
}

template <typename Op>
void SetBits(BinaryFn* row) {
    row[kI16] = row[kU16] = BinaryInteger<Op, uint16_t>;
    row[kI32] = row[kU32] = BinaryInteger<Op, uint32_t>;
}

template <typename Op>
void SetUnary(UnaryFn* row) {
    row[kF16] = UnaryHalf<Op>;
    row[kF32] = UnaryFloat<Op>;
}

template <typename Op>
void SetScalar(ScalarFn* row) {
    row[kF16] = ScalarHalf<Op>;
    row[kF32] = ScalarFloat<Op>;
    row[kI16] = ScalarInteger<Op, int16_t>;
    row[kI32] = ScalarInteger<Op, int32_t>;
}

void SetArithmeticTables(ArithmeticTable& table) {
    const auto binary = [&table](BinaryOp op) { return table.binary[static_cast<size_t>(op)]; };
    SetArithmetic<AddOp>(binary(BinaryOp::Add));
    SetArithmetic<SubOp>(binary(BinaryOp::Sub));
    SetArithmetic<MulOp>(binary(BinaryOp::Mul));
    SetArithmetic<MaxOp>(binary(BinaryOp::Max));
    SetArithmetic<MinOp>(binary(BinaryOp::Min));
    binary(BinaryOp::Div)[kF16] = BinaryHalf<DivOp>;
    binary(BinaryOp::Div)[kF32] = BinaryFloat<DivOp>;
    SetBits<AndOp>(binary(BinaryOp::And));
    SetBits<OrOp>(binary(BinaryOp::Or));
    const auto scalar = [&table](ScalarOp op) { return table.scalar[static_cast<size_t>(op)]; };
    SetScalar<AddOp>(scalar(ScalarOp::Adds));
    SetScalar<MulOp>(scalar(ScalarOp::Muls));
    SetScalar<MaxOp>(scalar(ScalarOp::Maxs));
    SetScalar<MinOp>(scalar(ScalarOp::Mins));
    scalar(ScalarOp::LeakyRelu)[kF16] = ScalarHalf<LeakyReluOp>;
    scalar(ScalarOp::LeakyRelu)[kF32] = ScalarFloat<LeakyReluOp>;
}

ArithmeticTable MakeTable() {
    ArithmeticTable table = {};
#define TWIN_TEXT(x) #x
#define TWIN_NAME(x) TWIN_TEXT(x)
    table.isa = TWIN_NAME(TWIN_LANES_ISA);
    SetArithmeticTables(table);
    const auto unary = [&table](UnaryOp op) { return table.unary[static_cast<size_t>(op)]; };
    unary(UnaryOp::Exp)[kF16] = ElementaryHalf<ExpForHalf>;
    unary(UnaryOp::Exp)[kF32] = ElementaryFloat<ExpFloats>;
    unary(UnaryOp::Ln)[kF16] = ElementaryHalf<LogFloats>;
    unary(UnaryOp::Ln)[kF32] = ElementaryFloat<LogFloats>;
    SetUnary<AbsOp>(unary(UnaryOp::Abs));
    SetUnary<SqrtOp>(unary(UnaryOp::Sqrt));
    SetUnary<RsqrtOp>(unary(UnaryOp::Rsqrt));
    SetUnary<ReciprocalOp>(unary(UnaryOp::Reciprocal));
    SetUnary<ReluOp>(unary(UnaryOp::Relu));
    unary(UnaryOp::Relu)[kI32] = ReluInt32;
    unary(UnaryOp::Not)[kI16] = unary(UnaryOp::Not)[kU16] = Not16;
    table.fill[kF16] = table.fill[kBf16] = table.fill[kI16] = table.fill[kU16] = Fill<uint16_t>;
    table.fill[kF32] = table.fill[kI32] = table.fill[kU32] = Fill<uint32_t>;
    return table;
}

}  // namespace

const ArithmeticTable& ArithmeticLanes() {
    static const ArithmeticTable table = MakeTable();
    return table;
}

}  // namespace twin::lanes::TWIN_LANES_ISA
