// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kfc/client_base.h"
#include "device/sync/events.h"

namespace twin::kfc {

/// Returns `elements`, rounded up to whole blocks of 32 B.
template <typename T>
uint32_t WholeBlocks(uint64_t elements) {
    constexpr uint64_t kPerBlock = 256 / kElementBits<T>;
    return static_cast<uint32_t>((elements + kPerBlock - 1) / kPerBlock * kPerBlock);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::CopyIn(const Local<DstT>& c, const Gm<DstT>& gm,
                                                  Location where) {
    const matmul::Block& block = async_ ? fetched_.At() : walk_.At();
    if constexpr (C::format == CubeFormat::ND_ALIGN) {
        // In UB, every row is filled up to whole blocks of 32 B.
        const auto bytes =
            static_cast<uint32_t>(block.columns) * static_cast<uint32_t>(sizeof(DstT));
        const AscendC::DataCopyExtParams params(static_cast<uint16_t>(block.rows), bytes, 0, 0, 0);
        AscendC::DataCopyPad(c, gm, params, AscendC::DataCopyPadExtParams<DstT>(), where);
        SyncPipes(AscendC::HardEvent::MTE2_V, where);
        return;
    }
    const uint64_t rows = C::format == CubeFormat::NZ
                              ? static_cast<uint64_t>(matmul::AlignUp(block.rows, 16))
                              : static_cast<uint64_t>(block.rows);
    const uint64_t columns = C::format == CubeFormat::NZ
                                 ? static_cast<uint64_t>(matmul::AlignUp(block.columns, 16))
                                 : static_cast<uint64_t>(block.columns);
    const uint32_t count = WholeBlocks<DstT>(rows * columns);
    AscendC::DataCopy(c, gm, count, where);
    SyncPipes(AscendC::HardEvent::MTE2_V, where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::CopyRun(const Local<DstT>& c, const Gm<DstT>& gm,
                                                   Location where) {
    AscendC::DataCopy(c, gm, c.GetSize(), where);
    SyncPipes(AscendC::HardEvent::MTE2_V, where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
template <typename T>
void ClientBase<Impl, A, B, C, BIAS, CFG>::CopyOut(const Gm<T>& gm, const Local<T>& local,
                                                   Location where) {
    SyncPipes(AscendC::HardEvent::V_MTE3, where);
    AscendC::DataCopy(gm, local, WholeBlocks<T>(local.GetSize()), where);
}

/// Sets factors in TSCM; newer than CANN 8.1.
template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::SetQuantVector(const Local<uint64_t>& quantTensor,
                                                          Location where) {
    Later([=](Impl& impl) {
        CheckTscm(quantTensor, where);
        impl.SetQuantVector(quantTensor);
    });
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
template <class X, typename Set>
void ClientBase<Impl, A, B, C, BIAS, CFG>::SetLocal(const Local<SrcT>& tensor, Set set,
                                                    Location where) {
    if constexpr (matmul::kInL1<X>) {
        walk_.Restart();
        Later([=](Impl& impl) {
            CheckTscm(tensor, where);
            set(impl, tensor);
        });
    } else {
        set(*this, Staged(tensor, where));
    }
}

}  // namespace twin::kfc
