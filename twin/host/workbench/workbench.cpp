// SPDX-License-Identifier: Apache-2.0
#include "host/workbench/workbench.h"

#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "host/error.h"
#include "host/op_model.h"
#include "host/op_package.h"
#include "host/workbench/library_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace twin::host {
namespace {

/// Runs `body(&text)`, which returns a status, and returns the text of this thread.
template <typename Body>
const char* Respond(const char* function, Body&& body) {
    static thread_local std::string answer;
    std::string text;
    if (Guard(function, [&]() -> int { return body(&text); }) != 0) {
        return nullptr;
    }
    answer = std::move(text);
    return answer.c_str();
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
    std::string message;
    if (status != 0) {
        const char* const sentence = TakeRecentError();
        message = sentence == nullptr ? "" : sentence;
    }
    return "\"status\": " + std::to_string(status) + ", \"message\": " + Quoted(message);
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

}  // namespace
}  // namespace twin::host

using twin::host::Respond;

const char* twinDescribeHost(const char* place, const char* op) {
    return Respond("twinDescribeHost", [&](std::string* text) {
        if (place == nullptr) {
            throw std::invalid_argument("place is null");
        }
        return op == nullptr ? twin::host::DescribeHostLibrary(place, text)
                             : twin::host::DescribeHostOperator(place, op, text);
    });
}

const char* twinTiling(const char* request) {
    return Respond("twinTiling", [&](std::string* text) {
        twin::host::TilingCall call(twin::host::Request(request));
        const int status = call.Plan();
        const std::string result = call.Result();
        *text = "{" + twin::host::StatusText(status) + ", \"outputs\": " + call.Outputs() +
                (result.empty() ? "" : ", ") + result + "}";
        return 0;
    });
}

const char* twinMatmulTiling(const char* request) {
    return Respond("twinMatmulTiling", [&](std::string* text) {
        *text = twin::host::RunMatmulTiling(twin::host::Request(request));
        return 0;
    });
}

const char* twinLibraryTiling(const char* request) {
    return Respond("twinLibraryTiling", [&](std::string* text) {
        *text = twin::host::RunLibraryTiling(twin::host::Request(request));
        return 0;
    });
}

const char* twinTilingForm(int form) { return twin::host::TilingFormText(form); }

const char* twinChip(const char* soc) {
    return Respond("twinChip", [&](std::string* text) {
        const twin::SocInfo* const found = soc == nullptr ? nullptr : twin::FindSoc(soc);
        if (found == nullptr) {
            throw std::invalid_argument("soc: no chip of the twin");
        }
        *text = twin::host::ChipText(*found);
        return 0;
    });
}

namespace twin::host {
namespace {

bool IsLibrary(const std::string& place) {
    constexpr char kEnding[] = ".so";
    constexpr size_t kLength = sizeof(kEnding) - 1;
    return place.size() > kLength && place.compare(place.size() - kLength, kLength, kEnding) == 0;
}

int LoadLibrary(const std::string& library, std::shared_ptr<const OpRegistrations>* loaded) {
    std::string error;
    *loaded = LoadRegistrations(library, &error);
    return *loaded != nullptr ? 0
                              : Fail(kAclnnTiling, "op_host: %s cannot be loaded: %s",
                                     library.c_str(), error.c_str());
}

int FindInLibrary(const std::string& library, const std::string& opType, HostOperator* op) {
    std::shared_ptr<const OpRegistrations> loaded;
    TWIN_RETURN_IF_ERROR(LoadLibrary(library, &loaded));
    if (!loaded->Knows(opType)) {
        return Fail(kAclnnTiling, "%s: %s registers no such operator", opType.c_str(),
                    library.c_str());
    }
    const OpRegistration registration = loaded->Get(opType);
    op->model = registration.model;
    op->tiling = registration.functions;
    op->inference = registration.functions;
    return 0;
}

int FindInPackage(const std::string& folder, const std::string& opType, HostOperator* op) {
    OpPackage& package = OpPackage::At(folder);
    OpRegistration tiling;
    OpRegistration inference;
    TWIN_RETURN_IF_ERROR(package.FindTiling(opType, &tiling));
    TWIN_RETURN_IF_ERROR(package.FindInference(opType, &inference));
    op->model = tiling.model;
    op->tiling = tiling.functions;
    op->inference = inference.functions;
    return 0;
}

std::string Text(const std::string& opType, const HostOperator& op, const std::string& repeated) {
    const std::string definition = OperatorText(opType, op.model.get());
    return "{\"type\": " + Quoted(opType) + ", \"repeated\": " + Quoted(repeated) +
           ", \"tiling\": " + (op.tiling.tiling == nullptr ? "false" : "true") +
           ", \"definition\": " + (definition.empty() ? "null" : definition) + "}";
}

}  // namespace

int FindHostOperator(const std::string& place, const std::string& opType,
                     std::shared_ptr<const HostOperator>* found) {
    static auto* const mutex = new std::mutex;
    static auto* const known =
        new std::map<std::pair<std::string, std::string>, std::shared_ptr<const HostOperator>>;
    std::lock_guard<std::mutex> lock(*mutex);
    std::shared_ptr<const HostOperator>& entry = (*known)[{place, opType}];
    if (entry == nullptr) {
        const auto op = std::make_shared<HostOperator>();
        TWIN_RETURN_IF_ERROR(IsLibrary(place) ? FindInLibrary(place, opType, op.get())
                                              : FindInPackage(place, opType, op.get()));
        entry = op;
    }
    *found = entry;
    return 0;
}

int DescribeHostLibrary(const std::string& library, std::string* text) {
    std::shared_ptr<const OpRegistrations> loaded;
    TWIN_RETURN_IF_ERROR(LoadLibrary(library, &loaded));
    std::string operators;
    for (const std::string& opType : loaded->Types()) {
        std::shared_ptr<const HostOperator> op;
        TWIN_RETURN_IF_ERROR(FindHostOperator(library, opType, &op));
        operators += (operators.empty() ? "" : ",\n") + Text(opType, *op, loaded->Repeated(opType));
    }
    *text = "[" + operators + "]";
    return 0;
}

int DescribeHostOperator(const std::string& place, const std::string& opType, std::string* text) {
    std::shared_ptr<const HostOperator> op;
    TWIN_RETURN_IF_ERROR(FindHostOperator(place, opType, &op));
    *text = Text(opType, *op, "");
    return 0;
}

}  // namespace twin::host
