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

/// Tells the code that runs tiling which struct the data is, so that it can read the fields.
/// `signature` is that of a function with the struct as its only template argument.
void NoteTilingStruct(const void* data, size_t bytes, const char* signature);

/// The values that a tiling function reads (shapes, dtypes, attributes, platform) and writes (key,
/// blocks, data, workspaces).
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
    /// Tiling never gets a strided tensor: strided inputs are made contiguous before.
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
    /// For vector kernels the blocks are vector cores, for mix kernels groups of one cube core and
    /// its vector cores.
    ge::graphStatus SetBlockDim(uint32_t blockDim);
    uint32_t GetBlockDim() const;
    /// Mode 1 starts the blocks together, which synchronisation between cores needs.
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

    /// Returns room for `count` sizes in bytes; nullptr for more than 20.
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
