// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H
#define EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H

#include <type_traits>

#include "exe_graph/runtime/expand_dims_type.h"
#include "graph/types.h"

namespace gert {

struct StorageFormat {
public:
    StorageFormat() = default;
    StorageFormat(const ge::Format origin, const ge::Format storage)
        : origin_(origin), storage_(storage) {}

    StorageFormat(const ge::Format origin, const ge::Format storage, const ExpandDimsType& expand)
        : origin_(origin), storage_(storage), expand_(expand) {}

    ExpandDimsType GetExpandDimsType() const { return expand_; }
    void SetExpandDimsType(const ExpandDimsType expand) { expand_ = expand; }
    ge::Format GetOriginFormat() const { return origin_; }
    void SetOriginFormat(const ge::Format format) { origin_ = format; }
    ge::Format GetStorageFormat() const { return storage_; }
    void SetStorageFormat(const ge::Format format) { storage_ = format; }

    bool operator==(const StorageFormat& other) const {
        return origin_ == other.origin_ && storage_ == other.storage_;
    }
    bool operator!=(const StorageFormat& other) const { return !(*this == other); }

private:
    ge::Format origin_ = ge::FORMAT_ND;
    ge::Format storage_ = ge::FORMAT_ND;
    ExpandDimsType expand_;
};
static_assert(std::is_standard_layout<StorageFormat>::value,
              "StorageFormat must stay standard layout");

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H
