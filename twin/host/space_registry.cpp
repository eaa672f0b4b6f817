// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>

#include "base/registry/op_impl_space_registry_v2.h"
#include "host/op_call.h"
#include "host/op_registrations.h"

namespace gert {
namespace {

using Functions = OpImplKernelRegistry::OpImplFunctionsV2;

/// The compile info of an operator whose definition names a tiling function: it is empty, and
/// parsing it succeeds.
struct NoCompileInfo {};
void* CreateNoCompileInfo() { return new NoCompileInfo; }
void DeleteNoCompileInfo(void* info) { delete static_cast<NoCompileInfo*>(info); }
ge::graphStatus ParseNothing(KernelContext*) { return ge::GRAPH_SUCCESS; }

Functions FunctionsOf(const twin::host::OpRegistration& registration) {
    const twin::host::OpFunctions& from = registration.functions;
    Functions to;
    to.infer_shape = from.inferShape;
    to.infer_shape_range = from.inferShapeRange;
    to.infer_datatype = from.inferDataType;
    to.tiling = from.tiling;
    // A context begins with a KernelContext.
    to.tiling_parse = reinterpret_cast<OpImplRegisterV2::KernelFunc>(from.tilingParse);
    to.compile_info_creator = from.createCompileInfo;
    to.compile_info_deleter = from.deleteCompileInfo;
    to.max_tiling_data_size = from.maxTilingBytes;
    to.inputs_dependency = from.inputsRead;
    to.tiling_dependency = from.tilingInputsRead;
    if (registration.model != nullptr && to.tiling != nullptr && to.tiling_parse == nullptr) {
        to.tiling_parse = ParseNothing;
        to.compile_info_creator = CreateNoCompileInfo;
        to.compile_info_deleter = DeleteNoCompileInfo;
    }
    return to;
}

/// The objects that were returned, at addresses that do not change. Never destroyed.
struct HandedOut {
    std::mutex mutex;
    std::map<std::string, Functions> byOperator;
};

HandedOut& Table() {
    static HandedOut* const table = new HandedOut;
    return *table;
}

}  // namespace

ge::graphStatus OpImplSpaceRegistryV2::AddSoToRegistry(const OppSoDesc& libraries) {
    for (const ge::AscendString& path : libraries.GetSoPaths()) {
        if (dlopen(path.GetString(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
            twin::host::SetRecentError("AddSoToRegistry: %s", dlerror());
            return ge::GRAPH_FAILED;
        }
    }
    return ge::GRAPH_SUCCESS;
}

const Functions* OpImplSpaceRegistryV2::GetOpImpl(const char* opType) const {
    twin::host::OpRegistration found;
    if (opType == nullptr || !twin::host::FindInProgram(opType, &found)) {
        return nullptr;
    }
    std::lock_guard<std::mutex> lock(Table().mutex);
    Functions& functions = Table().byOperator[opType];
    functions = FunctionsOf(found);
    return &functions;
}

DefaultOpImplSpaceRegistryV2& DefaultOpImplSpaceRegistryV2::GetInstance() {
    static DefaultOpImplSpaceRegistryV2* const instance = new DefaultOpImplSpaceRegistryV2;
    return *instance;
}

std::shared_ptr<OpImplSpaceRegistryV2> DefaultOpImplSpaceRegistryV2::GetSpaceRegistry(
    OppImplVersionTag) const {
    return registry_ != nullptr ? registry_ : std::make_shared<OpImplSpaceRegistryV2>();
}

ge::graphStatus DefaultOpImplSpaceRegistryV2::SetSpaceRegistry(
    const std::shared_ptr<OpImplSpaceRegistryV2>& registry, OppImplVersionTag) {
    registry_ = registry;
    return ge::GRAPH_SUCCESS;
}

}  // namespace gert
