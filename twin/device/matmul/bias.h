// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cube/fixpipe.h"
#include "device/data_copy/data_copy_slice.h"
#include "device/matmul/copy_in.h"
#include "device/matmul/problem.h"
#include "device/pipe/tpipe.h"
#include "device/sync/events.h"

namespace twin::matmul {

/// The bias, a row of N values from which the sums of a block start. It is copied GM -> L1 -> bias
/// table, or only L1 -> bias table if the kernel has put it into L1.
template <typename T, typename Acc>
class Bias {
public:
    /// Event id of M_MTE1 and MTE1_M that the library reserves for the bias.
    static constexpr int32_t kEvent = 2;

    void Init(AscendC::TPipe& pipe, int32_t baseN, Location where) {
        const int32_t bytes = AlignUp(baseN, kBurst) * static_cast<int32_t>(sizeof(T));
        pipe.InitBuffer(l1_, 1, static_cast<uint32_t>(bytes), where);
        table_ = AscendC::LocalTensor<Acc>(AscendC::TPosition::C2, 0, kTableBytes / 4, where);
    }

    void Set(const AscendC::GlobalTensor<T>& gm) {
        gm_ = gm;
        inL1_ = false;
        on_ = true;
    }
    void Set(const AscendC::LocalTensor<T>& local) {
        local_ = local;
        on_ = inL1_ = true;
    }
    void Clear() { on_ = false; }
    /// Sets at which element the bias of the next product of a batch begins.
    void Shift(int64_t elements) { shift_ = elements; }
    bool On() const { return on_; }

    /// Copies columns [first, first + columns) into the bias table and returns the table.
    AscendC::LocalTensor<Acc> Load(int64_t first, int32_t columns, Location where) {
        using namespace AscendC;
        WaitFlag<HardEvent::M_MTE1>(kEvent, where);
        if (inL1_) {
            ToTable(table_, local_[static_cast<uint32_t>(first + shift_)], columns, where);
        } else {
            LocalTensor<T> l1 = l1_.template AllocTensor<T>(where);
            Tile<T> tile{l1, 1, columns};
            const GmMatrix<T> from{At(gm_, first + shift_), CubeFormat::ND, true, columns, 16};
            CopyNdTile(tile, from, 0, 0, 1, true, where);
            l1_.EnQue(l1, where);
            l1 = l1_.template DeQue<T>(where);
            ToTable(table_, l1, columns, where);
            l1_.FreeTensor(l1, where);
        }
        SetFlag<HardEvent::MTE1_M>(kEvent, where);
        WaitFlag<HardEvent::MTE1_M>(kEvent, where);
        return table_;
    }
    void Drain(Location where) { l1_.FreeAllEvent(where); }
    /// Lets the next `Load` overwrite the bias table. Call this after the Mmad that uses the bias.
    void Free(Location where) { AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(kEvent, where); }

private:
    static constexpr uint32_t kTableBytes = 1024;
    static constexpr int32_t kBurst = 16;  ///< number of elements in 64 B of the table

    /// Copies the bias from L1 to the table in bursts of 64 B. The copy converts half to float.
    static void ToTable(const AscendC::LocalTensor<Acc>& table, const AscendC::LocalTensor<T>& l1,
                        int32_t columns, Location where) {
        const int32_t bursts = CeilDiv(columns, kBurst);
        const AscendC::DataCopyParams params(1, static_cast<uint16_t>(bursts), 0, 0);
        constexpr bool kWidens = std::is_same_v<T, half> && std::is_same_v<Acc, float>;
        if constexpr (std::is_same_v<T, Acc> || kWidens) {
            AscendC::DataCopy(table, l1, params, where);
        } else {
            // Fails only at run time: kernels that set no bias may also name such a bias type.
            const char* const sums = Name(kDtypeOf<Acc>);
            Fail("T455",
                 "not modelled: a bias of %s in Matmul that sums in %s; the way into the bias "
                 "table converts half to float only\n  try: a bias of %s",
                 Name(kDtypeOf<T>), sums, sums);
        }
    }

    AscendC::TQue<AscendC::TPosition::C1, 1> l1_;
    AscendC::LocalTensor<Acc> table_;  ///< all of the bias table
    AscendC::GlobalTensor<T> gm_;
    AscendC::LocalTensor<T> local_;
    int64_t shift_ = 0;
    bool inL1_ = false;
    bool on_ = false;
};

/// The conversion of sums in L0C to C: no quantisation factor, one factor, or one per column.
template <typename Acc, typename C>
class Quant {
public:
    static constexpr bool kInteger = std::is_same<Acc, int32_t>::value;
    static constexpr bool kByte = sizeof(C) == 1;
    /// True if this type of C needs a factor.
    static constexpr bool kNeeded = kByte || (kInteger && std::is_same<C, ::half>::value);

    /// Returns how many bytes of L1 the factors of the columns of a base block take.
    static uint32_t Bytes(int32_t baseN) {
        return kNeeded ? static_cast<uint32_t>(AlignUp(baseN, 16)) * sizeof(uint64_t) : 0;
    }
    void Init(AscendC::TPipe& pipe, int32_t baseN, Location where) {
        if constexpr (kNeeded) {
            pipe.InitBuffer(l1_, 1, Bytes(baseN), where);
            hasRoom_ = true;
        }
    }

    void Set(uint64_t scalar) {
        scalar_ = scalar;
        kind_ = Kind::Scalar;
    }
    void Set(const AscendC::GlobalTensor<uint64_t>& vector) {
        vector_ = vector;
        kind_ = Kind::Vector;
    }
    /// Sets factors that the kernel has copied to L1.
    void Set(const AscendC::LocalTensor<uint64_t>& vector) {
        local_ = vector;
        kind_ = Kind::Local;
    }
    bool PerColumn() const { return kNeeded && (kind_ == Kind::Vector || kind_ == Kind::Local); }
    uint64_t Scalar() const { return kind_ == Kind::Scalar ? scalar_ : 0; }

    QuantMode_t Mode() const {
        if constexpr (!kNeeded) {
            if (std::is_same<C, ::half>::value) {
                return QuantMode_t::F322F16;
            }
            if (std::is_same<C, bfloat16_t>::value) {
                return QuantMode_t::F322BF16;
            }
            return QuantMode_t::NoQuant;
        } else {
            if (kind_ == Kind::None) {
                Fail("T483",
                     "no quantisation: this output type needs a factor\n  try: SetQuantScalar or "
                     "SetQuantVector before Iterate or IterateAll");
            }
            const bool vector = PerColumn();
            if (!kInteger) {
                return vector ? QuantMode_t::VQF322B8_PRE : QuantMode_t::QF322B8_PRE;
            }
            if (kByte) {
                return vector ? QuantMode_t::VREQ8 : QuantMode_t::REQ8;
            }
            return vector ? QuantMode_t::VDEQF16 : QuantMode_t::DEQF16;
        }
    }

    void Drain(Location where) { l1_.FreeAllEvent(where); }
    /// Returns the factors of columns [first, first + columns) in L1; release them with Free.
    AscendC::LocalTensor<uint64_t> Load(int64_t first, int32_t columns, Location where) {
        using namespace AscendC;
        if (kind_ == Kind::Local) {
            return local_[{static_cast<uint32_t>(first), where}];
        }
        if (!hasRoom_) {
            Fail("T481",
                 "L1 full: SetQuantVector, but the buffers for A and B leave no room for the "
                 "factors\n  try: a smaller depthA1, depthB1 or base block in the tiling");
        }
        LocalTensor<uint64_t> l1 = l1_.template AllocTensor<uint64_t>(where);
        // The factors are copied as bytes, because Nd2Nz takes no elements of 8 B.
        const int32_t bytes = columns * static_cast<int32_t>(sizeof(uint64_t));
        const Tile<uint8_t> tile{l1.template ReinterpretCast<uint8_t>(), 1, bytes};
        const GmMatrix<uint8_t> row{ViewAs<uint8_t>(At(vector_, first)), CubeFormat::ND, true,
                                    bytes, 16};
        CopyNdTile(tile, row, 0, 0, 1, true, where);
        SyncPipes(HardEvent::MTE2_FIX, where);
        return l1;
    }
    void Free(AscendC::LocalTensor<uint64_t>& l1, Location where) {
        using namespace AscendC;
        if (kind_ == Kind::Local) {
            return;
        }
        SyncPipes(HardEvent::FIX_MTE2, where);
        l1_.FreeTensor(l1, where);
    }

private:
    enum class Kind : uint8_t { None, Scalar, Vector, Local };

    AscendC::TQue<AscendC::TPosition::C1, 1> l1_;
    AscendC::GlobalTensor<uint64_t> vector_;
    AscendC::LocalTensor<uint64_t> local_;
    uint64_t scalar_ = 0;
    Kind kind_ = Kind::None;
    bool hasRoom_ = false;  ///< L1 has room for the factors of the columns
};

}  // namespace twin::matmul
