// SPDX-License-Identifier: Apache-2.0
#ifndef GRAPH_OPERATOR_H
#define GRAPH_OPERATOR_H

#include <cstdint>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

namespace ge {

/// One line of a graph prototype, as REG_OP wrote it.
struct ProtoEntry {
    std::string kind;  ///< "input", "optional_input", "dynamic_input", "output", "dynamic_output",
                       ///< "attr", "required_attr", "datatype"
    std::string name;
    std::string type;  ///< the type expression as text
};

/// A graph node's prototype. The twin has no graph engine: a prototype can be declared and read,
/// not connected.
class Operator {
public:
    Operator(const char* name, const char* type) : name_(name), type_(type) {}

    graphStatus GetName(AscendString& name) const {
        name = AscendString(name_.c_str());
        return GRAPH_SUCCESS;
    }
    graphStatus GetOpType(AscendString& type) const {
        type = AscendString(type_.c_str());
        return GRAPH_SUCCESS;
    }
    const std::vector<ProtoEntry>& Prototype() const { return entries_; }

protected:
    void Declare(const char* kind, const char* name, const char* type) {
        entries_.push_back(ProtoEntry{kind, name, type});
    }

private:
    std::string name_;
    std::string type_;
    std::vector<ProtoEntry> entries_;
};

}  // namespace ge

#endif  // GRAPH_OPERATOR_H
