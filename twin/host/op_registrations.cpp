// SPDX-License-Identifier: Apache-2.0
#include "host/op_registrations.h"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "base/registry/op_impl_space_registry_v2.h"
#include "host/op_call.h"

namespace twin::host {
namespace {

struct Program {
    std::mutex mutex;
    OpRegistrations registrations;
};

/// Returns what the program registered. Never destroyed: libraries may register during the exit.
Program& TheProgram() {
    static Program* const program = new Program;
    return *program;
}

thread_local OpRegistrations* currentTarget = nullptr;

template <typename Action>
void Register(Action&& action) {
    if (currentTarget != nullptr) {
        std::forward<Action>(action)(currentTarget);
        return;
    }
    std::lock_guard<std::mutex> lock(TheProgram().mutex);
    std::forward<Action>(action)(&TheProgram().registrations);
}

template <typename T>
void Take(T* mine, const T& other) {
    if (other != T()) {
        *mine = other;
    }
}

}  // namespace

void OpFunctions::Add(const OpFunctions& other) {
    Take(&inferShape, other.inferShape);
    Take(&inferShapeRange, other.inferShapeRange);
    Take(&genSimplifiedKey, other.genSimplifiedKey);
    Take(&inferDataType, other.inferDataType);
    Take(&tiling, other.tiling);
    Take(&tilingParse, other.tilingParse);
    Take(&createCompileInfo, other.createCompileInfo);
    Take(&deleteCompileInfo, other.deleteCompileInfo);
    Take(&maxTilingBytes, other.maxTilingBytes);
    Take(&outputTypesLikeFirstInput, other.outputTypesLikeFirstInput);
    Take(&inputsRead, other.inputsRead);
    Take(&tilingInputsRead, other.tilingInputsRead);
}

void OpRegistrations::AddDefinition(const std::string& opType, ops::OpDefCreator creator) {
    Entry& entry = entries_[opType];
    entry.repeated = entry.creator != nullptr ? "OP_ADD" : entry.repeated;
    entry.creator = creator;
}

void OpRegistrations::AddFunctions(const std::string& opType, const OpFunctions& functions) {
    Entry& entry = entries_[opType];
    const bool tilings = entry.functions.tiling != nullptr && functions.tiling != nullptr;
    entry.repeated =
        tilings && entry.functions.tiling != functions.tiling ? "Tiling" : entry.repeated;
    entry.functions.Add(functions);
}

std::string OpRegistrations::Repeated(const std::string& opType) const {
    const auto found = entries_.find(opType);
    return found == entries_.end() ? "" : found->second.repeated;
}

std::vector<std::string> OpRegistrations::Types() const {
    std::vector<std::string> types;
    types.reserve(entries_.size());
    for (const auto& entry : entries_) {
        types.push_back(entry.first);
    }
    return types;
}

OpRegistration OpRegistrations::Get(const std::string& opType) const {
    OpRegistration registration;
    const auto found = entries_.find(opType);
    if (found == entries_.end()) {
        return registration;
    }
    registration.functions = found->second.functions;
    if (found->second.creator != nullptr) {
        const ops::OpDef definition = found->second.creator(opType.c_str());
        const auto model = std::make_shared<const OpModel>(OpModel::FromDefinition(definition));
        registration.functions.Add(model->functions);
        registration.model = model;
    }
    return registration;
}

RegistrationScope::RegistrationScope(OpRegistrations* target) : before_(currentTarget) {
    currentTarget = target;
}

RegistrationScope::~RegistrationScope() { currentTarget = before_; }

bool FindInProgram(const std::string& opType, OpRegistration* found) {
    std::lock_guard<std::mutex> lock(TheProgram().mutex);
    if (!TheProgram().registrations.Knows(opType)) {
        return false;
    }
    *found = TheProgram().registrations.Get(opType);
    return true;
}

}  // namespace twin::host

namespace ops {

int OpDefFactory::OpDefRegister(const char* name, OpDefCreator creator) {
    twin::host::Register(
        [&](twin::host::OpRegistrations* target) { target->AddDefinition(name, creator); });
    return 0;
}

}  // namespace ops

namespace gert {

using twin::host::OpFunctions;

class OpImplRegisterV2Impl {
public:
    std::string opType;

    void Add(const OpFunctions& functions) {
        twin::host::Register(
            [&](twin::host::OpRegistrations* target) { target->AddFunctions(opType, functions); });
    }
    template <typename Field, typename Value>
    void Set(Field OpFunctions::*field, Value value) {
        OpFunctions functions;
        functions.*field = value;
        Add(functions);
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
    impl_->Set(&OpFunctions::inferShape, function);
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
    impl_->Set(&OpFunctions::inferDataType, function);
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
    impl_->Set(&OpFunctions::outputTypesLikeFirstInput, true);
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

OpImplRegisterV2& OpImplRegisterV2::GenSimplifiedKey(GenSimplifiedKeyKernelFunc function) {
    impl_->Set(&OpFunctions::genSimplifiedKey, function);
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::InferShapeRange(InferShapeRangeKernelFunc function) {
    impl_->Set(&OpFunctions::inferShapeRange, function);
    return *this;
}

namespace {

uint64_t Bits(std::initializer_list<int32_t> inputs) {
    uint64_t bits = 0;
    for (int32_t input : inputs) {
        bits |= input >= 0 && input < 64 ? uint64_t{1} << input : 0;
    }
    return bits;
}

}  // namespace

// Only code that reads the registry uses this. aclnn calls pass all values of aclIntArray inputs.
OpImplRegisterV2& OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
    impl_->Set(&OpFunctions::inputsRead, Bits(inputs));
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(
    std::initializer_list<int32_t> inputs) {
    impl_->Set(&OpFunctions::tilingInputsRead, Bits(inputs));
    return *this;
}

OpImplRegisterV2& OpImplRegisterV2::TilingInputsDataDependency(
    std::initializer_list<int32_t> inputs, std::initializer_list<TilingPlacement>) {
    return TilingInputsDataDependency(inputs);
}

namespace {

using Functions = OpImplKernelRegistry::OpImplFunctionsV2;

/// Empty compile info of an operator that has a tiling function but no TilingParse.
struct NoCompileInfo {};
void* CreateNoCompileInfo() { return new NoCompileInfo; }
void DeleteNoCompileInfo(void* info) { delete static_cast<NoCompileInfo*>(info); }
ge::graphStatus ParseNothing(KernelContext*) { return ge::GRAPH_SUCCESS; }

Functions FunctionsOf(const twin::host::OpRegistration& registration) {
    const twin::host::OpFunctions& from = registration.functions;
    Functions to;
    to.infer_shape = from.inferShape;
    to.infer_shape_range = from.inferShapeRange;
    to.gen_simplifiedkey = from.genSimplifiedKey;
    to.infer_datatype = from.inferDataType;
    to.tiling = from.tiling;
    // This cast works because every context begins with a KernelContext.
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

/// Function tables that callers received; their addresses never change. Never destroyed.
struct HandedOut {
    std::mutex mutex;
    std::map<std::string, Functions> byOperator;
};

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
    static auto* const handedOut = new HandedOut;
    std::lock_guard<std::mutex> lock(handedOut->mutex);
    Functions& functions = handedOut->byOperator[opType];
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
