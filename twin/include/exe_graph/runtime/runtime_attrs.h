// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H
#define EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tensor.h"

namespace twin {
namespace host {
class AttrValues;
}
}  // namespace twin

namespace gert {

/// The attributes of one call. The index is the order of the Attr() calls in the OpDef; nullptr
/// beyond the last one.
class RuntimeAttrs {
public:
    RuntimeAttrs(const RuntimeAttrs&) = delete;
    RuntimeAttrs& operator=(const RuntimeAttrs&) = delete;

    template <typename T>
    const T* GetAttrPointer(const size_t index) const {
        return static_cast<const T*>(Pointer(index));
    }
    const int64_t* GetInt(const size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float* GetFloat(const size_t index) const { return GetAttrPointer<float>(index); }
    const bool* GetBool(const size_t index) const { return GetAttrPointer<bool>(index); }
    const char* GetStr(const size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t>* GetListInt(const size_t index) const {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float>* GetListFloat(const size_t index) const {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    const ContinuousVectorVector* GetListListInt(const size_t index) const {
        return GetAttrPointer<ContinuousVectorVector>(index);
    }
    size_t GetAttrNum() const;

private:
    friend class twin::host::AttrValues;
    RuntimeAttrs() = default;
    const void* Pointer(size_t index) const;

    const twin::host::AttrValues* values_ = nullptr;
};

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H
