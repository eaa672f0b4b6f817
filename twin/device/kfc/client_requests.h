// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/kfc/client_base.h"

namespace twin::kfc {

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
uint64_t ClientBase<Impl, A, B, C, BIAS, CFG>::Send(std::function<void(Impl&)> last, Location where,
                                                    bool all) {
    Later(std::move(last));
    const uint32_t subBlock = Self().subBlockIdx;
    return Post(
        number_,
        [steps = std::move(steps_), subBlock](void* object) {
            Impl& impl = static_cast<ClientBase*>(object)->impl_[subBlock];
            for (const auto& step : steps) {
                step(impl);
            }
        },
        all || kPairing == Pairing::kOnce ? kPairing : Pairing::kNone, where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::WaitAnswer(const char* api, Location where) {
    if (!answered_) {
        Fail("T493",
             "nobody answers: %s, but the request before did not ask for an answer\n  try: "
             "IterateAll<false>(gm, 0, false, true)",
             api);
    }
    Wait(api, where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::StartAll(Location where) {
    static_assert(CheckNotOnce<kPairing>(), "");
    if (cache_.GetPhyAddr() == nullptr) {
        Fail("T494", "no workspace: Iterate<false> before SetWorkspace");
    }
    cacheOffset_ = 0;
    fetched_.Restart();
    const Gm<DstT> cache = cache_;
    const int64_t elements = BlockElements();
    ticket_ = Send(
        [cache, elements, where](Impl& impl) {
            int64_t place = 0;
            while (impl.Iterate(false, where)) {
                impl.GetTensorC(matmul::At(cache, place), 0, true, where);
                place += elements;
            }
            impl.End(where);
        },
        where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
AscendC::GlobalTensor<typename C::T> ClientBase<Impl, A, B, C, BIAS, CFG>::NextCached(
    Location where) {
    if (!async_) {
        Fail("T494", "no block in the workspace: GetTensorC() without Iterate<false>");
    }
    if (!fetched_.Next(p_)) {
        Fail("T484", "no block: GetTensorC more often than C has blocks");
    }
    Wait("Iterate", where);
    Gm<DstT> block = matmul::At(cache_, cacheOffset_);
    block.bufferSize_ = static_cast<uint64_t>(BlockElements());
    cacheOffset_ += BlockElements();
    return block;
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::StartBatches(uint32_t loops, uint32_t batchA,
                                                        uint32_t batchB, bool sequential,
                                                        uint8_t enAtomic,
                                                        const matmul::MatrixStrides& strides,
                                                        Location where) {
    if (cache_.GetPhyAddr() == nullptr) {
        Fail("T494", "no workspace: IterateNBatch before SetWorkspace");
    }
    cacheOffset_ = 0;
    const Gm<DstT> cache = cache_;
    ticket_ = Send(
        [=](Impl& impl) {
            impl.SetBatchNum(static_cast<int32_t>(batchA), static_cast<int32_t>(batchB));
            impl.IterateBatches(loops, cache, enAtomic, sequential, strides, where);
            impl.End(where);
        },
        where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
AscendC::GlobalTensor<typename C::T> ClientBase<Impl, A, B, C, BIAS, CFG>::NextBatch(
    uint32_t products, Location where) {
    if (batchesLeft_ == 0) {
        Fail("T484",
             "no batch: GetBatchTensorC more often than IterateNBatch<false> has computed, or "
             "after IterateNBatch<true>");
    }
    --batchesLeft_;
    Wait("IterateNBatch", where);
    const int64_t elements = int64_t{products} * p_.t.singleCoreM * p_.t.singleCoreN;
    Gm<DstT> batch = matmul::At(cache_, cacheOffset_);
    batch.bufferSize_ = static_cast<uint64_t>(elements);
    cacheOffset_ += elements;
    return batch;
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::BlockToUb(const Local<DstT>& c, uint8_t enAtomic,
                                                     Location where) {
    static_assert(CheckNotOnce<kPairing>(), "");
    if (async_) {
        CopyIn(c, NextCached(where), where);
        return;
    }
    Gm<DstT> room;
    room.SetGlobalBuffer(static_cast<__gm__ DstT*>(
        Stage(static_cast<uint64_t>(BlockElements()) * sizeof(DstT), where)));
    ticket_ = Send([=](Impl& impl) { impl.GetTensorC(room, enAtomic, true, where); }, where);
    Wait("GetTensorC", where);
    CopyIn(c, room, where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::AllToUb(const Local<DstT>& c, uint8_t enAtomic,
                                                   Location where) {
    static_assert(CheckNotOnce<kPairing>(), "");
    if (enAtomic != 0) {
        Fail("T485", "no atomic mode into UB: enAtomic is %u, expected 0\n  try: C in GM",
             enAtomic);
    }
    const uint32_t room = c.GetSize();
    Gm<DstT> copy;
    copy.SetGlobalBuffer(static_cast<__gm__ DstT*>(Stage(c.GetLength(), where)));
    ticket_ = Send(
        [=](Impl& impl) {
            if (impl.SpanOfC() > int64_t{room}) {
                Fail("T496",
                     "C does not fit: IterateAll writes %lld elements, the local tensor has %u\n  "
                     "try: a larger tensor, or Iterate with GetTensorC",
                     static_cast<long long>(impl.SpanOfC()), room);
            }
            impl.IterateAll(copy, 0, false, false, false, where);
            impl.End(where);
        },
        where, true);
    Wait("IterateAll", where);
    CopyRun(c, copy, where);
}

template <class Impl, class A, class B, class C, class BIAS, const auto& CFG>
void ClientBase<Impl, A, B, C, BIAS, CFG>::Prepare(TCubeTiling tiling) {
    if constexpr (std::is_same<std::decay_t<decltype(CFG)>, MatmulApiStaticTiling>::value) {
        matmul::Override(tiling, CFG);
    }
    matmul::Override(tiling, kCfg);
    p_ = matmul::MakeProblem(tiling, kCfg);
    walk_.Restart();
}

}  // namespace twin::kfc
