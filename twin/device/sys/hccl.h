// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/sys/collective.h"
#include "device/sys/hccl_common.h"
#include "device/sys/system.h"
#include "device/types/dtype.h"

namespace AscendC {

static constexpr HcclServerConfig DEFAULT_CFG = {CoreType::DEFAULT, 0};

/// Collective communication in a group with only this device, rank 0 of 1. Each communication is a
/// copy (docs/twin-semantics/framework.md). Calls that need other devices or another context are
/// not modelled (T455). As in the toolkit, every core calls the functions, block `config.blockId`
/// communicates for the device, and a call in the wrong order returns -1.
template <HcclServerType serverType = HcclServerType::HCCL_SERVER_TYPE_AICPU,
          const auto& config = DEFAULT_CFG>
class Hccl {
public:
    void Init(GM_ADDR context, void* = nullptr, TWIN_HERE) {
        group_ = static_cast<int32_t>(twin::collective::GroupOf(context, here));
    }
    int32_t SetCcTiling(void* tiling, TWIN_HERE) {
        RequireInit("SetCcTiling", here);
        return tiling == nullptr ? -1 : 0;
    }
    template <bool commit = false>
    HcclHandle AllReduce(GM_ADDR sendBuf, GM_ADDR recvBuf, uint64_t count, HcclDataType dataType,
                         HcclReduceOp op, uint8_t repeat = 1, TWIN_HERE) {
        const bool good = op >= HCCL_REDUCE_SUM && op < HCCL_REDUCE_RESERVED;
        return Prepare<commit>(
            {twin::Opcode::AllReduce, sendBuf, recvBuf, Bytes(count, dataType), repeat}, good,
            here);
    }
    template <bool commit = false>
    HcclHandle AllGather(GM_ADDR sendBuf, GM_ADDR recvBuf, uint64_t sendCount,
                         HcclDataType dataType, uint64_t, uint8_t repeat = 1, TWIN_HERE) {
        return Prepare<commit>(
            {twin::Opcode::AllGather, sendBuf, recvBuf, Bytes(sendCount, dataType), repeat}, true,
            here);
    }
    template <bool commit = false>
    HcclHandle ReduceScatter(GM_ADDR sendBuf, GM_ADDR recvBuf, uint64_t recvCount,
                             HcclDataType dataType, HcclReduceOp op, uint64_t, uint8_t repeat = 1,
                             TWIN_HERE) {
        const bool good = op >= HCCL_REDUCE_SUM && op < HCCL_REDUCE_RESERVED;
        return Prepare<commit>(
            {twin::Opcode::ReduceScatter, sendBuf, recvBuf, Bytes(recvCount, dataType), repeat},
            good, here);
    }
    template <bool commit = false>
    HcclHandle AlltoAll(GM_ADDR sendBuf, GM_ADDR recvBuf, uint64_t dataCount, HcclDataType dataType,
                        uint64_t = 0, uint8_t repeat = 1, TWIN_HERE) {
        return Prepare<commit>(
            {twin::Opcode::AlltoAll, sendBuf, recvBuf, Bytes(dataCount, dataType), repeat}, true,
            here);
    }
    /// Starts an AlltoAllV; counts and offsets are uint64_t arrays with one entry for each device.
    template <bool commit = false>
    HcclHandle AlltoAllV(GM_ADDR sendBuf, void* sendCounts, void* sdispls, HcclDataType sendType,
                         GM_ADDR recvBuf, void* recvCounts, void* rdispls, HcclDataType recvType,
                         uint8_t repeat = 1, TWIN_HERE) {
        RequireInit("AlltoAllV", here);
        if (sendCounts == nullptr || sdispls == nullptr || recvCounts == nullptr ||
            rdispls == nullptr || sendType != recvType || sendBuf == nullptr ||
            recvBuf == nullptr) {
            return -1;
        }
        if (First(sendCounts) != First(recvCounts)) {
            twin::RefuseCollective(
                "AlltoAllV that sends one number of elements to itself and "
                "receives another",
                here);
        }
        return Prepare<commit>(
            {twin::Opcode::AlltoAllV, sendBuf + Bytes(First(sdispls), sendType),
             recvBuf + Bytes(First(rdispls), recvType), Bytes(First(sendCounts), sendType), repeat},
            true, here);
    }
    template <bool commit = false>
    HcclHandle BatchWrite(GM_ADDR, uint32_t, TWIN_HERE) {
        twin::RefuseCollective("BatchWrite", here);
    }
    void Commit(HcclHandle handle, TWIN_HERE) {
        RequireInit("Commit", here);
        if (!Known(handle) || committed_[handle] >= repeat_[handle]) {
            return;
        }
        ++committed_[handle];
        if (Speaks()) {
            twin::collective::Commit(group_, handle, here);
        }
    }
    int32_t Wait(HcclHandle handle, TWIN_HERE) {
        RequireInit("Wait", here);
        if (!Known(handle) || waited_[handle] >= committed_[handle]) {
            return -1;
        }
        twin::collective::Await(group_, handle, ++waited_[handle], here);
        return 0;
    }
    int32_t Query(HcclHandle handle, TWIN_HERE) {
        RequireInit("Query", here);
        return Known(handle) ? twin::collective::Count(group_, handle, here) : -1;
    }
    void InterHcclGroupSync(int8_t, HcclHandle, TWIN_HERE) {
        twin::RefuseCollective("InterHcclGroupSync", here);
    }
    /// Waits for the last communication if this block communicates for the device.
    void Finalize(TWIN_HERE) {
        RequireInit("Finalize", here);
        if (Speaks() && last_ >= 0) {
            twin::collective::Await(group_, last_, repeat_[last_], here);
        }
    }
    GM_ADDR GetWindowsInAddr(uint32_t, TWIN_HERE) {
        twin::RefuseCollective("GetWindowsInAddr", here);
    }
    GM_ADDR GetWindowsOutAddr(uint32_t, TWIN_HERE) {
        twin::RefuseCollective("GetWindowsOutAddr", here);
    }
    uint32_t GetRankId(TWIN_HERE) {
        RequireInit("GetRankId", here);
        return 0;
    }
    uint32_t GetRankDim(TWIN_HERE) {
        RequireInit("GetRankDim", here);
        return 1;
    }

private:
    static constexpr int8_t kMaxHandles = 63;

    void RequireInit(const char* call, twin::Location here) const {
        if (group_ < 0) {
            twin::collective::RefuseBeforeInit(call, here);
        }
    }
    static uint64_t First(const void* array) { return *static_cast<const uint64_t*>(array); }
    /// Returns the bytes of `count` elements; returns 0 for an unknown type.
    static uint64_t Bytes(uint64_t count, HcclDataType type) {
        constexpr uint8_t kBytes[] = {1, 2, 4, 2, 4, 8, 8, 1, 2, 4, 8, 2, 16};
        return type >= HCCL_DATA_TYPE_INT8 && type < HCCL_DATA_TYPE_RESERVED ? count * kBytes[type]
                                                                             : 0;
    }
    bool Known(HcclHandle handle) const { return handle >= 0 && handle <= last_; }
    static bool Speaks() { return GetBlockIdx() == config.blockId; }

    template <bool commit>
    HcclHandle Prepare(const twin::CollectiveCopy& copy, bool good, twin::Location here) {
        RequireInit(twin::Name(copy.call), here);
        if (!good || copy.send == nullptr || copy.receive == nullptr || copy.bytes == 0 ||
            last_ + 1 >= kMaxHandles) {
            return -1;
        }
        ++last_;
        repeat_[last_] = copy.repeat;
        if (Speaks()) {
            twin::collective::Post(group_, last_, copy, here);
        }
        for (uint32_t turn = 0; commit && turn < copy.repeat; ++turn) {
            Commit(last_, here);
        }
        return last_;
    }

    int32_t group_ = -1;
    HcclHandle last_ = -1;
    uint8_t repeat_[kMaxHandles] = {};
    uint8_t committed_[kMaxHandles] = {};
    uint8_t waited_[kMaxHandles] = {};
};

}  // namespace AscendC
