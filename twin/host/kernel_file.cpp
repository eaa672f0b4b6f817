// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "core/kernel_image.h"
#include "host/op_package.h"

namespace twin::host {
namespace {

constexpr char kCarried[] = "twin_carried_libraries";

/// Returns true if the file has the name at all: only then is its code run for it.
bool Mentions(const std::string& path, const std::string& name) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return bytes.find(name) != std::string::npos;
}

/// Instances by the names of their kernels. The file stays loaded, because its bytes are the
/// kernels.
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
