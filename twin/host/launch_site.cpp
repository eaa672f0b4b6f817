// SPDX-License-Identifier: Apache-2.0
#include "core/launch_site.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "core/kernel_image.h"
#include "core/launch.h"
#include "host/error.h"
#include "host/launch_arguments.h"
#include "host/op_package.h"
#include "host/runtime.h"

namespace twin::host {
namespace {

using launch::Library;
using launch::Request;
using Image = std::shared_ptr<const KernelImage>;

/// Kernel libraries that programs contain; each is loaded at its first use. Never destroyed,
/// because programs add libraries before main and may launch kernels while they exit.
class CarriedKernels {
public:
    static CarriedKernels& Instance() {
        static auto* const kernels = new CarriedKernels;
        return *kernels;
    }
    void Add(const Library* libraries, size_t count) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (size_t i = 0; i < count; ++i) {
            waiting_.emplace(libraries[i].site, libraries[i]);
        }
    }
    /// Returns the kernel of a launch, or nullptr and an error if the program does not contain it.
    Image Find(const Request& request, std::string* error);

private:
    CarriedKernels() = default;
    std::string Load(uint64_t site);

    std::mutex mutex_;
    std::multimap<uint64_t, Library> waiting_;
    KernelImages loaded_;  ///< the key is RTTI's name of a kernel instance
};

/// Loads the kernels of launch expression `site`: one for each template instance that it launches.
std::string CarriedKernels::Load(uint64_t site) {
    std::vector<Library> libraries;
    const auto range = waiting_.equal_range(site);
    for (auto at = range.first; at != range.second; ++at) {
        libraries.push_back(at->second);
    }
    waiting_.erase(range.first, range.second);
    return LoadCarried(libraries, &loaded_);
}

Image CarriedKernels::Find(const Request& request, std::string* error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    *error = Load(request.site);
    const auto found = loaded_.find(request.instance->name());
    if (!error->empty() || found == loaded_.end()) {
        *error = "T610 no code: this program carries no kernel for this launch" +
                 (error->empty() ? "" : " (" + *error + ")") +
                 "\n  try: build it with `cannery cc`, all sources by the same version";
        return nullptr;
    }
    return found->second;
}

/// Checks the numbers in <<<>>>; returns "" or an error.
std::string CheckConfiguration(const Request& request) {
    const uint64_t ubBytes = CurrentSoc().ubBytes;
    if (request.blocks < 1 || request.blocks > 65535) {
        return "T601 number of blocks is " + std::to_string(request.blocks) +
               ", expected 1 to 65535";
    }
    if (request.ubBytes > ubBytes) {
        return "T601 dynamic unified buffer of " + std::to_string(request.ubBytes) +
               " bytes, expected at most " + std::to_string(ubBytes);
    }
    return "";
}

LaunchResult Reported(LaunchResult result, const std::string& kernel, int64_t blocks) {
    if (result.status != kLaunchOk) {
        std::fprintf(stderr, "cannery: kernel %s, %lld blocks: %s\n", kernel.c_str(),
                     static_cast<long long>(blocks), result.message.c_str());
    }
    return result;
}

/// Returns the task that performs a launch when its stream runs it.
StreamTask Plan(const Request& request) {
    auto spec = std::make_shared<LaunchSpec>();
    std::string problem = CheckConfiguration(request);
    if (problem.empty()) {
        spec->image = CarriedKernels::Instance().Find(request, &problem);
    }
    const std::string kernel = request.kernel;
    const int64_t blocks = request.blocks;
    if (spec->image == nullptr) {
        return [problem, kernel, blocks](const CancelFlag&) {
            return Reported(LaunchResult{kLaunchInvalid, problem}, kernel, blocks);
        };
    }
    spec->blockDim = static_cast<uint32_t>(blocks);
    spec->settings = Settings::FromEnvironment();
    spec->args.resize(request.argBytes / sizeof(void*));
    std::memcpy(spec->args.data(), request.args, request.argBytes);
    NameArguments(spec.get());
    return [spec, kernel, blocks](const CancelFlag& cancel) {
        spec->cancel = cancel;
        return Reported(Launch(*spec), kernel, blocks);
    };
}

constexpr char kCarried[] = "twin_carried_libraries";

/// Returns true if the file's bytes contain `name`. This avoids loading a file without this symbol.
bool Mentions(const std::string& path, const std::string& name) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return bytes.find(name) != std::string::npos;
}

/// Returns the kernels in `carried` by kernel name. The caller must keep the file loaded, because
/// `carried` points into it.
KernelImages ByName(const launch::Libraries& carried, const std::string& path, std::string* error) {
    KernelImages instances, kernels;
    *error = LoadCarried({carried.first, carried.first + carried.count}, &instances);
    for (const auto& [instance, image] : instances) {
        const std::string name = image->Binary().name;
        if (error->empty() && !kernels.emplace(name, image).second) {
            *error = path;
            error->append(": has several instances of ").append(name);
            error->append(", which one name cannot tell apart");
        }
    }
    return error->empty() ? kernels : KernelImages();
}

}  // namespace

std::string MemoryFile(const unsigned char* begin, const unsigned char* end) {
    const int file = memfd_create("cannery_kernel", MFD_CLOEXEC);
    while (file >= 0 && begin < end) {
        const ssize_t written = write(file, begin, static_cast<size_t>(end - begin));
        if (written <= 0) {
            close(file);
            return "";
        }
        begin += written;
    }
    return file < 0 ? "" : "/proc/self/fd/" + std::to_string(file);
}

std::string LoadCarried(const std::vector<launch::Library>& libraries, KernelImages* images) {
    std::map<std::string, std::vector<std::string>> files;
    for (const launch::Library& library : libraries) {
        const std::string path = MemoryFile(library.begin, library.end);
        if (path.empty()) {
            return std::string("no memory file for a kernel: ") + std::strerror(errno);
        }
        std::string error;
        const auto one = KernelImage::LoadFiles({path}, &error);
        if (one == nullptr) {
            return error;
        }
        if (one->Binary().site == nullptr) {
            return "a kernel of this program belongs to no launch; build the program again";
        }
        files[one->Binary().site->name()].push_back(path);
    }
    for (const auto& [instance, paths] : files) {
        std::string error;
        const auto image = KernelImage::LoadFiles(paths, &error);
        if (image == nullptr) {
            return error;
        }
        (*images)[instance] = image;
    }
    return "";
}

KernelImages LoadKernelFile(const std::string& path, std::string* error) {
    constexpr double kInitialiserSeconds = 5.0;
    *error = CheckLibraryFile(path, kInitialiserSeconds);
    if (error->empty() && Mentions(path, kCarried)) {
        void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        const auto* const carried =
            handle == nullptr ? nullptr
                              : static_cast<const launch::Libraries*>(dlsym(handle, kCarried));
        if (carried != nullptr) {
            return ByName(*carried, path, error);
        }
    }
    const auto image = KernelImage::Load(path, error);
    return image == nullptr ? KernelImages() : KernelImages{{image->Binary().name, image}};
}

}  // namespace twin::host

extern "C" {

void twinAddLibraries(const twin::launch::Library* libraries, size_t count) {
    twin::host::CarriedKernels::Instance().Add(libraries, count);
}

void twinLaunchKernel(const twin::launch::Request* request) {
    const int status = twin::host::Guard("kernel<<<...>>>", [&] {
        twin::host::EnqueueOnStream("kernel<<<...>>>", request->stream, twin::host::Plan(*request));
    });
    if (status != ACL_SUCCESS) {
        // A launch expression returns no status, so the error is printed here.
        twin::host::Reported({status, twin::host::TakeSentence()}, request->kernel,
                             request->blocks);
    }
}

}  // extern "C"
