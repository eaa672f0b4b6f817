// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "host/op_model.h"
#include "host/workbench/workbench.h"

namespace twin::host {
namespace {

[[noreturn]] void Refuse(const std::string& what) {
    throw std::invalid_argument("request: expected " + what);
}

const Json& Expect(const Json& value, Json::Kind kind, const char* what) {
    if (value.kind != kind) {
        Refuse(what);
    }
    return value;
}

/// The answer would outlive it.
const Json& Expect(Json&& value, Json::Kind kind, const char* what) = delete;

float FloatOf(const Json& value) { return std::strtof(TextOf(value).c_str(), nullptr); }

template <typename T, typename Read>
std::vector<T> ListFrom(const Json& value, const Read& read) {
    std::vector<T> list;
    for (const Json& item : Expect(value, Json::Kind::kList, "a list").items) {
        list.push_back(read(item));
    }
    return list;
}

}  // namespace

const Json& Member(const Json& object, const char* name) {
    const Json* const member = object.Find(name);
    if (member == nullptr) {
        Refuse(std::string("a member ") + name);
    }
    return *member;
}

std::string TextOf(const Json& value) {
    return Expect(value, Json::Kind::kString, "a string").text;
}

int64_t IntegerOf(const Json& value) {
    Expect(value, Json::Kind::kNumber, "a number");
    char* end = nullptr;
    errno = 0;
    const int64_t number = std::strtoll(value.text.c_str(), &end, 10);
    if (errno != 0 || *end != '\0') {
        Refuse("a whole number of 64 bits, got " + value.text);
    }
    return number;
}

bool TruthOf(const Json& value) {
    return Expect(value, Json::Kind::kBool, "true or false").text == "true";
}

std::vector<int64_t> IntegersOf(const Json& value) { return ListFrom<int64_t>(value, IntegerOf); }

ge::DataType DataTypeOf(const Json& value) {
    static const auto* const types = [] {
        auto* const known = new std::map<std::string, ge::DataType>;
        for (int number = 0; number < static_cast<int>(ge::DT_MAX); ++number) {
            const auto type = static_cast<ge::DataType>(number);
            known->emplace(DataTypeName(type), type);
        }
        return known;
    }();
    const auto found = types->find(TextOf(value));
    if (found == types->end()) {
        Refuse("the name of a dtype, got " + value.text);
    }
    return found->second;
}

const SocInfo& SocOf(const Json& value) {
    const SocInfo* const soc = FindSoc(TextOf(value).c_str());
    if (soc == nullptr) {
        Refuse("a chip of the twin, got " + value.text);
    }
    return *soc;
}

AttrValue AttrOf(const Json& value) {
    if (value.kind == Json::Kind::kNull) {
        return AttrValue();
    }
    if (value.items.size() != 2) {
        Refuse("an attribute's type and value");
    }
    const std::string type = TextOf(value.items[0]);
    const Json& given = value.items[1];
    if (type == "Bool") {
        return TruthOf(given);
    }
    if (type == "Int") {
        return IntegerOf(given);
    }
    if (type == "Float") {
        return FloatOf(given);
    }
    if (type == "String") {
        return TextOf(given);
    }
    if (type == "ListBool") {
        return ListFrom<uint8_t>(given, [](const Json& item) -> uint8_t { return TruthOf(item); });
    }
    if (type == "ListInt") {
        return IntegersOf(given);
    }
    if (type == "ListFloat") {
        return ListFrom<float>(given, FloatOf);
    }
    if (type == "ListListInt") {
        return ListFrom<std::vector<int64_t>>(given, IntegersOf);
    }
    Refuse("a type of attributes, got " + type);
}

}  // namespace twin::host
