// SPDX-License-Identifier: Apache-2.0
#include "host/op_registry.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <utility>

#include "host/error.h"

namespace twin::host {
namespace {

/// Directory of the library that `address` belongs to, free of links.
std::string DirectoryOf(const void* address) {
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) {
        return ".";
    }
    char* const resolved = realpath(info.dli_fname, nullptr);
    const std::string path = resolved != nullptr ? resolved : info.dli_fname;
    free(resolved);
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

template <typename T>
void Take(T* mine, const T& other) {
    if (other != T()) {
        *mine = other;
    }
}

}  // namespace

OpRegistry& OpRegistry::Instance() {
    static OpRegistry* const registry = new OpRegistry;
    return *registry;
}

void OpRegistry::AddDefinition(const char* opType, ops::OpDefCreator creator) {
    std::lock_guard<std::mutex> lock(mutex_);
    Entry& entry = entries_[opType];
    entry.creator = creator;
    entry.model = nullptr;
}

void OpRegistry::AddFunctions(const std::string& opType, const OpFunctions& functions) {
    std::lock_guard<std::mutex> lock(mutex_);
    OpFunctions& mine = entries_[opType].functions;
    Take(&mine.inferShape, functions.inferShape);
    Take(&mine.inferDataType, functions.inferDataType);
    Take(&mine.tiling, functions.tiling);
    Take(&mine.tilingParse, functions.tilingParse);
    Take(&mine.createCompileInfo, functions.createCompileInfo);
    Take(&mine.deleteCompileInfo, functions.deleteCompileInfo);
    Take(&mine.maxTilingBytes, functions.maxTilingBytes);
    Take(&mine.outputTypesLikeFirstInput, functions.outputTypesLikeFirstInput);
}

std::shared_ptr<const OpModel> OpRegistry::Model(const std::string& opType) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = entries_.find(opType);
    if (found == entries_.end() || found->second.creator == nullptr) {
        return nullptr;
    }
    Entry& entry = found->second;
    if (entry.model == nullptr) {
        const std::string directory = DirectoryOf(reinterpret_cast<const void*>(entry.creator));
        entry.model = std::make_shared<const OpModel>(
            OpModel::FromDefinition(entry.creator(opType.c_str()), directory));
    }
    return entry.model;
}

OpFunctions OpRegistry::Functions(const std::string& opType) {
    const std::shared_ptr<const OpModel> model = Model(opType);
    std::lock_guard<std::mutex> lock(mutex_);
    OpFunctions functions = entries_[opType].functions;
    if (model != nullptr) {
        Take(&functions.tiling, model->tiling);
        Take(&functions.inferShape, model->inferShape);
        Take(&functions.inferDataType, model->inferDataType);
    }
    return functions;
}

}  // namespace twin::host

namespace ops {

int OpDefFactory::OpDefRegister(const char* name, OpDefCreator creator) {
    twin::host::OpRegistry::Instance().AddDefinition(name, creator);
    return 0;
}

}  // namespace ops

namespace gert {

using twin::host::OpFunctions;
using twin::host::OpRegistry;

class OpImplRegisterV2Impl {
public:
    std::string opType;

    OpImplRegisterV2Impl& Add(const OpFunctions& functions) {
        OpRegistry::Instance().AddFunctions(opType, functions);
        return *this;
    }
};

OpImplRegisterV2::OpImplRegisterV2(const ge::char_t* opType) : impl_(new OpImplRegisterV2Impl) {
    impl_->opType = opType == nullptr ? "" : opType;
}

OpImplRegisterV2::OpImplRegisterV2(const OpImplRegisterV2& other)
    : impl_(new OpImplRegisterV2Impl(*other.impl_)) {}

OpImplRegisterV2::OpImplRegisterV2(OpImplRegisterV2&& other) noexcept = default;

OpImplRegisterV2::~OpImplRegisterV2() = default;

OpImplRegisterV2& OpImplRegisterV2::InferShape(InferShapeKernelFunc function) {
    OpFunctions functions;
    functions.inferShape = function;
    impl_->Add(functions);
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
    OpFunctions functions;
    functions.inferDataType = function;
    impl_->Add(functions);
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
    OpFunctions functions;
    functions.outputTypesLikeFirstInput = true;
    impl_->Add(functions);
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::Tiling(TilingKernelFunc function, size_t maxTilingBytes) {
    OpFunctions functions;
    functions.tiling = function;
    functions.maxTilingBytes = function == nullptr ? 0 : maxTilingBytes;
    impl_->Add(functions);
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::TilingParse(TilingParseFunc function,
                                                CompileInfoCreatorFunc creator,
                                                CompileInfoDeleterFunc deleter) {
    OpFunctions functions;
    functions.tilingParse = function;
    functions.createCompileInfo = creator;
    functions.deleteCompileInfo = deleter;
    impl_->Add(functions);
    return *this;
}

// The values of aclIntArray inputs are always there.
OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t>) {
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t>) {
    return *this;
}

}  // namespace gert
