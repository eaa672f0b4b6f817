// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "core/launch.h"
#include "host/error.h"
#include "host/launch_arguments.h"
#include "host/op_package.h"
#include "host/runtime.h"

using namespace twin::host;
using twin::LaunchSpec;

namespace {

/// Reads the tiling key from the name of a function, `<kernel>_<key>`, as in the toolkit. The
/// kernel's plain name selects key 0. Returns false if the name does not belong to this kernel.
bool ParseName(const std::string& asked, const std::string& kernel, uint64_t* tilingKey) {
    *tilingKey = 0;
    if (asked == kernel) {
        return true;
    }
    if (asked.compare(0, kernel.size(), kernel) != 0 || asked[kernel.size()] != '_') {
        return false;
    }
    const std::string key = asked.substr(kernel.size() + 1);
    if (key.empty() || key.size() > 20 ||
        key.find_first_not_of("0123456789") != std::string::npos) {
        return false;
    }
    errno = 0;
    *tilingKey = std::strtoull(key.c_str(), nullptr, 10);
    return errno == 0;
}

void LoadInto(const char* function, const std::string& path, aclrtBinHandle* binHandle) {
    auto binary = std::make_shared<LoadedBinary>();
    std::string error;
    binary->images = LoadKernelFile(path, &error);
    if (binary->images.empty()) {
        Refuse(ACL_ERROR_INVALID_FILE, "%s: %s", function, error.c_str());
    }
    *binHandle = Runtime::Instance().binaries.Add(std::move(binary));
}

std::shared_ptr<LoadedFunction> FindFunction(aclrtFuncHandle handle) {
    if (handle == nullptr) {
        Refuse(ACL_ERROR_INVALID_PARAM, "aclrtLaunchKernel: funcHandle is null");
    }
    std::shared_ptr<LoadedFunction> function = Runtime::Instance().functions.Find(handle);
    if (function == nullptr) {
        Refuse(ACL_ERROR_RT_INVALID_HANDLE,
               "aclrtLaunchKernel: funcHandle is no kernel function, or its binary was unloaded");
    }
    return function;
}

void CheckArguments(const twin::KernelBinary& binary, uint32_t blockDim, const void* argsData,
                    size_t argsSize) {
    if (blockDim == 0) {
        Refuse(ACL_ERROR_RT_PARAM_INVALID,
               "aclrtLaunchKernel: blockDim is 0; launch at least 1 block");
    }
    if (argsData == nullptr && argsSize > 0) {
        Refuse(ACL_ERROR_INVALID_PARAM, "aclrtLaunchKernel: argsData is null");
    }
    if (binary.TakesBytes(argsSize)) {
        return;
    }
    const std::string names = binary.argNames;
    const bool values = binary.ArgBytes() != binary.argCount * sizeof(void*);
    Refuse(ACL_ERROR_RT_PARAM_INVALID,
           "T602 wrong number of arguments: kernel %s takes %" PRIu32
           " arguments%s, got %s%zu"
           "\n  try: one pointer for each parameter, the workspace and the tiling data last%s; "
           "argsSize is %zu bytes, expected %" PRIu32,
           binary.name, binary.argCount, names.empty() ? "" : (" (" + names + ")").c_str(),
           values ? "words: " : "", argsSize / sizeof(void*),
           values ? ", values in between as the members of a struct" : "", argsSize,
           binary.ArgBytes());
}

}  // namespace

void twin::host::NameArguments(LaunchSpec* spec) {
    const std::shared_ptr<ArgumentTypes> types = TakeArgumentTypes();
    spec->windowsOwner = types;
    spec->computed = types == nullptr ? nullptr : &types->computed;
    const twin::KernelBinary& binary = spec->image->Binary();
    for (uint32_t i = 0; i < binary.argCount; ++i) {
        if (!binary.parameters[i].pointer) {
            continue;
        }
        const auto address =
            reinterpret_cast<uintptr_t>(spec->args[binary.parameters[i].offset / sizeof(void*)]);
        twin::GmRange range;
        if (twin::GmRegistry::Instance().Find(address, &range)) {
            spec->windows.push_back(twin::GmRange{address, range.End() - address, range.readOnly,
                                                  spec->image->ArgumentName(i)});
            spec->windows.back().undefined =
                types != nullptr && reinterpret_cast<uintptr_t>(types->workspace) == address;
            if (types != nullptr && !IsWorkspace(spec->windows.back().label)) {
                spec->windows.back().array = types->Array(i);
            }
        }
    }
}

extern "C" {

aclError aclrtBinaryLoadFromFile(const char* binPath, aclrtBinaryLoadOptions*,
                                 aclrtBinHandle* binHandle) {
    return Guard("aclrtBinaryLoadFromFile", [&] {
        Runtime::Instance().RequireReady("aclrtBinaryLoadFromFile");
        if (binPath == nullptr || binHandle == nullptr) {
            Refuse(ACL_ERROR_INVALID_PARAM, "aclrtBinaryLoadFromFile: %s is null",
                   binPath == nullptr ? "binPath" : "binHandle");
        }
        LoadInto("aclrtBinaryLoadFromFile", binPath, binHandle);
    });
}

aclrtBinary aclrtCreateBinary(const void* data, size_t dataLen) {
    aclrtBinary made = nullptr;
    Guard("aclrtCreateBinary", [&] {
        if (data == nullptr || dataLen == 0) {
            Refuse(ACL_ERROR_INVALID_PARAM, "aclrtCreateBinary: data is null or dataLen is 0");
        }
        auto bytes = std::make_shared<std::vector<unsigned char>>(dataLen);
        ReadFromCaller(ACL_ERROR_INVALID_PARAM, "aclrtCreateBinary", "data", data, dataLen,
                       bytes->data());
        made = Runtime::Instance().binaryData.Add(std::move(bytes));
    });
    return made;
}

aclError aclrtDestroyBinary(aclrtBinary binary) {
    return Guard("aclrtDestroyBinary", [&] {
        if (Runtime::Instance().binaryData.Take(binary) == nullptr) {
            Refuse(ACL_ERROR_RT_INVALID_HANDLE,
                   "aclrtDestroyBinary: binary is none of aclrtCreateBinary, or destroyed already");
        }
    });
}

aclError aclrtBinaryLoad(const aclrtBinary binary, aclrtBinHandle* binHandle) {
    return Guard("aclrtBinaryLoad", [&] {
        Runtime::Instance().RequireReady("aclrtBinaryLoad");
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtBinaryLoad", binHandle);
        const auto bytes = Runtime::Instance().binaryData.Find(binary);
        if (bytes == nullptr) {
            Refuse(ACL_ERROR_RT_INVALID_HANDLE,
                   "aclrtBinaryLoad: binary is none of aclrtCreateBinary, or destroyed already");
        }
        const unsigned char* const begin = bytes->data();
        const std::string path = MemoryFile(begin, begin + bytes->size());
        if (path.empty()) {
            Refuse(ACL_ERROR_BAD_ALLOC, "aclrtBinaryLoad: no memory file of %zu bytes: %s",
                   bytes->size(), std::strerror(errno));
        }
        LoadInto("aclrtBinaryLoad", path, binHandle);
    });
}

aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
    return Guard("aclrtBinaryUnLoad", [&] {
        Runtime::Instance().RequireReady("aclrtBinaryUnLoad");
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtBinaryUnLoad", binHandle);
        Runtime& runtime = Runtime::Instance();
        // Removes only the handles. Launches that streams have queued still own the kernel image.
        const std::shared_ptr<LoadedBinary> binary = runtime.binaries.Take(binHandle);
        if (binary == nullptr) {
            Refuse(ACL_ERROR_RT_INVALID_HANDLE,
                   "aclrtBinaryUnLoad: binHandle is no loaded binary, or unloaded already");
        }
        for (const auto& entry : runtime.functions.Snapshot()) {
            if (entry.second->binary == binary) {
                runtime.functions.Take(entry.first);
            }
        }
    });
}

aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle, const char* kernelName,
                                aclrtFuncHandle* funcHandle) {
    return Guard("aclrtBinaryGetFunction", [&] {
        Runtime::Instance().RequireReady("aclrtBinaryGetFunction");
        if (binHandle == nullptr || kernelName == nullptr || funcHandle == nullptr) {
            Refuse(ACL_ERROR_INVALID_PARAM,
                   "aclrtBinaryGetFunction: binHandle, kernelName or funcHandle is null");
        }
        auto function = std::make_shared<LoadedFunction>();
        function->binary = Runtime::Instance().binaries.Find(binHandle);
        if (function->binary == nullptr) {
            Refuse(ACL_ERROR_RT_INVALID_HANDLE,
                   "aclrtBinaryGetFunction: binHandle is no loaded binary, or unloaded already");
        }
        std::string names;
        for (const auto& [kernel, image] : function->binary->images) {
            names += (names.empty() ? "\"" : ", \"") + kernel + "\"";
            // "x_1" can mean kernel "x_1", or kernel "x" with key 1. Kernel "x_1" has priority.
            if (kernelName == kernel || (function->image == nullptr &&
                                         ParseName(kernelName, kernel, &function->tilingKey))) {
                function->image = image;
                function->tilingKey = kernelName == kernel ? 0 : function->tilingKey;
            }
        }
        if (function->image == nullptr) {
            Refuse(ACL_ERROR_RT_PARAM_INVALID,
                   "aclrtBinaryGetFunction: kernelName is \"%s\"; %s holds %s (tiling key 0), "
                   "and each with _<key> behind it",
                   kernelName, function->binary->images.begin()->second->Path().c_str(),
                   names.c_str());
        }
        *funcHandle = Runtime::Instance().functions.Add(std::move(function));
    });
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t blockDim, const void* argsData,
                           size_t argsSize, aclrtStream stream) {
    return Guard("aclrtLaunchKernel", [&] {
        Runtime::Instance().RequireReady("aclrtLaunchKernel");
        const auto function = FindFunction(funcHandle);
        auto spec = std::make_shared<LaunchSpec>();
        spec->image = function->image;
        CheckArguments(spec->image->Binary(), blockDim, argsData, argsSize);
        spec->blockDim = blockDim;
        spec->tilingKey = function->tilingKey;
        spec->settings = twin::Settings::FromEnvironment();
        spec->args.resize((argsSize + sizeof(void*) - 1) / sizeof(void*));
        ReadFromCaller(ACL_ERROR_INVALID_PARAM, "aclrtLaunchKernel", "argsData", argsData, argsSize,
                       spec->args.data());
        NameArguments(spec.get());
        EnqueueOnStream("aclrtLaunchKernel", stream, [spec](const CancelFlag& cancel) {
            spec->cancel = cancel;
            return twin::Launch(*spec);
        });
    });
}

}  // extern "C"
