// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "device/lanes/compare.h"
#include "device/lanes/convert.h"
#include "device/lanes/select.h"

namespace {

// A NaN on either side is unequal to everything and neither less nor greater.
struct Lt {
    template <typename T>
    static bool F(T a, T b) {
        return a < b;
    }
};
struct Gt {
    template <typename T>
    static bool F(T a, T b) {
        return a > b;
    }
};
struct Eq {
    template <typename T>
    static bool F(T a, T b) {
        return a == b;
    }
};
struct Le {
    template <typename T>
    static bool F(T a, T b) {
        return a <= b;
    }
};
struct Ge {
    template <typename T>
    static bool F(T a, T b) {
        return a >= b;
    }
};
struct Ne {
    template <typename T>
    static bool F(T a, T b) {
        return a != b;
    }
};

constexpr size_t kChunk = 64;

/// Eight bytes of 0 or 1 become the bits of one byte.
inline uint8_t PackByte(const uint8_t* flags) {
    uint64_t eight;
    std::memcpy(&eight, flags, sizeof(eight));
    return static_cast<uint8_t>(eight * 0x0102040810204080U >> 56);
}

inline void Pack(uint8_t* bits, const uint8_t* flags, size_t count) {
    for (size_t i = 0; i < count; i += 8) {
        bits[i / 8] = PackByte(flags + i);
    }
}

inline void Load(float* dst, const F16* src, size_t count) { WidenHalf(dst, src, count); }
template <typename T>
inline void Load(T* dst, const T* src, size_t count) {
    std::memcpy(dst, src, count * sizeof(T));
}

/// T: the element in memory; W: the type it is compared in.
template <typename Op, typename T, typename W>
void Tensor(uint8_t* bits, const void* src0, const void* src1, size_t count) {
    W a[kChunk] = {};
    W b[kChunk] = {};
    uint8_t flags[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        Load(a, static_cast<const T*>(src0) + done, n);
        Load(b, static_cast<const T*>(src1) + done, n);
        for (size_t i = 0; i < kChunk; ++i) {
            flags[i] = Op::F(a[i], b[i]);
        }
        Pack(bits + done / 8, flags, n);
    }
}

template <typename Op, typename T, typename W>
void Scalar(uint8_t* bits, const void* src0, const void* src1, size_t count) {
    W b;
    Load(&b, static_cast<const T*>(src1), 1);
    W a[kChunk] = {};
    uint8_t flags[kChunk];
    for (size_t done = 0; done < count; done += kChunk) {
        const size_t n = count - done < kChunk ? count - done : kChunk;
        Load(a, static_cast<const T*>(src0) + done, n);
        for (size_t i = 0; i < kChunk; ++i) {
            flags[i] = Op::F(a[i], b);
        }
        Pack(bits + done / 8, flags, n);
    }
}

inline bool Bit(const uint8_t* bits, uint64_t index) { return bits[index / 8] >> (index % 8) & 1; }

template <typename T, bool kScalar>
void Select(void* dst, const void* src0, const void* src1, const uint8_t* bits, uint64_t first,
            size_t count) {
    auto* d = static_cast<T*>(dst);
    const auto* a = static_cast<const T*>(src0);
    const auto* b = static_cast<const T*>(src1);
    const T fixed = *b;
    size_t i = 0;
    if (first % 8 == 0) {
        for (; i + 8 <= count; i += 8) {
            const uint32_t byte = bits[(first + i) / 8];
#pragma GCC ivdep
            for (uint32_t k = 0; k < 8; ++k) {
                const T other = kScalar ? fixed : b[i + k];
                const auto chosen = static_cast<T>(0 - (byte >> k & 1U));
                d[i + k] = static_cast<T>((a[i + k] & chosen) | (other & ~chosen));
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
    table->tensor[row][static_cast<size_t>(Dtype::F16)] = Tensor<Op, F16, float>;
    table->tensor[row][static_cast<size_t>(Dtype::F32)] = Tensor<Op, float, float>;
    table->tensor[row][static_cast<size_t>(Dtype::I32)] = Tensor<Op, int32_t, int32_t>;
    table->scalar[row][static_cast<size_t>(Dtype::F16)] = Scalar<Op, F16, float>;
    table->scalar[row][static_cast<size_t>(Dtype::F32)] = Scalar<Op, float, float>;
    table->scalar[row][static_cast<size_t>(Dtype::I32)] = Scalar<Op, int32_t, int32_t>;
}

twin::lanes::CompareTable MakeTable() {
    using twin::lanes::CompareOp;
    twin::lanes::CompareTable table = {};
    AddOp<Lt>(&table, CompareOp::Lt);
    AddOp<Gt>(&table, CompareOp::Gt);
    AddOp<Eq>(&table, CompareOp::Eq);
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

namespace twin::lanes::TWIN_LANES_ISA {

const CompareTable& CompareLanes() {
    static const CompareTable table = MakeTable();
    return table;
}

}  // namespace twin::lanes::TWIN_LANES_ISA
