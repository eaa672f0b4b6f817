// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "device/cube/mmad.h"
#include "device/matmul/load.h"
#include "device/matmul/sparse.h"
#include "device/sync/events.h"

namespace twin::matmul {

/// One K step of a block: loads a base block of A into L0A and a base block of B into L0B, and
/// multiplies them. If L0A and L0B have two buffers each, a step loads while the previous step
/// multiplies. The buffers use the M_MTE1 flags 0 and 1, which TPipe reserves for the library.
template <typename T, typename Acc, bool kVector, bool kSparse>
class CubeStep {
public:
    void Init(int32_t halves, Location where) {
        constexpr uint32_t kElements = kL0Bytes * 8 / kElementBits<T>;
        l0a_ = AscendC::LocalTensor<T>(AscendC::TPosition::A2, 0, kElements, where);
        l0b_ = AscendC::LocalTensor<T>(AscendC::TPosition::B2, 0, kElements, where);
        halves_ = halves;
        half_ = 0;
    }

    void Load(const Tile<T>& tileA, const Part& partA, bool alongA, const Tile<T>& tileB,
              const Part& partB, bool alongB, Location where) {
        using AscendC::HardEvent;
        AscendC::WaitFlag<HardEvent::M_MTE1>(half_, where);
        if constexpr (kVector) {
            LoadVector(Half(l0a_), tileA, partA, where);
        } else {
            LoadA(Half(l0a_), tileA, partA, alongA, where);
        }
        if constexpr (kSparse) {
            LoadSparse(Half(l0b_), tileB, partB, where);
        } else {
            LoadB(Half(l0b_), tileB, partB, alongB, where);
        }
        AscendC::SetFlag<HardEvent::MTE1_M>(half_, where);
        AscendC::WaitFlag<HardEvent::MTE1_M>(half_, where);
    }

    /// Multiplies the loaded base blocks. If `table` is not null, C starts from this bias table.
    void Multiply(const Part& partA, int32_t columns, bool transposedA,
                  const AscendC::LocalTensor<Acc>& co1, const AscendC::LocalTensor<Acc>* table,
                  bool accumulate, Location where) {
        AscendC::MmadParams params;
        // With m = 1 the cube unit would read A as a vector.
        params.m = static_cast<uint16_t>(!kVector && partA.mn == 1 ? 16 : partA.mn);
        params.n = static_cast<uint16_t>(columns);
        params.k = static_cast<uint16_t>(partA.k);
        params.kDirectionAlign = std::is_same<T, float>::value && transposedA;
        params.cmatrixInitVal = !accumulate && table == nullptr;
        params.cmatrixSource = table != nullptr;
        const Operand c = co1, a = Half(l0a_), b = Half(l0b_);
        // Does not call the public Mmad: for int4b_t, only the instruction itself accepts a bias.
        Operand bias = c;
        if (table != nullptr) {
            bias = *table;
        }
        if constexpr (kSparse) {
            cube::MultiplySparse(c, a, b, params, where);
        } else {
            cube::Multiply(c, a, b, table == nullptr ? nullptr : &bias, params, kDtypeOf<T>, where);
        }
        if ((params.m / 16) * (params.n / 16) < kSmallProduct) {
            AscendC::PipeBarrier<PIPE_M>(where);
        }
        AscendC::SetFlag<AscendC::HardEvent::M_MTE1>(half_, where);
        half_ = (half_ + 1) % halves_;
    }

private:
    static constexpr uint32_t kL0Bytes = 65536;
    /// An Mmad with fewer fractals of C than this needs a barrier after it.
    static constexpr int32_t kSmallProduct = 10;

    AscendC::LocalTensor<T> Half(const AscendC::LocalTensor<T>& l0) const {
        return l0[static_cast<uint32_t>(half_) * (kL0Bytes / 2 * 8 / kElementBits<T>)];
    }

    AscendC::LocalTensor<T> l0a_, l0b_;  ///< tensors for all of L0A and L0B
    int32_t halves_ = 1;
    int32_t half_ = 0;
};

}  // namespace twin::matmul
