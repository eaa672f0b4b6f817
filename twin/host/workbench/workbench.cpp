// SPDX-License-Identifier: Apache-2.0
#include "host/workbench/workbench.h"

#include <stdexcept>
#include <string>

#include "host/error.h"
#include "host/json_text.h"
#include "host/workbench/library_tiling.h"
#include "host/workbench/request.h"
#include "host/workbench/tiling_call.h"
#include "host/workbench/tiling_notes.h"
#include "tiling/platform/platform_ascendc.h"

namespace twin::host {
namespace {

/// Runs `body(&text)`, which returns a status, and returns the text of this thread.
template <typename Body>
const char* Answer(const char* function, Body&& body) {
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

using twin::host::Answer;

const char* twinDescribeHost(const char* place, const char* op) {
    return Answer("twinDescribeHost", [&](std::string* text) {
        if (place == nullptr) {
            throw std::invalid_argument("place is null");
        }
        return op == nullptr ? twin::host::DescribeHostLibrary(place, text)
                             : twin::host::DescribeHostOperator(place, op, text);
    });
}

const char* twinTiling(const char* request) {
    return Answer("twinTiling", [&](std::string* text) {
        twin::host::TilingCall call(twin::host::Request(request));
        const int status = call.Plan();
        const std::string result = call.Result();
        *text = "{" + twin::host::StatusText(status) + ", \"outputs\": " + call.Outputs() +
                (result.empty() ? "" : ", ") + result + "}";
        return 0;
    });
}

const char* twinMatmulTiling(const char* request) {
    return Answer("twinMatmulTiling", [&](std::string* text) {
        *text = twin::host::RunMatmulTiling(twin::host::Request(request));
        return 0;
    });
}

const char* twinLibraryTiling(const char* request) {
    return Answer("twinLibraryTiling", [&](std::string* text) {
        *text = twin::host::RunLibraryTiling(twin::host::Request(request));
        return 0;
    });
}

const char* twinTilingForm(int form) { return twin::host::TilingFormText(form); }

const char* twinChip(const char* soc) {
    return Answer("twinChip", [&](std::string* text) {
        const twin::SocInfo* const found = soc == nullptr ? nullptr : twin::FindSoc(soc);
        if (found == nullptr) {
            throw std::invalid_argument("soc: no chip of the twin");
        }
        *text = twin::host::ChipText(*found);
        return 0;
    });
}
