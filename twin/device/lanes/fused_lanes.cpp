// SPDX-License-Identifier: Apache-2.0
// This file is compiled once per instruction set; see arithmetic_lanes.cpp.
#include <type_traits>

#include "device/lanes/arithmetic.h"
#include "device/lanes/convert.h"
#include "device/lanes/reduce.h"

namespace {

using twin::Dtype, twin::lanes::FusedOp, twin::lanes::FusedTable, twin::lanes::MixedOp,
    twin::lanes::ShiftOp;

constexpr size_t kChunk = 512;

inline float Relu(float x) { return (x > 0.0F || x != x) ? x : 0.0F; }

// If both operands are NaN, compiled code may return either; Sum and Product return the first one
// on every host.
inline float Sum(float a, float b) { return a != a ? a : a + b; }
inline float Product(float a, float b) { return a != a ? a : a * b; }

/// Rounds floats to the precision of T.
template <typename T>
void RoundTo(float* values, size_t count) {
    if (std::is_same<T, F16>::value) {
        alignas(64) F16 rounded[kChunk];
        NarrowHalf(rounded, values, count);
        WidenHalf(values, rounded, count);
    }
}

void Store(float* dst, const float* values, size_t count) {
    std::memcpy(dst, values, count * sizeof(float));
}
void Store(F16* dst, const float* values, size_t count) { NarrowHalf(dst, values, count); }
template <typename I>
void Store(I* dst, const float* values, size_t count) {
    constexpr float kMin = std::is_signed<I>::value ? -128.0F : 0.0F;
    constexpr float kMax = std::is_signed<I>::value ? 127.0F : 255.0F;
    static_assert(sizeof(I) == 1, "only 8-bit results come from floats here");
    for (size_t i = 0; i < count; ++i) {
        const float x = __builtin_rintf(values[i]);
        const float bounded = x > kMin ? (x < kMax ? x : kMax) : kMin;
        dst[i] = static_cast<I>(x != x ? 0.0F : bounded);
    }
}

/// Computes dst = op(src0, src1, dst) in chunks of floats; `op` leaves its result in its first
/// argument.
template <typename To, typename From, bool readsDst, typename Op>
void InFloats(void* dst, const void* src0, const void* src1, size_t count, Op op) {
    alignas(64) float a[kChunk];
    alignas(64) float b[kChunk];
    alignas(64) float c[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        To* d = static_cast<To*>(dst) + done;
        Widen(a, static_cast<const From*>(src0) + done, n);
        Widen(b, static_cast<const From*>(src1) + done, n);
        if constexpr (readsDst) {
            Widen(c, d, n);
        }
        op(a, b, c, n);
        Store(d, a, n);
    }
}

template <typename To, typename From, bool subtract>
void SumRelu(void* dst, const void* src0, const void* src1, size_t count) {
    InFloats<To, From, false>(dst, src0, src1, count, [](float* a, float* b, float*, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            a[i] = Sum(a[i], subtract ? -b[i] : b[i]);
        }
        RoundTo<From>(a, n);
        for (size_t i = 0; i < n; ++i) {
            a[i] = Relu(a[i]);
        }
    });
}

template <typename To, bool subtract>
void SumReluInt16(void* dst, const void* src0, const void* src1, size_t count) {
    const auto* a = static_cast<const uint16_t*>(src0);
    const auto* b = static_cast<const uint16_t*>(src1);
    auto* d = static_cast<To*>(dst);
    constexpr int16_t kMax = sizeof(To) == 1 ? 127 : 32767;
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const auto sum = static_cast<int16_t>(subtract ? a[i] - b[i] : a[i] + b[i]);
        const int16_t positive = sum > 0 ? sum : int16_t{0};
        d[i] = static_cast<To>(positive < kMax ? positive : kMax);
    }
}

template <typename To>
void MulCastHalf(void* dst, const void* src0, const void* src1, size_t count) {
    InFloats<To, F16, false>(dst, src0, src1, count, [](float* a, float* b, float*, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            a[i] = Product(a[i], b[i]);
        }
        RoundTo<F16>(a, n);
    });
}

/// Computes dst = src0 * src1 + dst. Product and sum are each rounded to dst's type. The product of
/// two numbers of type half is exact in float.
template <typename T, typename From>
void MulAddDst(void* dst, const void* src0, const void* src1, size_t count) {
    InFloats<T, From, true>(dst, src0, src1, count, [](float* a, float* b, float* c, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            a[i] = Product(a[i], b[i]);
        }
        RoundTo<T>(a, n);
        for (size_t i = 0; i < n; ++i) {
            a[i] = Sum(a[i], c[i]);
        }
    });
}

/// Computes MulAddDst for float in one pass, without copies to chunks.
void MulAddDstFloat(void* dst, const void* src0, const void* src1, size_t count) {
    auto* d = static_cast<float*>(dst);
    const auto* a = static_cast<const float*>(src0);
    const auto* b = static_cast<const float*>(src1);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        d[i] = Sum(Product(a[i], b[i]), d[i]);
    }
}

template <typename T, bool relu>
void MulDstAdd(void* dst, const void* src0, const void* src1, size_t count) {
    InFloats<T, T, true>(dst, src0, src1, count, [](float* a, float* b, float* c, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            a[i] = Product(a[i], c[i]);
        }
        RoundTo<T>(a, n);
        for (size_t i = 0; i < n; ++i) {
            a[i] = Sum(a[i], b[i]);
        }
        RoundTo<T>(a, n);
        for (size_t i = 0; relu && i < n; ++i) {
            a[i] = Relu(a[i]);
        }
    });
}

template <typename To, typename From>
void AxpyLanes(void* dst, const void* src, const void* scalar, size_t count) {
    const float s = ToFloat(*static_cast<const From*>(scalar));
    InFloats<To, From, true>(dst, src, src, count, [s](float* a, float*, float* c, size_t n) {
        for (size_t i = 0; i < n; ++i) {
            a[i] = Product(a[i], s);
        }
        RoundTo<To>(a, n);
        for (size_t i = 0; i < n; ++i) {
            a[i] = Sum(c[i], a[i]);
        }
    });
}

void AddDeqRelu(void* dst, const void* src0, const void* src1, float scale, size_t count) {
    const auto* a = static_cast<const uint32_t*>(src0);
    const auto* b = static_cast<const uint32_t*>(src1);
    alignas(64) float values[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        for (size_t i = 0; i < n; ++i) {
            values[i] =
                Relu(static_cast<float>(static_cast<int32_t>(a[done + i] + b[done + i])) * scale);
        }
        NarrowHalf(static_cast<F16*>(dst) + done, values, n);
    }
}

/// Shifts left. Signed numbers keep their sign bit; the bits below it are shifted out.
template <typename T>
void ShiftLeft(void* dst, const void* src, uint32_t distance, size_t count) {
    constexpr uint32_t kBits = sizeof(T) * 8;
    constexpr uint32_t kSign = std::is_signed<T>::value ? 1U << (kBits - 1) : 0;
    const auto* s = static_cast<const std::make_unsigned_t<T>*>(src);
    auto* d = static_cast<std::make_unsigned_t<T>*>(dst);
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const uint32_t moved = distance >= kBits ? 0 : static_cast<uint32_t>(s[i]) << distance;
        d[i] = static_cast<std::make_unsigned_t<T>>((moved & ~kSign) | (s[i] & kSign));
    }
}

/// Shifts right. If `rounded` is true, adds the last bit that was shifted out.
template <typename T, bool rounded>
void ShiftRight(void* dst, const void* src, uint32_t distance, size_t count) {
    constexpr uint32_t kBits = sizeof(T) * 8;
    const auto* s = static_cast<const T*>(src);
    auto* d = static_cast<T*>(dst);
    const uint32_t by = distance > kBits ? kBits + 1 : distance;
#pragma GCC ivdep
    for (size_t i = 0; i < count; ++i) {
        const auto wide = static_cast<int64_t>(s[i]);
        const int64_t up = rounded && by != 0 ? wide >> (by - 1) & 1 : 0;
        d[i] = static_cast<T>((wide >> by) + up);
    }
}

void SetSame(FusedTable& table) {
    const auto set = [&table](FusedOp op, Dtype dtype, twin::lanes::BinaryFn function) {
        table.same[static_cast<size_t>(op)][static_cast<size_t>(dtype)] = function;
    };
    set(FusedOp::AddRelu, Dtype::F16, SumRelu<F16, F16, false>);
    set(FusedOp::AddRelu, Dtype::F32, SumRelu<float, float, false>);
    set(FusedOp::AddRelu, Dtype::I16, SumReluInt16<int16_t, false>);
    set(FusedOp::SubRelu, Dtype::F16, SumRelu<F16, F16, true>);
    set(FusedOp::SubRelu, Dtype::F32, SumRelu<float, float, true>);
    set(FusedOp::SubRelu, Dtype::I16, SumReluInt16<int16_t, true>);
    set(FusedOp::MulAddDst, Dtype::F16, MulAddDst<F16, F16>);
    set(FusedOp::MulAddDst, Dtype::F32, MulAddDstFloat);
    set(FusedOp::FusedMulAdd, Dtype::F16, MulDstAdd<F16, false>);
    set(FusedOp::FusedMulAdd, Dtype::F32, MulDstAdd<float, false>);
    set(FusedOp::FusedMulAddRelu, Dtype::F16, MulDstAdd<F16, true>);
    set(FusedOp::FusedMulAddRelu, Dtype::F32, MulDstAdd<float, true>);
}

void SetMixed(FusedTable& table) {
    const auto set = [&table](MixedOp op, Dtype to, Dtype from, twin::lanes::BinaryFn function) {
        table.mixed[static_cast<size_t>(op)][static_cast<size_t>(to)][static_cast<size_t>(from)] =
            function;
    };
    set(MixedOp::MulCast, Dtype::I8, Dtype::F16, MulCastHalf<int8_t>);
    set(MixedOp::MulCast, Dtype::U8, Dtype::F16, MulCastHalf<uint8_t>);
    set(MixedOp::AddReluCast, Dtype::I8, Dtype::F16, SumRelu<int8_t, F16, false>);
    set(MixedOp::AddReluCast, Dtype::F16, Dtype::F32, SumRelu<F16, float, false>);
    set(MixedOp::AddReluCast, Dtype::I8, Dtype::I16, SumReluInt16<int8_t, false>);
    set(MixedOp::SubReluCast, Dtype::I8, Dtype::F16, SumRelu<int8_t, F16, true>);
    set(MixedOp::SubReluCast, Dtype::F16, Dtype::F32, SumRelu<F16, float, true>);
    set(MixedOp::SubReluCast, Dtype::I8, Dtype::I16, SumReluInt16<int8_t, true>);
    set(MixedOp::MulAddDst, Dtype::F32, Dtype::F16, MulAddDst<float, F16>);
    const auto axpy = [&table](Dtype to, Dtype from, twin::lanes::ScalarFn function) {
        table.axpy[static_cast<size_t>(to)][static_cast<size_t>(from)] = function;
    };
    axpy(Dtype::F16, Dtype::F16, AxpyLanes<F16, F16>);
    axpy(Dtype::F32, Dtype::F32, AxpyLanes<float, float>);
    axpy(Dtype::F32, Dtype::F16, AxpyLanes<float, F16>);
}

template <typename T>
void SetShift(FusedTable& table, Dtype dtype) {
    const auto row = static_cast<size_t>(dtype);
    table.shift[static_cast<size_t>(ShiftOp::Left)][row] = ShiftLeft<T>;
    table.shift[static_cast<size_t>(ShiftOp::Right)][row] = ShiftRight<T, false>;
    table.shift[static_cast<size_t>(ShiftOp::RightRounded)][row] =
        ShiftRight<T, std::is_signed<T>::value>;
}

FusedTable MakeTable() {
    FusedTable table = {};
    SetSame(table);
    SetMixed(table);
    SetShift<int16_t>(table, Dtype::I16);
    SetShift<uint16_t>(table, Dtype::U16);
    SetShift<int32_t>(table, Dtype::I32);
    SetShift<uint32_t>(table, Dtype::U32);
    table.addDeqRelu = AddDeqRelu;
    return table;
}

}  // namespace

TWIN_LANES_TABLE(FusedTable, FusedLanes, MakeTable())
