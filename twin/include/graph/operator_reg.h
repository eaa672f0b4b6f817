// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/operator.h"
#include "graph/types.h"

namespace ge {

using OpInt = int64_t;
using OpFloat = float32_t;
using OpBool = bool;
using OpString = std::string;
using OpType = DataType;
using OpListInt = std::vector<int64_t>;
using OpListFloat = std::vector<float32_t>;
using OpListBool = std::vector<bool>;
using OpListString = std::vector<std::string>;
using OpListListInt = std::vector<std::vector<int64_t>>;
using OpListType = std::vector<DataType>;

/// Receives the INPUT, OUTPUT and ATTR calls of a REG_OP; each call adds an entry to the prototype.
class ProtoChain {
public:
    using Sink = std::function<void(const char*, const char*, const char*)>;
    explicit ProtoChain(Sink sink) : sink_(std::move(sink)) {}

    /// Adds an attribute. Its default `value` must compile, but is not stored. Types are texts, as
    /// in the toolkit, because public prototypes name some types that do not exist.
    template <typename T>
    ProtoChain& Add(const char* kind, const char* name, const T& value, const char* text) {
        (void)value;
        return Add(kind, name, text);
    }
    ProtoChain& Add(const char* kind, const char* name, const char* text) {
        sink_(kind, name, text);
        return *this;
    }
    void Done() {}

private:
    Sink sink_;
};

}  // namespace ge

#define REG_OP(x)                                                                      \
    namespace op {                                                                     \
    class x : public ge::Operator {                                                    \
        typedef x ThisType;                                                            \
                                                                                       \
    public:                                                                            \
        x() : x(#x) {}                                                                 \
        explicit x(const std::string& name) : x(name.c_str()) {}                       \
        explicit x(const ge::AscendString& name) : x(name.GetString()) {}              \
        explicit x(const char* name) : ge::Operator(name, #x) { Describe(); }          \
                                                                                       \
    private:                                                                           \
        void Describe() {                                                              \
            using namespace ge;                                                        \
            ProtoChain([this](const char* kind, const char* entry, const char* type) { \
                Declare(kind, entry, type);                                            \
            })

#define INPUT(x, t) Add("input", #x, #t)
#define OPTIONAL_INPUT(x, t) Add("optional_input", #x, #t)
#define DYNAMIC_INPUT(x, t) Add("dynamic_input", #x, #t)
#define OUTPUT(x, t) Add("output", #x, #t)
#define DYNAMIC_OUTPUT(x, t) Add("dynamic_output", #x, #t)
#define ATTR(x, Type, ...) Add("attr", #x, ge::Op##Type(__VA_ARGS__), #Type)
#define REQUIRED_ATTR(x, Type) Add("required_attr", #x, ge::Op##Type(), #Type)
#define DATATYPE(x, t) Add("datatype", #x, #t)

#define OP_END_FACTORY_REG(x)                                               \
    Done();                                                                 \
    static_assert(std::is_same<x, ThisType>::value,                         \
                  "OP_END_FACTORY_REG names another operator than REG_OP"); \
    }                                                                       \
    }                                                                       \
    ;                                                                       \
    }
