// SPDX-License-Identifier: Apache-2.0
#include "host/workbench/host_operator.h"

#include <map>
#include <mutex>
#include <utility>

#include "host/error.h"
#include "host/json_text.h"
#include "host/op_description.h"
#include "host/op_package.h"

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
    if (int status = LoadLibrary(library, &loaded)) {
        return status;
    }
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
    if (int status = package.FindTiling(opType, &tiling)) {
        return status;
    }
    if (int status = package.FindInference(opType, &inference)) {
        return status;
    }
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
        if (int status = IsLibrary(place) ? FindInLibrary(place, opType, op.get())
                                          : FindInPackage(place, opType, op.get())) {
            return status;
        }
        entry = op;
    }
    *found = entry;
    return 0;
}

int DescribeHostLibrary(const std::string& library, std::string* text) {
    std::shared_ptr<const OpRegistrations> loaded;
    if (int status = LoadLibrary(library, &loaded)) {
        return status;
    }
    std::string operators;
    for (const std::string& opType : loaded->Types()) {
        std::shared_ptr<const HostOperator> op;
        if (int status = FindHostOperator(library, opType, &op)) {
            return status;
        }
        operators += (operators.empty() ? "" : ",\n") + Text(opType, *op, loaded->Repeated(opType));
    }
    *text = "[" + operators + "]";
    return 0;
}

int DescribeHostOperator(const std::string& place, const std::string& opType, std::string* text) {
    std::shared_ptr<const HostOperator> op;
    if (int status = FindHostOperator(place, opType, &op)) {
        return status;
    }
    *text = Text(opType, *op, "");
    return 0;
}

}  // namespace twin::host
