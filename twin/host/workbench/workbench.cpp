// SPDX-License-Identifier: Apache-2.0
#include "host/workbench/workbench.h"

#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/error.h"
#include "host/op_model.h"
#include "host/op_package.h"
#include "tiling/platform/platform_ascendc.h"

namespace twin::host {
namespace {

/// Runs `body` and returns its text; returns nullptr if it throws. The text is valid until this
/// thread calls the same function again.
template <typename Body>
const char* Respond(const char* function, Body&& body) {
    static thread_local std::string answer;
    return Guard(function, [&] { answer = body(); }) == 0 ? answer.c_str() : nullptr;
}

Json Request(const char* text) {
    Json request;
    std::string error;
    if (text == nullptr || !ParseJson(text, &request, &error)) {
        throw std::invalid_argument("the request is no JSON: " + error);
    }
    return request;
}

std::string StatusText(int status) {
    return "\"status\": " + std::to_string(status) +
           ", \"message\": " + Quoted(status == 0 ? "" : TakeSentence());
}

std::string ChipText(const SocInfo& soc) {
    fe::PlatFormInfos infos(soc);
    const platform_ascendc::PlatformAscendC platform(&infos);
    const auto bytes = [&platform](platform_ascendc::CoreMemType memory) {
        uint64_t size = 0;
        platform.GetCoreMemSize(memory, size);
        return std::to_string(size);
    };
    using platform_ascendc::CoreMemType;
    return "{\"name\": " + Quoted(soc.name) +
           ", \"vector_cores\": " + std::to_string(platform.GetCoreNumAiv()) +
           ", \"cube_cores\": " + std::to_string(platform.GetCoreNumAic()) +
           ", \"ub_bytes\": " + bytes(CoreMemType::UB) +
           ", \"l1_bytes\": " + bytes(CoreMemType::L1) +
           ", \"l0a_bytes\": " + bytes(CoreMemType::L0_A) +
           ", \"l0b_bytes\": " + bytes(CoreMemType::L0_B) +
           ", \"l0c_bytes\": " + bytes(CoreMemType::L0_C) +
           ", \"system_workspace_bytes\": " + std::to_string(soc.systemWorkspaceBytes) + "}";
}

[[noreturn]] void Refuse(const std::string& what) {
    throw std::invalid_argument("request: expected " + what);
}

const Json& Expect(const Json& value, Json::Kind kind, const char* what) {
    if (value.kind != kind) {
        Refuse(what);
    }
    return value;
}

/// Deleted, because the returned reference would outlive a temporary value.
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

using twin::host::Respond;

const char* twinDescribeHost(const char* place, const char* op) {
    return Respond("twinDescribeHost", [&] {
        if (place == nullptr) {
            throw std::invalid_argument("place is null");
        }
        return op == nullptr ? twin::host::DescribeHostLibrary(place)
                             : twin::host::DescribeHostOperator(place, op);
    });
}

const char* twinTiling(const char* request) {
    return Respond("twinTiling", [&] {
        twin::host::TilingCall call(twin::host::Request(request));
        int status = 0;
        try {
            call.Plan();
        } catch (const twin::host::Refused& refused) {
            status = refused.status;
        }
        const std::string result = call.Result();
        return "{" + twin::host::StatusText(status) + ", \"outputs\": " + call.Outputs() +
               (result.empty() ? "" : ", ") + result + "}";
    });
}

const char* twinMatmulTiling(const char* request) {
    return Respond("twinMatmulTiling",
                   [&] { return twin::host::RunMatmulTiling(twin::host::Request(request)); });
}

const char* twinLibraryTiling(const char* request) {
    return Respond("twinLibraryTiling",
                   [&] { return twin::host::RunLibraryTiling(twin::host::Request(request)); });
}

const char* twinTilingForm(int form) { return twin::host::TilingFormText(form); }

const char* twinChip(const char* soc) {
    return Respond("twinChip", [&] {
        const twin::SocInfo* const found = soc == nullptr ? nullptr : twin::FindSoc(soc);
        if (found == nullptr) {
            throw std::invalid_argument("soc: no chip of the twin");
        }
        return twin::host::ChipText(*found);
    });
}

namespace twin::host {
namespace {

bool IsLibrary(const std::string& place) {
    constexpr char kEnding[] = ".so";
    constexpr size_t kLength = sizeof(kEnding) - 1;
    return place.size() > kLength && place.compare(place.size() - kLength, kLength, kEnding) == 0;
}

std::shared_ptr<const OpRegistrations> LoadLibrary(const std::string& library) {
    std::string error;
    auto loaded = LoadRegistrations(library, &error);
    if (loaded == nullptr) {
        Refuse(kAclnnTiling, "op_host: %s cannot be loaded: %s", library.c_str(), error.c_str());
    }
    return loaded;
}

HostOperator FindInLibrary(const std::string& library, const std::string& opType) {
    const auto loaded = LoadLibrary(library);
    if (!loaded->Knows(opType)) {
        Refuse(kAclnnTiling, "%s: %s registers no such operator", opType.c_str(), library.c_str());
    }
    const OpRegistration registration = loaded->Get(opType);
    return {registration.model, registration.functions, registration.functions};
}

HostOperator FindInPackage(const std::string& folder, const std::string& opType) {
    OpPackage& package = OpPackage::At(folder);
    const OpRegistration tiling = package.FindTiling(opType);
    return {tiling.model, tiling.functions, package.FindInference(opType).functions};
}

std::string Text(const std::string& opType, const HostOperator& op, const std::string& repeated) {
    const std::string definition = OperatorText(opType, op.model.get());
    return "{\"type\": " + Quoted(opType) + ", \"repeated\": " + Quoted(repeated) +
           ", \"tiling\": " + (op.tiling.tiling == nullptr ? "false" : "true") +
           ", \"definition\": " + (definition.empty() ? "null" : definition) + "}";
}

}  // namespace

std::shared_ptr<const HostOperator> FindHostOperator(const std::string& place,
                                                     const std::string& opType) {
    static auto* const mutex = new std::mutex;
    static auto* const known =
        new std::map<std::pair<std::string, std::string>, std::shared_ptr<const HostOperator>>;
    std::lock_guard<std::mutex> lock(*mutex);
    std::shared_ptr<const HostOperator>& entry = (*known)[{place, opType}];
    if (entry == nullptr) {
        entry = std::make_shared<const HostOperator>(
            IsLibrary(place) ? FindInLibrary(place, opType) : FindInPackage(place, opType));
    }
    return entry;
}

std::string DescribeHostLibrary(const std::string& library) {
    const auto loaded = LoadLibrary(library);
    std::string operators;
    for (const std::string& opType : loaded->Types()) {
        const auto op = FindHostOperator(library, opType);
        operators += (operators.empty() ? "" : ",\n") + Text(opType, *op, loaded->Repeated(opType));
    }
    return "[" + operators + "]";
}

std::string DescribeHostOperator(const std::string& place, const std::string& opType) {
    return Text(opType, *FindHostOperator(place, opType), "");
}

}  // namespace twin::host
