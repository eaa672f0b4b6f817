// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/data_copy/data_copy.h"
#include "device/reduce/instructions.h"
#include "device/reduce/pattern_scratch.h"
#include "device/sync/events.h"
#include "device/vec/elementwise.h"

// The instructions of the reductions by pattern.

namespace twin::reduce {

/// Sets dst = a op b; later vector instructions wait for it.
template <PatternOp op, typename T>
void Combine(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& a,
             const AscendC::LocalTensor<T>& b, uint32_t count, Location here) {
    const auto elements = static_cast<int32_t>(count);
    if constexpr (op == PatternOp::Sum) {
        AscendC::Add(dst, a, b, elements, here);
    } else if constexpr (op == PatternOp::Max) {
        AscendC::Max(dst, a, b, elements, here);
    } else if constexpr (op == PatternOp::Min) {
        AscendC::Min(dst, a, b, elements, here);
    } else if constexpr (op == PatternOp::Product) {
        AscendC::Mul(dst, a, b, elements, here);
    } else if constexpr (op == PatternOp::And) {
        AscendC::And(dst, a, b, elements, here);
    } else {
        AscendC::Or(dst, a, b, elements, here);
    }
    AscendC::PipeBarrier<PIPE_V>(here);
}

template <typename T>
void Move(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, uint32_t count,
          Location here) {
    if constexpr (std::is_same<T, int16_t>::value) {
        // Two uint8_t elements, of which the second may be padding. The library adds 0, which the
        // hazard checker would take as a use of the padding.
        AscendC::Or(dst, src, src, static_cast<int32_t>(count), here);
    } else {
        AscendC::Adds(dst, src, static_cast<T>(0), static_cast<int32_t>(count), here);
    }
    AscendC::PipeBarrier<PIPE_V>(here);
}

/// Reduces the first axis: adds rows beyond a power of two to the first rows, then halves the rows
/// until one is left. The last move adds 0.
template <PatternOp op, bool reuse, typename T>
void ReduceFirstAxis(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                     const AscendC::LocalTensor<T>& tmp, const AxisShape& m, Location here) {
    const AscendC::LocalTensor<T>& work = reuse ? src : tmp;
    uint32_t half = LowerPower(m.first);
    const uint32_t rest = m.first - half;
    if (rest != 0) {
        if constexpr (!reuse) {
            Move(work, src, half * m.pitch, here);
        }
        Combine<op>(work, work, src[half * m.pitch], rest * m.pitch, here);
    } else if (half > 1) {
        half /= 2;
        Combine<op>(work, src, src[half * m.pitch], half * m.pitch, here);
    }
    while (half > 1) {
        half /= 2;
        Combine<op>(work, work, work[half * m.pitch], half * m.pitch, here);
    }
    Move(dst, m.first == 1 ? src : work, m.last, here);
}

/// Calls part(row, count) for parts of at most 248 rows, which one instruction reduces.
template <typename Part>
void ForRows(uint32_t rows, Part part) {
    for (uint32_t row = 0; row < rows; row += 248) {
        part(row, std::min(rows - row, 248U));
    }
}

/// Reduces rows of at most 256 B to packed results, by one instruction for many rows.
template <PatternOp op, typename T>
void ReduceShortRows(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                     uint32_t rows, uint32_t valid, uint32_t pitch, Location here) {
    const auto mask = static_cast<int32_t>(valid);
    const auto stride = static_cast<int32_t>(pitch * sizeof(T) / kBlockBytes);
    ForRows(rows, [&](uint32_t row, uint32_t count) {
        const auto repeats = static_cast<int32_t>(count);
        constexpr auto order = AscendC::ReduceOrder::ORDER_ONLY_VALUE;
        if constexpr (op == PatternOp::Sum) {
            AscendC::WholeReduceSum(dst[row], src[row * pitch], mask, repeats, 1, 1, stride, here);
        } else if constexpr (op == PatternOp::Max) {
            AscendC::WholeReduceMax(dst[row], src[row * pitch], mask, repeats, 1, 1, stride, order,
                                    here);
        } else {
            AscendC::WholeReduceMin(dst[row], src[row * pitch], mask, repeats, 1, 1, stride, order,
                                    here);
        }
    });
    AscendC::PipeBarrier<PIPE_V>(here);
}

/// Sums rows of more than 64 floats: adds the elements beyond a power of two to the first ones,
/// then neighbours, until 64 sums are left.
template <bool reuse>
void SumLongRows(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                 const AscendC::LocalTensor<float>& tmp, const AxisShape& m, Location here) {
    const uint32_t kept = SumWidth(m.last);
    const AscendC::LocalTensor<float>& work = reuse ? src : tmp;
    const AscendC::DataCopyParams rows(static_cast<uint16_t>(m.first),
                                       static_cast<uint16_t>(kept / 8),
                                       static_cast<uint16_t>((m.pitch - kept) / 8), 0);
    if constexpr (!reuse) {
        AscendC::DataCopy(work, src, rows, here);
        AscendC::PipeBarrier<PIPE_V>(here);
    }
    const uint32_t pitch = reuse ? m.pitch : kept;
    for (uint32_t row = 0; row < m.first; ++row) {
        const AscendC::LocalTensor<float> sums = work[row * pitch];
        AscendC::Add(sums, sums, src[row * m.pitch + kept], static_cast<int32_t>(m.last - kept),
                     here);
    }
    AscendC::PipeBarrier<PIPE_V>(here);
    if constexpr (reuse) {
        AscendC::DataCopy(work, src, rows, here);
        AscendC::PipeBarrier<PIPE_V>(here);
    }
    uint32_t width = kept;
    for (; width > 64; width /= 2) {
        ForRows(m.first * width / 64, [&](uint32_t repeat, uint32_t count) {
            AscendC::PairReduceSum(work[repeat * 32], work[repeat * 64],
                                   static_cast<int32_t>(count), 64, 1, 1, 8, here);
        });
        AscendC::PipeBarrier<PIPE_V>(here);
    }
    ReduceShortRows<PatternOp::Sum>(dst, work, m.first, 64, 64, here);
}

/// Finds the extreme values of rows of more than 256 B: first 256 B of them for each row.
template <PatternOp op, bool reuse, typename T>
void ReduceLongRows(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                    const AscendC::LocalTensor<T>& tmp, const AxisShape& m, Location here) {
    constexpr uint32_t width = kRepeatBytes / sizeof(T);
    const AscendC::LocalTensor<T>& work = reuse ? src : tmp;
    for (uint32_t row = 0; row < m.first; ++row) {
        // With reuse, a row's results lie at or in front of the row, where no other row is left.
        const AscendC::LocalTensor<T> best = work[row * width], from = src[row * m.pitch];
        Move(best, from, width, here);
        for (uint32_t at = width; at < m.last; at += width) {
            Combine<op>(best, best, from[at], std::min(width, m.last - at), here);
        }
    }
    ReduceShortRows<op>(dst, work, m.first, width, width, here);
}

template <PatternOp op, bool reuse, typename T>
void ReduceLastAxis(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                    const AscendC::LocalTensor<T>& tmp, const AxisShape& m, Location here) {
    if (m.last * sizeof(T) <= kRepeatBytes) {
        ReduceShortRows<op>(dst, src, m.first, m.last, m.pitch, here);
    } else if constexpr (op == PatternOp::Sum) {
        SumLongRows<reuse>(dst, src, tmp, m, here);
    } else {
        ReduceLongRows<op, reuse>(dst, src, tmp, m, here);
    }
}

}  // namespace twin::reduce
