// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

/// Reports the struct type of tiling data, so that cannery.tiling can show the struct's fields.
/// `signature` is the signature of a function template with the struct as its only argument.
void NoteTilingStruct(const void* data, size_t bytes, const char* signature);

/// Context of a tiling function, which reads shapes, dtypes, attributes and platform, and writes
/// tiling key, number of blocks, tiling data and workspace sizes.
class TilingContext : public ExtendedKernelContext {
public:
    template <typename T>
    const T* GetCompileInfo() const {
        return static_cast<const T*>(CompileInfo());
    }
    const void* GetCompileInfo() const { return CompileInfo(); }
    fe::PlatFormInfos* GetPlatformInfo() const;
    int32_t GetDeterministic() const;
    int32_t GetDeterministicLevel() const;

    TWIN_INPUT_GETTERS(const StorageShape*, Shape)
    const StorageShape* GetOutputShape(size_t index) const;
    const Tensor* GetOutputTensor(size_t index) const;
    /// Returns false: strided inputs are copied to contiguous memory before tiling.
    bool InputIsView(size_t) const { return false; }
    bool OptionalInputIsView(size_t) const { return false; }
    bool RequiredInputIsView(size_t) const { return false; }
    bool DynamicInputIsView(size_t, size_t) const { return false; }
    bool OutputIsView(size_t) const { return false; }
    const Stride* GetInputStride(size_t) const { return nullptr; }
    const Stride* GetOptionalInputStride(size_t) const { return nullptr; }
    const Stride* GetRequiredInputStride(size_t) const { return nullptr; }
    const Stride* GetDynamicInputStride(size_t, size_t) const { return nullptr; }
    const Stride* GetOutputStride(size_t) const { return nullptr; }
    int64_t GetInputOffset(size_t) const { return -1; }
    int64_t GetOutputOffset(size_t) const { return -1; }
    const StorageShape* GetRequiredOutputShape(size_t irIndex) const;
    const StorageShape* GetDynamicOutputShape(size_t irIndex, size_t relativeIndex) const;
    TWIN_INPUT_GETTERS(const Tensor*, Tensor)

    ge::graphStatus SetTilingKey(uint64_t tilingKey);
    uint64_t GetTilingKey() const;
    /// Sets the number of blocks: vector cores for a vector kernel, groups of a cube core and its
    /// vector cores for a mix kernel.
    ge::graphStatus SetBlockDim(uint32_t blockDim);
    uint32_t GetBlockDim() const;
    /// Sets the schedule mode. Mode 1 starts all blocks together, as synchronisation between cores
    /// needs.
    ge::graphStatus SetScheduleMode(uint32_t mode);
    uint32_t GetScheduleMode() const;
    ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
    uint32_t GetSimdNumBlocks() const { return GetBlockDim(); }
    ge::graphStatus SetTilingCond(int32_t condition);
    int32_t GetTilingCond() const;
    ge::graphStatus SetNeedAtomic(bool atomic);
    bool NeedAtomic() const;
    ge::graphStatus SetLocalMemorySize(uint32_t bytes);
    uint32_t GetLocalMemorySize() const;

    /// Returns an array for the sizes of `count` workspaces in bytes; nullptr if `count` > 20.
    size_t* GetWorkspaceSizes(size_t count);
    size_t GetWorkspaceNum() const;

    TilingData* GetRawTilingData();
    /// Returns the tiling data as a T, and sets its size to sizeof(T); nullptr if T does not fit.
    template <typename T>
    T* GetTilingData() {
        TilingData* const raw = GetRawTilingData();
        if (raw == nullptr || raw->GetCapacity() < sizeof(T)) {
            return nullptr;
        }
        raw->SetDataSize(sizeof(T));
        NoteTilingStruct(raw->GetData(), sizeof(T), __PRETTY_FUNCTION__);
        return static_cast<T*>(raw->GetData());
    }

private:
    const void* CompileInfo() const;
};
static_assert(std::is_standard_layout<TilingContext>::value,
              "TilingContext must stay standard layout");

}  // namespace gert
