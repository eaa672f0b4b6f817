// SPDX-License-Identifier: Apache-2.0
#include "core/kernel_image.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "core/core.h"

namespace twin {
namespace {

constexpr char kPrefix[] = "twin_kernel.";

template <typename T>
bool ReadAt(std::ifstream& file, uint64_t offset, T* items, size_t count) {
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(items), static_cast<std::streamsize>(count * sizeof(T)));
    return file.good();
}

/// Names of the sections of a shared object; none when it has no table of them.
std::vector<std::string> SectionNames(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    ElfW(Ehdr) header;
    if (!ReadAt(file, 0, &header, 1) || header.e_shentsize != sizeof(ElfW(Shdr)) ||
        header.e_shstrndx >= header.e_shnum) {
        return {};
    }
    std::vector<ElfW(Shdr)> sections(header.e_shnum);
    if (!ReadAt(file, header.e_shoff, sections.data(), sections.size())) {
        return {};
    }
    const ElfW(Shdr)& table = sections[header.e_shstrndx];
    std::string text(table.sh_size, '\0');
    if (text.empty() || !ReadAt(file, table.sh_offset, &text[0], text.size())) {
        return {};
    }
    std::vector<std::string> names;
    for (const ElfW(Shdr) & section : sections) {
        if (section.sh_name < text.size()) {
            names.emplace_back(text.c_str() + section.sh_name);
        }
    }
    return names;
}

KernelKind ToKind(const char* number) {
    return static_cast<KernelKind>(std::strtol(number, nullptr, 10));
}

/// Takes in one mark, given without the common prefix.
void Note(const std::string& mark, KernelMarks* marks) {
    static const std::pair<const char*, KernelKind> kAttributes[] = {
        {"vector", KernelKind::AivOnly},   {"cube_only", KernelKind::AicOnly},
        {"mix_0_1", KernelKind::MixAiv10}, {"mix_1_0", KernelKind::MixAic10},
        {"mix_1_1", KernelKind::MixAic11}, {"mix_1_2", KernelKind::MixAic12},
    };
    for (const auto& attribute : kAttributes) {
        if (mark == attribute.first) {
            marks->attribute = attribute.second;
        }
    }
    marks->cube |= mark == "cube";
    marks->hardSync |= mark == "hard_sync";
    if (mark.compare(0, 10, "attribute.") == 0) {
        marks->attribute = ToKind(mark.c_str() + 10);
    } else if (mark.compare(0, 8, "default.") == 0) {
        marks->ofOthers = ToKind(mark.c_str() + 8);
    } else if (mark.compare(0, 5, "type.") == 0) {
        // The assembler writes keys of the upper half as negative numbers.
        char* rest = nullptr;
        const auto key = static_cast<uint64_t>(std::strtoll(mark.c_str() + 5, &rest, 10));
        marks->ofKey.emplace(key, ToKind(rest + 1));
    }
}

}  // namespace

void KernelMarks::Add(const KernelMarks& other) {
    ofKey.insert(other.ofKey.begin(), other.ofKey.end());
    ofOthers = ofOthers != KernelKind::Unknown ? ofOthers : other.ofOthers;
    attribute = attribute != KernelKind::Unknown ? attribute : other.attribute;
    cube |= other.cube;
    hardSync |= other.hardSync;
}

std::string KernelImage::Add(const std::string& path) {
    constexpr double kInitialiserSeconds = 5.0;
    std::string problem = CheckLibraryFile(path, kInitialiserSeconds);
    if (!problem.empty()) {
        return problem;
    }
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return dlerror();
    }
    handles_[handles_[0] == nullptr ? 0 : 1] = handle;
    const auto* binary = static_cast<const KernelBinary*>(dlsym(handle, "twin_kernel_binary"));
    if (binary == nullptr) {
        return path + ": is no kernel binary of the twin";
    }
    if (binary->abi != CoreAbi()) {
        return path + ": was built for another version of the twin; build it again";
    }
    const KernelBinary*& place = binary->core == CoreKind::Aic ? cube_ : vector_;
    if (place != nullptr || (handles_[1] != nullptr && binary->ArgBytes() != Binary().ArgBytes())) {
        return path + ": does not belong to " + path_ + "; build both again";
    }
    place = loaded_ = binary;
    code_.Add(binary);
    KernelMarks marks;
    for (const std::string& name : SectionNames(path)) {
        if (name.compare(0, sizeof(kPrefix) - 1, kPrefix) == 0) {
            Note(name.substr(sizeof(kPrefix) - 1), &marks);
        }
    }
    marks_.Add(marks);
    return "";
}

std::string KernelImage::ArgumentName(size_t index) const {
    std::vector<std::string> names;
    std::istringstream list(loaded_->argNames);
    for (std::string name; std::getline(list >> std::ws, name, ',');) {
        names.push_back(name);
    }
    return "argument " +
           (names.size() == loaded_->argCount ? names.at(index) : std::to_string(index));
}

std::shared_ptr<const KernelImage> KernelImage::Load(const std::string& path, std::string* error) {
    std::vector<std::string> paths = {path};
    const std::string beside = path.substr(0, path.rfind('.')) + ".cube.so";
    if (access(beside.c_str(), F_OK) == 0) {
        paths.push_back(beside);
    }
    return LoadFiles(paths, error);
}

std::shared_ptr<const KernelImage> KernelImage::LoadFiles(const std::vector<std::string>& paths,
                                                          std::string* error) {
    const std::shared_ptr<KernelImage> image(new KernelImage(paths.front()));
    for (const std::string& path : paths) {
        *error = image->Add(path);
        if (!error->empty()) {
            return nullptr;
        }
    }
    return image;
}

KernelImage::~KernelImage() {
    for (void* const handle : handles_) {
        if (handle != nullptr) {
            dlclose(handle);
        }
    }
}

KernelKind KernelImage::KindOf(uint64_t tilingKey) const {
    if (Binary().kindOverride >= 0) {
        return static_cast<KernelKind>(Binary().kindOverride);
    }
    const auto named = marks_.ofKey.find(tilingKey);
    if (named != marks_.ofKey.end()) {
        return named->second;
    }
    if (marks_.ofOthers != KernelKind::Unknown) {
        return marks_.ofOthers;
    }
    // An attribute names the kind of core; whether these cores meet is seen in the code.
    switch (marks_.attribute) {
        case KernelKind::AivOnly:
            return marks_.hardSync ? KernelKind::MixAiv10 : KernelKind::AivOnly;
        case KernelKind::AicOnly:
            return marks_.hardSync ? KernelKind::MixAic10 : KernelKind::AicOnly;
        case KernelKind::Unknown:
            break;
        default:
            return marks_.attribute;
    }
    if (marks_.cube) {
        return KernelKind::MixAic12;
    }
    return marks_.hardSync ? KernelKind::MixAiv10 : KernelKind::AivOnly;
}

}  // namespace twin
