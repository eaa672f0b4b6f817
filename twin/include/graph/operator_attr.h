// SPDX-License-Identifier: Apache-2.0
#ifndef GRAPH_OPERATOR_ATTR_H
#define GRAPH_OPERATOR_ATTR_H

#include <cstdint>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
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

}  // namespace ge

#endif  // GRAPH_OPERATOR_ATTR_H
