// SPDX-License-Identifier: Apache-2.0
#include "core/kernel_image.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "core/core.h"
#include "core/files.h"
#include "core/source_line.h"

namespace twin {
namespace {

constexpr char kPrefix[] = "twin_kernel.";
constexpr char kComments[] = "twin_hazard_ok";  // section of comments (compile/hazard_comments.py)

KernelKind ToKind(const char* number) {
    return static_cast<KernelKind>(std::strtol(number, nullptr, 10));
}

/// Reads a tiling key from its two halves, which are signed numbers of 32 bits. Sets `rest` to the
/// text after the second half.
uint64_t ToKey(const char* halves, char** rest) {
    const auto high = static_cast<uint32_t>(std::strtol(halves, rest, 10));
    const auto low = static_cast<uint32_t>(std::strtol(*rest + 1, rest, 10));
    return uint64_t{high} << 32 | low;
}

/// Adds one mark's information to `marks`. `mark` is the name of its section without the prefix.
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
    marks->anyKey |= mark == "any_key";
    char* rest = nullptr;
    if (mark.compare(0, 10, "attribute.") == 0) {
        marks->attribute = ToKind(mark.c_str() + 10);
    } else if (mark.compare(0, 8, "default.") == 0) {
        marks->ofOthers = ToKind(mark.c_str() + 8);
    } else if (mark.compare(0, 5, "file.") == 0) {
        marks->ofFile = ToKind(mark.c_str() + 5);
    } else if (mark.compare(0, 4, "key.") == 0) {
        marks->keys.insert(ToKey(mark.c_str() + 4, &rest));
    } else if (mark.compare(0, 5, "type.") == 0) {
        const uint64_t key = ToKey(mark.c_str() + 5, &rest);
        marks->ofKey.emplace(key, ToKind(rest + 1));
    }
}

KernelMarks MarksOf(const std::vector<Section>& sections) {
    KernelMarks marks;
    for (const Section& section : sections) {
        if (section.name.compare(0, sizeof(kPrefix) - 1, kPrefix) == 0) {
            Note(section.name.substr(sizeof(kPrefix) - 1), &marks);
        }
    }
    return marks;
}

/// Reads the comments of a section: file name, line and text, each with a zero byte at its end.
void ReadComments(const std::string& path, const std::vector<Section>& sections,
                  std::vector<SourceComment>* comments) {
    for (const Section& section : sections) {
        if (section.name != kComments) {
            continue;
        }
        std::istringstream fields(ContentOf(path, section));
        std::string file;
        std::string line;
        for (std::string text; std::getline(fields, file, '\0') &&
                               std::getline(fields, line, '\0') &&
                               std::getline(fields, text, '\0');) {
            const auto number = static_cast<uint32_t>(std::strtoul(line.c_str(), nullptr, 10));
            comments->push_back({file, number, text});
        }
    }
}

/// Returns a program's marks (core/uses.h). Reads the file once: a test may launch very often.
const KernelMarks& MarksOfProgram(const std::string& path) {
    static std::mutex mutex;
    static auto* const known = new std::map<std::string, KernelMarks>;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = known->find(path);
    return found != known->end() ? found->second
                                 : known->emplace(path, MarksOf(SectionsOf(path))).first->second;
}

struct CodeSearch {
    uintptr_t symbol;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
};

/// Callback of dl_iterate_phdr that finds the executable pages of the library with the symbol.
int FindCode(dl_phdr_info* info, size_t, void* data) {
    auto* search = static_cast<CodeSearch*>(data);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    bool ours = false;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) {
            continue;
        }
        const uintptr_t first = info->dlpi_addr + segment.p_vaddr;
        ours = ours || (search->symbol >= first && search->symbol - first < segment.p_memsz);
        if ((segment.p_flags & PF_X) != 0) {
            begin = std::min(begin, first & ~(page - 1));
            end = std::max(end, (first + segment.p_memsz + page - 1) & ~(page - 1));
        }
    }
    if (ours) {
        search->begin = begin;
        search->end = end;
    }
    return ours ? 1 : 0;
}

}  // namespace

void KernelMarks::Add(const KernelMarks& other) {
    keys.insert(other.keys.begin(), other.keys.end());
    anyKey |= other.anyKey;
    ofKey.insert(other.ofKey.begin(), other.ofKey.end());
    ofOthers = ofOthers != KernelKind::Unknown ? ofOthers : other.ofOthers;
    ofFile = ofFile != KernelKind::Unknown ? ofFile : other.ofFile;
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
    const std::vector<Section> sections = SectionsOf(path);
    marks_.Add(MarksOf(sections));
    ReadComments(path, sections, &comments_);
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

std::shared_ptr<const KernelImage> KernelImage::OfProgram(const KernelBinary* binary,
                                                          std::shared_ptr<const void> owner,
                                                          KernelKind kind) {
    const auto function = reinterpret_cast<const void*>(binary->call);
    const std::shared_ptr<KernelImage> image(new KernelImage(FileOf(function).path));
    image->owner_ = std::move(owner);
    image->loaded_ = image->vector_ = image->cube_ = binary;
    image->code_.Add(function);
    image->code_.KeepOpen();
    image->marks_ = MarksOfProgram(image->path_);
    if (kind != KernelKind::Unknown) {
        KernelMarks named;
        named.attribute = kind;
        named.keys = image->marks_.keys;
        named.anyKey = image->marks_.anyKey;
        image->marks_ = std::move(named);
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
    // __vector__ and __cube__ do not name a MIX type, but code that synchronises cores needs one.
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
    if (marks_.ofFile != KernelKind::Unknown) {
        return marks_.ofFile;
    }
    if (marks_.cube) {
        return KernelKind::MixAic12;
    }
    return marks_.hardSync ? KernelKind::MixAiv10 : KernelKind::AivOnly;
}

void KernelCode::Add(const void* symbol) {
    CodeSearch search{reinterpret_cast<uintptr_t>(symbol)};
    if (dl_iterate_phdr(FindCode, &search) != 0 && search.begin < search.end) {
        ranges_[ranges_[0].end != 0 ? 1 : 0] = {search.begin, search.end};
    }
}

void KernelCode::Protect(int rights) const {
    for (const Range& range : ranges_) {
        if (range.end != 0) {
            mprotect(reinterpret_cast<void*>(range.begin), range.end - range.begin, rights);
        }
    }
}

void KernelCode::Close() const {
    if (keepOpen_) {
        return;
    }
    closed_.store(true, std::memory_order_release);
    Protect(PROT_READ);
}

void KernelCode::Open() const {
    Protect(PROT_READ | PROT_EXEC);
    closed_.store(false, std::memory_order_release);
}

}  // namespace twin
