// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_EXPAND_DIMS_TYPE_H
#define EXE_GRAPH_RUNTIME_EXPAND_DIMS_TYPE_H

#include <cstdint>

namespace gert {

/// Says where a storage format adds dimensions. The twin stores it and does not use it.
class ExpandDimsType {
public:
    ExpandDimsType() = default;
    explicit ExpandDimsType(const int64_t reshapeType) : type_(reshapeType) {}
    explicit ExpandDimsType(const char*) {}

    bool operator==(const ExpandDimsType& other) const { return type_ == other.type_; }

private:
    int64_t type_ = 0;
};

}  // namespace gert

#endif  // EXE_GRAPH_RUNTIME_EXPAND_DIMS_TYPE_H
