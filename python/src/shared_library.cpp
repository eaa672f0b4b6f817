// SPDX-License-Identifier: Apache-2.0
#include "shared_library.h"

#include <link.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

#include "errors.h"

namespace cannery {
namespace {

/// Returns true if an ELF segment reaches past the end of the file. dlopen would map such a file,
/// and an access to the missing bytes would end the process.
bool IsCut(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    ElfW(Ehdr) header = {};
    file.seekg(0);
    if (!file.read(reinterpret_cast<char*>(&header), sizeof(header)) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return false;  // dlopen reports what is wrong
    }
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    for (int i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) segment = {};
        if (!file.read(reinterpret_cast<char*>(&segment), sizeof(segment)) ||
            segment.p_offset + segment.p_filesz > static_cast<uint64_t>(size)) {
            return true;
        }
    }
    return false;
}

void* Open(const std::string& path, int scope, std::string* reason) {
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
        *reason = "is no file";  // reading a pipe would block
        return nullptr;
    }
    if (IsCut(path)) {
        *reason = "the file is cut; install its package again";
        return nullptr;
    }
    void* handle = dlopen(path.c_str(), RTLD_NOW | scope);
    const char* text = handle == nullptr ? dlerror() : nullptr;
    *reason = text == nullptr ? "unknown reason" : text;
    return handle;
}

}  // namespace

SharedLibrary OpenFirst(const std::vector<std::string>& directories,
                        const std::vector<std::string>& names, int scope) {
    std::string tried;
    for (const std::string& name : names) {
        for (const std::string& directory : directories) {
            std::string path = directory;
            path.append(directory.empty() ? "" : "/").append(name);
            std::string reason;
            if (void* handle = Open(path, scope, &reason)) {
                return {handle, path};
            }
            tried.append("\n  ").append(path).append(": ").append(reason);
        }
    }
    throw BackendFailure("cannot open " + names.front() + ", tried:" + tried +
                         "\n  run `cannery doctor` to see what this machine has");
}

void* FindSymbol(const SharedLibrary& library, const char* name) {
    void* address = dlsym(library.handle, name);
    if (address == nullptr) {
        throw BackendFailure(library.path + " has no symbol " + name +
                             ": its version does not fit this cannery, which needs CANN 8.1.RC1 "
                             "or newer");
    }
    return address;
}

}  // namespace cannery
