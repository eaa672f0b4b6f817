// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "device/lanes/convert.h"
#include "device/lanes/reduce.h"

namespace {

// If an operand is NaN, Ne is true and the other comparisons are false.
#if defined(__AVX2__)
#define TWIN_COMPARE_OP(NAME, SYMBOL, PREDICATE)               \
    struct NAME {                                              \
        static constexpr int kPredicate = PREDICATE;           \
        static bool F(float a, float b) { return a SYMBOL b; } \
    }
#else
#define TWIN_COMPARE_OP(NAME, SYMBOL, PREDICATE)               \
    struct NAME {                                              \
        static bool F(float a, float b) { return a SYMBOL b; } \
    }
#endif
TWIN_COMPARE_OP(Lt, <, _CMP_LT_OQ);
TWIN_COMPARE_OP(Gt, >, _CMP_GT_OQ);
TWIN_COMPARE_OP(Eq, ==, _CMP_EQ_OQ);
TWIN_COMPARE_OP(Le, <=, _CMP_LE_OQ);
TWIN_COMPARE_OP(Ge, >=, _CMP_GE_OQ);
TWIN_COMPARE_OP(Ne, !=, _CMP_NEQ_UQ);
#undef TWIN_COMPARE_OP

constexpr size_t kChunk = 64;

/// Packs eight bytes of 0 or 1 into the bits of one byte.
inline uint8_t PackByte(const uint8_t* flags) {
    uint64_t eight;
    std::memcpy(&eight, flags, sizeof(eight));
    return static_cast<uint8_t>(eight * 0x0102040810204080U >> 56);
}

/// Returns the results of eight comparisons as bits.
template <typename Op>
inline uint8_t Eight(const float* a, const float* b) {
#if defined(__AVX2__)
    return static_cast<uint8_t>(
        _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(a), _mm256_loadu_ps(b), Op::kPredicate)));
#else
    uint8_t flags[8];
    for (size_t i = 0; i < 8; ++i) {
        flags[i] = Op::F(a[i], b[i]);
    }
    return PackByte(flags);
#endif
}
template <typename Op>
inline uint8_t Eight(const int32_t* a, const int32_t* b) {
    uint8_t flags[8];
    for (size_t i = 0; i < 8; ++i) {
        flags[i] = a[i] == b[i];
    }
    return PackByte(flags);
}

template <typename Op, typename T>
void Tensor(uint8_t* bits, const void* src0, const void* src1, size_t count) {
    const auto* a = static_cast<const T*>(src0);
    const auto* b = static_cast<const T*>(src1);
    for (size_t i = 0; i < count; i += 8) {
        bits[i / 8] = Eight<Op>(a + i, b + i);
    }
}

template <typename Op, typename T>
void Scalar(uint8_t* bits, const void* src0, const void* src1, size_t count) {
    const auto* a = static_cast<const T*>(src0);
    T b[8];
    for (T& place : b) {
        std::memcpy(&place, src1, sizeof(T));
    }
    for (size_t i = 0; i < count; i += 8) {
        bits[i / 8] = Eight<Op>(a + i, b);
    }
}

template <typename Op>
void TensorHalf(uint8_t* bits, const void* src0, const void* src1, size_t count) {
    alignas(64) float a[kChunk];
    alignas(64) float b[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        WidenHalf(a, static_cast<const F16*>(src0) + done, n);
        WidenHalf(b, static_cast<const F16*>(src1) + done, n);
        Tensor<Op, float>(bits + done / 8, a, b, n);
    }
}

template <typename Op>
void ScalarHalf(uint8_t* bits, const void* src0, const void* src1, size_t count) {
    const float b = ToFloat(*static_cast<const F16*>(src1));
    alignas(64) float a[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        WidenHalf(a, static_cast<const F16*>(src0) + done, n);
        Scalar<Op, float>(bits + done / 8, a, &b, n);
    }
}

inline bool Bit(const uint8_t* bits, uint64_t index) { return bits[index / 8] >> (index % 8) & 1; }

#if defined(__AVX512BW__)
/// Selects the elements that fill whole vectors of 64 B and returns their number; the caller
/// selects the rest. Bit 0 of `bits` belongs to the first element.
inline size_t SelectWide(uint16_t* d, const uint16_t* a, const uint16_t* b, bool scalar,
                         const uint8_t* bits, size_t count) {
    const __m512i fixed = _mm512_set1_epi16(static_cast<int16_t>(*b));
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        uint32_t mask;
        std::memcpy(&mask, bits + i / 8, sizeof(mask));
        const __m512i other = scalar ? fixed : _mm512_loadu_si512(b + i);
        _mm512_storeu_si512(d + i, _mm512_mask_blend_epi16(mask, other, _mm512_loadu_si512(a + i)));
    }
    return i;
}
inline size_t SelectWide(uint32_t* d, const uint32_t* a, const uint32_t* b, bool scalar,
                         const uint8_t* bits, size_t count) {
    const __m512i fixed = _mm512_set1_epi32(static_cast<int32_t>(*b));
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        uint16_t mask;
        std::memcpy(&mask, bits + i / 8, sizeof(mask));
        const __m512i other = scalar ? fixed : _mm512_loadu_si512(b + i);
        _mm512_storeu_si512(d + i, _mm512_mask_blend_epi32(mask, other, _mm512_loadu_si512(a + i)));
    }
    return i;
}
#else
template <typename T>
inline size_t SelectWide(T*, const T*, const T*, bool, const uint8_t*, size_t) {
    return 0;
}
#endif

template <typename T, bool kScalar>
void Select(void* dst, const void* src0, const void* src1, const uint8_t* bits, uint64_t first,
            size_t count) {
    static const T kBit[8] = {1, 2, 4, 8, 16, 32, 64, 128};
    auto* d = static_cast<T*>(dst);
    const auto* a = static_cast<const T*>(src0);
    const auto* b = static_cast<const T*>(src1);
    const T fixed = *b;
    size_t i = 0;
    if (first % 8 == 0) {
        i = SelectWide(d, a, b, kScalar, bits + first / 8, count);
        for (; i + 8 <= count; i += 8) {
            const T byte = bits[(first + i) / 8];
#pragma GCC ivdep
            for (uint32_t k = 0; k < 8; ++k) {
                const T other = kScalar ? fixed : b[i + k];
                d[i + k] = (byte & kBit[k]) != 0 ? a[i + k] : other;
            }
        }
    }
    for (; i < count; ++i) {
        d[i] = Bit(bits, first + i) ? a[i] : (kScalar ? fixed : b[i]);
    }
}

template <typename Op>
void AddOp(twin::lanes::CompareTable* table, twin::lanes::CompareOp op) {
    using twin::Dtype;
    const auto row = static_cast<size_t>(op);
    table->tensor[row][static_cast<size_t>(Dtype::F16)] = TensorHalf<Op>;
    table->tensor[row][static_cast<size_t>(Dtype::F32)] = Tensor<Op, float>;
    table->scalar[row][static_cast<size_t>(Dtype::F16)] = ScalarHalf<Op>;
    table->scalar[row][static_cast<size_t>(Dtype::F32)] = Scalar<Op, float>;
}

twin::lanes::CompareTable MakeTable() {
    using twin::lanes::CompareOp;
    twin::lanes::CompareTable table = {};
    AddOp<Lt>(&table, CompareOp::Lt);
    AddOp<Gt>(&table, CompareOp::Gt);
    AddOp<Eq>(&table, CompareOp::Eq);
    // The vector unit compares int32_t for equality only.
    table.tensor[static_cast<size_t>(CompareOp::Eq)][static_cast<size_t>(twin::Dtype::I32)] =
        Tensor<Eq, int32_t>;
    table.scalar[static_cast<size_t>(CompareOp::Eq)][static_cast<size_t>(twin::Dtype::I32)] =
        Scalar<Eq, int32_t>;
    AddOp<Le>(&table, CompareOp::Le);
    AddOp<Ge>(&table, CompareOp::Ge);
    AddOp<Ne>(&table, CompareOp::Ne);
    table.select16 = Select<uint16_t, false>;
    table.select32 = Select<uint32_t, false>;
    table.selectScalar16 = Select<uint16_t, true>;
    table.selectScalar32 = Select<uint32_t, true>;
    return table;
}

}  // namespace

TWIN_LANES_TABLE(CompareTable, CompareLanes, MakeTable())
