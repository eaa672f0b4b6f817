// SPDX-License-Identifier: Apache-2.0
#include "kernel.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <cstring>
#include <list>

#include "copy.h"
#include "device.h"
#include "device_buffer.h"
#include "device_view.h"
#include "errors.h"
#include "libraries.h"
#include "scoped_variable.h"
#include "shared_library.h"
#include "tensors.h"

namespace py = pybind11;

namespace cannery {
namespace {

// Byte that fills a new user workspace on a card. A kernel that reads unwritten bytes gets NaN as
// float, half and bfloat16, and -1 as an integer. So wrong results are easy to see. On the twin,
// twinSetArgumentTypes fills the workspace.
constexpr int32_t kWorkspacePoison = 0xFF;

// Status for a wrong number of arguments: the runtime's ACL_ERROR_RT_PARAM_INVALID.
constexpr aclError kParamInvalid = 107000;

// The Ascend C library of A2 and A3 itself uses the first 16 MiB of the workspace. The twin's
// runtime allocates these 16 MiB itself.
constexpr uint64_t kSystemWorkspaceBytes = 16ULL << 20;

using Arguments = std::vector<std::pair<py::object, size_t>>;

bool IsArray(const py::object& value) { return !py::isinstance<py::bytes>(value); }

/// Passes the element types of the arguments and the user workspace (or null) to the twin, which
/// fills the workspace. On a card, fills the workspace with bytes that are NaNs.
void Prepare(const Arguments& arguments, void* workspace, uint64_t bytes) {
    const AclApi& api = Libraries::Instance().Api();
    if (api.setArgumentTypes == nullptr) {
        if (workspace != nullptr) {
            Check(api.aclrtMemset(workspace, bytes, kWorkspacePoison, bytes), "aclrtMemset");
        }
        return;
    }
    std::vector<aclDataType> types;
    types.reserve(arguments.size());
    for (const auto& [value, offset] : arguments) {
        types.push_back(IsArray(value)
                            ? DataTypeOf(py::reinterpret_borrow<py::array>(value).dtype())
                            : ACL_DT_UNDEFINED);
    }
    Check(api.setArgumentTypes(types.data(), types.size(), workspace, bytes),
          "twinSetArgumentTypes");
}

/// The argument data of a launch, with the layout of a struct whose members are the arguments.
class PackedArguments {
public:
    void Put(size_t offset, const void* bytes, size_t count) {
        end_ = std::max(end_, offset + count);
        words_.resize((end_ + sizeof(uint64_t) - 1) / sizeof(uint64_t));
        std::memcpy(reinterpret_cast<char*>(words_.data()) + offset, bytes, count);
    }
    void Append(const void* address) {
        Put(words_.size() * sizeof(uint64_t), &address, sizeof(address));
    }
    const void* Data() const { return words_.data(); }
    size_t Bytes() const { return words_.size() * sizeof(uint64_t); }

private:
    std::vector<uint64_t> words_;
    size_t end_ = 0;
};

void PutArguments(const Arguments& arguments, const DeviceView& view, PackedArguments* packed) {
    for (const auto& [value, offset] : arguments) {
        if (IsArray(value)) {
            const void* const address =
                view.Address(py::reinterpret_borrow<py::array>(value).data());
            packed->Put(offset, &address, sizeof(address));
        } else {
            const auto bytes = static_cast<std::string>(py::reinterpret_borrow<py::bytes>(value));
            packed->Put(offset, bytes.data(), bytes.size());
        }
    }
}

Mistakes FindMistakes(size_t arrays) {
    const AclApi& api = Libraries::Instance().Api();
    Mistakes found;
    for (size_t i = 0; api.argumentTakenFor != nullptr && i < arrays; ++i) {
        if (const char* type = api.argumentTakenFor(i)) {
            found.emplace_back(i, type);
        }
    }
    return found;
}

}  // namespace

aclrtFuncHandle Kernel::Function(uint64_t tilingKey) {
    const AclApi& api = Libraries::Instance().Api();
    if (api.aclrtBinaryLoadFromFile == nullptr || api.aclrtBinaryGetFunction == nullptr ||
        api.aclrtLaunchKernel == nullptr) {
        throw BackendFailure(
            "this runtime cannot load kernels: it has no aclrtBinaryLoadFromFile, "
            "aclrtBinaryGetFunction or aclrtLaunchKernel; a newer toolkit has them");
    }
    if (binary_ == nullptr) {
        Check(api.aclrtBinaryLoadFromFile(path_.c_str(), nullptr, &binary_),
              "aclrtBinaryLoadFromFile");
    }
    const auto found = functions_.find(tilingKey);
    if (found != functions_.end()) {
        return found->second;
    }
    // The toolkit compiles one function per tiling key and names it <kernel>_<key>.
    const std::string name = tilingKey == 0 ? name_ : name_ + "_" + std::to_string(tilingKey);
    aclrtFuncHandle function = nullptr;
    Check(api.aclrtBinaryGetFunction(binary_, name.c_str(), &function), "aclrtBinaryGetFunction");
    functions_[tilingKey] = function;
    return function;
}

Kernel::LaunchFunction Kernel::Starter(size_t arguments) {
    if (starter_ == nullptr) {
        const SharedLibrary library = OpenFirst({""}, {path_}, RTLD_LOCAL);
        const auto* count = static_cast<uint32_t*>(FindSymbol(library, "cannery_parameters"));
        starter_ = reinterpret_cast<LaunchFunction>(FindSymbol(library, "cannery_launch"));
        parameters_ = *count;
        names_ = static_cast<const char*>(FindSymbol(library, "cannery_names"));
    }
    if (parameters_ != arguments) {
        throw AclFailure(kParamInvalid, name_,
                         "T602 wrong number of arguments: kernel " + name_ + " takes " +
                             std::to_string(parameters_) + " arguments (" + names_ + "), got " +
                             std::to_string(arguments) +
                             "\n  try: one pointer for each parameter, the workspace and the "
                             "tiling data last");
    }
    return starter_;
}

aclError Kernel::Start(const KernelLaunch& launch, void* system, const void* arguments,
                       size_t bytes) {
    const aclrtStream stream = Device::Instance().Stream();
    if (launchForm_) {
        return Starter(bytes / sizeof(void*))(launch.blockDim, stream, system,
                                              static_cast<void* const*>(arguments));
    }
    return Libraries::Instance().Api().aclrtLaunchKernel(Function(launch.tilingKey),
                                                         launch.blockDim, arguments, bytes, stream);
}

Mistakes Kernel::Launch(const Arguments& arguments, const KernelLaunch& launch) {
    RunScope scope;
    DeviceView view;
    for (const auto& [value, offset] : arguments) {
        if (IsArray(value)) {
            const py::array array = py::reinterpret_borrow<py::array>(value);
            view.Add(array.data(), SpanBytes(array),
                     array.writeable() ? Access::kReadWrite : Access::kRead);
        }
    }
    view.Open();
    PackedArguments packed;
    PutArguments(arguments, view, &packed);
    const uint64_t systemBytes = launchForm_ ? kSystemWorkspaceBytes : 0;
    DeviceBuffer workspace;
    workspace.Allocate(systemBytes + launch.workspaceBytes);
    void* users = nullptr;
    if (launch.workspaceBytes > 0) {
        users = static_cast<char*>(workspace.Address()) + systemBytes;
        packed.Append(users);
    }
    DeviceBuffer tiling;
    tiling.Allocate(launch.tiling.size());
    if (!launch.tiling.empty()) {
        CopyAll({{tiling.Address(), launch.tiling.data(), launch.tiling.size()}},
                ACL_MEMCPY_HOST_TO_DEVICE);
        packed.Append(tiling.Address());
    }
    aclError status = 0;
    {
        Prepare(arguments, users, launch.workspaceBytes);
        const std::list<ScopedVariable> settings = Set(launch.settings);
        status = Start(launch, workspace.Address(), packed.Data(), packed.Bytes());
    }
    scope.Finish(status, name_.c_str());
    view.CopyBack();
    return FindMistakes(arguments.size());
}

}  // namespace cannery
