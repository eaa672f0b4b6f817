// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace ge {

/// The value of a graph node's attribute.
class OperatorAttr {
public:
    OperatorAttr() = default;
    explicit OperatorAttr(int64_t value) : type_(kInt), int_(value) {}
    explicit OperatorAttr(int32_t value) : type_(kInt), int_(value) {}
    explicit OperatorAttr(uint32_t value) : type_(kInt), int_(value) {}
    explicit OperatorAttr(DataType value) : type_(kInt), int_(value) {}
    explicit OperatorAttr(bool value) : type_(kBool), int_(value) {}
    explicit OperatorAttr(float value) : type_(kFloat), float_(value) {}
    explicit OperatorAttr(double value) : type_(kFloat), float_(static_cast<float>(value)) {}
    explicit OperatorAttr(const char* value) : type_(kString), text_(value) {}
    explicit OperatorAttr(const std::string& value) : type_(kString), text_(value) {}
    explicit OperatorAttr(const AscendString& value) : type_(kString), text_(value.GetString()) {}
    explicit OperatorAttr(const std::vector<int64_t>& values) : type_(kListInt), ints_(values) {}
    explicit OperatorAttr(const std::vector<int32_t>& values)
        : type_(kListInt), ints_(values.begin(), values.end()) {}
    explicit OperatorAttr(const std::vector<uint32_t>& values)
        : type_(kListInt), ints_(values.begin(), values.end()) {}
    explicit OperatorAttr(const std::vector<bool>& values)
        : type_(kListBool), ints_(values.begin(), values.end()) {}
    explicit OperatorAttr(const std::vector<float>& values) : type_(kListFloat), floats_(values) {}
    explicit OperatorAttr(const std::vector<std::vector<int64_t>>& values)
        : type_(kListListInt), lists_(values) {}

    const char* TypeName() const {
        static const char* const kNames[] = {"VT_NONE",      "VT_INT",        "VT_BOOL",
                                             "VT_FLOAT",     "VT_STRING",     "VT_LIST_INT",
                                             "VT_LIST_BOOL", "VT_LIST_FLOAT", "VT_LIST_LIST_INT"};
        return kNames[type_];
    }

    bool Get(int64_t* value) const { return Is(kInt) && Take(value, int_); }
    bool Get(int32_t* value) const { return Is(kInt) && Take(value, int_); }
    bool Get(uint32_t* value) const { return Is(kInt) && Take(value, int_); }
    bool Get(bool* value) const { return Is(kBool) && Take(value, int_ != 0); }
    bool Get(float* value) const { return Is(kFloat) && Take(value, float_); }
    bool Get(std::string* value) const { return Is(kString) && Take(value, text_); }
    bool Get(AscendString* value) const { return Is(kString) && Take(value, text_.c_str()); }
    bool Get(std::vector<int64_t>* value) const { return Is(kListInt) && Take(value, ints_); }
    bool Get(std::vector<bool>* value) const {
        return Is(kListBool) && Take(value, std::vector<bool>(ints_.begin(), ints_.end()));
    }
    bool Get(std::vector<float>* value) const { return Is(kListFloat) && Take(value, floats_); }
    bool Get(std::vector<std::vector<int64_t>>* value) const {
        return Is(kListListInt) && Take(value, lists_);
    }

private:
    enum Type {
        kNone,
        kInt,
        kBool,
        kFloat,
        kString,
        kListInt,
        kListBool,
        kListFloat,
        kListListInt
    };

    bool Is(Type type) const { return type_ == type; }
    template <typename To, typename From>
    static bool Take(To* to, const From& from) {
        *to = static_cast<To>(from);
        return true;
    }

    Type type_ = kNone;
    int64_t int_ = 0;
    float float_ = 0;
    std::string text_;
    std::vector<int64_t> ints_;
    std::vector<float> floats_;
    std::vector<std::vector<int64_t>> lists_;
};

/// One input, output or attribute of a graph prototype, as REG_OP declares it.
struct ProtoEntry {
    std::string kind;  ///< one of "input", "optional_input", "dynamic_input", "output",
                       ///< "dynamic_output", "attr", "required_attr", "datatype"
    std::string name;
    std::string type;  ///< text of the type expression in the prototype
};

/// A graph node with its prototype, and with the descriptions and attributes that a unit test sets.
/// Nodes are not connected, because the twin has no graph engine.
class Operator {
public:
    Operator(const char* name, const char* type) : name_(name), type_(type) {}

    graphStatus GetName(AscendString& name) const {
        name = AscendString(name_.c_str());
        return GRAPH_SUCCESS;
    }
    std::string GetName() const { return name_; }
    graphStatus GetOpType(AscendString& type) const {
        type = AscendString(type_.c_str());
        return GRAPH_SUCCESS;
    }
    std::string GetOpType() const { return type_; }
    const std::vector<ProtoEntry>& Prototype() const { return entries_; }

    /// Returns the number of inputs, without optional inputs that nobody has described.
    size_t GetInputsSize() const {
        return static_cast<size_t>(std::count_if(
            inputs_.begin(), inputs_.end(), [](const Described& input) { return input.there; }));
    }
    size_t GetOutputsSize() const { return outputs_.size(); }
    /// The next getters return an empty description if there is no such tensor.
    TensorDesc GetInputDesc(size_t index) const { return At(inputs_, index); }
    TensorDesc GetInputDesc(const std::string& name) const { return Of(inputs_, name); }
    TensorDesc GetInputDescByName(const char* name) const { return Of(inputs_, name); }
    TensorDesc GetOutputDesc(size_t index) const { return At(outputs_, index); }
    TensorDesc GetOutputDesc(const std::string& name) const { return Of(outputs_, name); }
    TensorDesc GetOutputDescByName(const char* name) const { return Of(outputs_, name); }
    /// The next functions replace a description; they return GRAPH_FAILED if there is no such
    /// tensor.
    graphStatus UpdateInputDesc(const std::string& name, const TensorDesc& desc) {
        return Update(&inputs_, name, desc);
    }
    graphStatus UpdateInputDesc(uint32_t index, const TensorDesc& desc) {
        return Update(&inputs_, index, desc);
    }
    graphStatus UpdateOutputDesc(const std::string& name, const TensorDesc& desc) {
        return Update(&outputs_, name, desc);
    }
    graphStatus UpdateOutputDesc(uint32_t index, const TensorDesc& desc) {
        return Update(&outputs_, index, desc);
    }

    template <typename T>
    Operator& SetAttr(const std::string& name, const T& value) {
        attrs_[name] = OperatorAttr(value);
        return *this;
    }
    /// Reads an attribute; returns GRAPH_FAILED if it was not set or has another type.
    template <typename T>
    graphStatus GetAttr(const std::string& name, T& value) const {
        const auto found = attrs_.find(name);
        return found != attrs_.end() && found->second.Get(&value) ? GRAPH_SUCCESS : GRAPH_FAILED;
    }
    /// Returns the names and types ("VT_INT", "VT_LIST_FLOAT", ...) of the attributes that were
    /// set.
    std::map<std::string, std::string> GetAllAttrNamesAndTypes() const {
        std::map<std::string, std::string> types;
        for (const auto& attr : attrs_) {
            types[attr.first] = attr.second.TypeName();
        }
        return types;
    }

protected:
    void Declare(const char* kind, const char* name, const char* type) {
        entries_.push_back(ProtoEntry{kind, name, type});
        const std::string word = kind;
        if (word == "input" || word == "optional_input") {
            inputs_.push_back({name, TensorDesc(), word == "input"});
        } else if (word == "output") {
            outputs_.push_back({name, TensorDesc(), true});
        }
    }

private:
    struct Described {
        std::string name;
        TensorDesc desc;
        bool there;
    };
    using List = std::vector<Described>;

    static TensorDesc At(const List& list, size_t index) {
        return index < list.size() ? list[index].desc : TensorDesc();
    }
    static TensorDesc Of(const List& list, const std::string& name) {
        for (const Described& tensor : list) {
            if (tensor.name == name) {
                return tensor.desc;
            }
        }
        return TensorDesc();
    }
    static graphStatus Update(List* list, size_t index, const TensorDesc& desc) {
        if (index >= list->size()) {
            return GRAPH_FAILED;
        }
        (*list)[index].desc = desc;
        (*list)[index].there = true;
        return GRAPH_SUCCESS;
    }
    static graphStatus Update(List* list, const std::string& name, const TensorDesc& desc) {
        const auto found =
            std::find_if(list->begin(), list->end(),
                         [&name](const Described& tensor) { return tensor.name == name; });
        return Update(list, static_cast<size_t>(found - list->begin()), desc);
    }

    std::string name_;
    std::string type_;
    std::vector<ProtoEntry> entries_;
    List inputs_;
    List outputs_;
    std::map<std::string, OperatorAttr> attrs_;
};

/// A node of a graph. It has no constant inputs, because the twin has no graph engine.
class GNode {
public:
    explicit GNode(const Operator& op) : op_(op) {}

    graphStatus GetInputConstData(int32_t, Tensor&) const { return GRAPH_FAILED; }
    graphStatus GetType(AscendString& type) const { return op_.GetOpType(type); }

private:
    Operator op_;
};

class Graph {
public:
    Graph() = default;
    explicit Graph(const char*) {}

    GNode AddNodeByOp(const Operator& op) { return GNode(op); }
};

}  // namespace ge
