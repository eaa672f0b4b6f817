// SPDX-License-Identifier: Apache-2.0
#include "host/op_package.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <exception>

#include "core/kernel_image.h"
#include "host/error.h"

namespace twin::host {
namespace {

#if defined(__x86_64__)
constexpr char kArch[] = "x86_64";
#elif defined(__aarch64__)
constexpr char kArch[] = "aarch64";
#else
#error "Packages have folders for x86_64 and aarch64 only"
#endif

constexpr char kConfig[] = "/op_impl/ai_core/tbe/config";
constexpr char kKernel[] = "/op_impl/ai_core/tbe/kernel/";
constexpr char kAdvice[] = "install the package again, or take it out of the search";

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

/// Returns the sorted names of a folder's files; returns an empty set if there is no such folder.
std::set<std::string> NamesIn(const std::string& folder) {
    std::set<std::string> names;
    if (DIR* const entries = opendir(folder.c_str())) {
        while (const dirent* const entry = readdir(entries)) {
            if (entry->d_name[0] != '.') {
                names.insert(entry->d_name);
            }
        }
        closedir(entries);
    }
    return names;
}

std::string NamesOf(const std::set<std::string>& names) {
    return names.empty() ? "nothing" : Joined(names);
}

/// Reads the JSON object that a file of the package contains.
Json ReadObject(const std::string& path) {
    Json object;
    std::string text;
    std::string reason;
    if (!ReadWholeFile(path, &text, &reason)) {
        Refuse(kAclnnJsonUnreadable, "operator package: %s cannot be read: %s; %s", path.c_str(),
               reason.c_str(), kAdvice);
    }
    if (!ParseJson(text, &object, &reason)) {
        Refuse(kAclnnJsonFormat, "operator package: %s is no JSON: %s; %s", path.c_str(),
               reason.c_str(), kAdvice);
    }
    if (object.kind != Json::Kind::kObject) {
        Refuse(kAclnnJsonFormat,
               "operator package: %s: expected an object with an entry per operator; %s",
               path.c_str(), kAdvice);
    }
    return object;
}

/// Returns the key of a definition row in binary_info_config.json: "d=0,p=1" (not deterministic,
/// high performance), then dtype and format of every tensor that is not optional.
std::string SimplifiedKey(const OpModel& model, size_t row) {
    std::string key = model.type + "/d=0,p=1";
    for (const auto* params : {&model.inputs, &model.outputs}) {
        for (const ParamModel& param : *params) {
            if (!param.Optional()) {
                key += "/" + std::to_string(static_cast<int>(param.dataTypes[row])) + "," +
                       std::to_string(static_cast<int>(param.formats[row]));
            }
        }
    }
    return key;
}

/// Returns the binPath of the entry with this key, or nullptr if no entry has it.
const Json* FindBinary(const Json& config, const std::string& key) {
    const Json* const binaries = config.Find("binaryList");
    for (size_t i = 0; binaries != nullptr && i < binaries->items.size(); ++i) {
        const Json* const keys = binaries->items[i].Find("simplifiedKey");
        for (size_t k = 0; keys != nullptr && k < keys->items.size(); ++k) {
            if (keys->items[k].text == key) {
                return binaries->items[i].Find("binPath");
            }
        }
    }
    return nullptr;
}

}  // namespace

std::shared_ptr<const OpRegistrations> LoadRegistrations(const std::string& path,
                                                         std::string* error) {
    // Keeps the first registrations of each library. If the library is loaded again, even under
    // another name, its initialisers do not run.
    static auto* const mutex = new std::mutex;
    static auto* const known = new std::map<void*, std::shared_ptr<const OpRegistrations>>;
    std::lock_guard<std::mutex> lock(*mutex);
    const auto registrations = std::make_shared<OpRegistrations>();
    const RegistrationScope scope(registrations.get());
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        *error = dlerror();
        return nullptr;
    }
    return known->emplace(handle, registrations).first->second;
}

OpPackage& OpPackage::At(const std::string& path) {
    static auto* const mutex = new std::mutex;
    static auto* const packages = new std::map<std::string, std::unique_ptr<OpPackage>>;
    std::lock_guard<std::mutex> lock(*mutex);
    std::unique_ptr<OpPackage>& package = (*packages)[path];
    if (package == nullptr) {
        package.reset(new OpPackage(path));
    }
    return *package;
}

void OpPackage::ReadLists() {
    if (listsRead_) {
        return;
    }
    for (const std::string& soc : NamesIn(path_ + kConfig)) {
        std::string list = path_ + kConfig;
        list.append("/").append(soc).append("/aic-").append(soc).append("-ops-info.json");
        if (Exists(list)) {
            const Json operators = ReadObject(list);
            lists_.insert(list);
            operators_.insert(operators.names.begin(), operators.names.end());
        }
    }
    // A folder without lists may get lists later, when a package is installed in the folder.
    listsRead_ = !lists_.empty();
}

bool OpPackage::Defines(const std::string& opType) {
    std::lock_guard<std::mutex> lock(mutex_);
    ReadLists();
    return operators_.count(opType) != 0;
}

bool OpPackage::HasLists() {
    std::lock_guard<std::mutex> lock(mutex_);
    return !lists_.empty();
}

void OpPackage::Load(Library* library) {
    const std::string folder = path_ + "/" + library->folder + "/lib/linux/";
    const std::string path = folder + kArch + "/" + library->name;
    if (!Exists(path)) {
        const std::string other =
            Exists(folder + kArch)
                ? ""
                : "; the package is for " + NamesOf(NamesIn(folder)) + ", this machine is " + kArch;
        Refuse(kAclnnTiling,
               "operator package: %s is not there%s. Install a complete package for this machine",
               path.c_str(), other.c_str());
    }
    const std::string problem = CheckLibraryComplete(path);
    if (!problem.empty()) {
        Refuse(kAclnnTiling, "operator package: %s", problem.c_str());
    }
    std::string error;
    library->registrations = LoadRegistrations(path, &error);
    if (library->registrations == nullptr) {
        Refuse(kAclnnTiling,
               "operator package: %s cannot be loaded: %s. The twin needs packages that were "
               "built with its own headers, of this version: build %s again, or take it out of "
               "the search (ASCEND_CUSTOM_OPP_PATH, vendors/config.ini)",
               path.c_str(), error.c_str(), path_.c_str());
    }
}

OpRegistration OpPackage::FindIn(Library* library, const std::string& opType) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (library->registrations == nullptr) {
        Load(library);
    }
    OpRegistration found;
    try {
        found = library->registrations->Get(opType);
    } catch (const std::exception& error) {
        Refuse(kAclnnInner, "%s: its definition in %s threw: %s", opType.c_str(), path_.c_str(),
               error.what());
    } catch (...) {
        Refuse(kAclnnInner, "%s: its definition in %s threw what is no std::exception",
               opType.c_str(), path_.c_str());
    }
    if (found.model == nullptr) {
        Refuse(kAclnnTiling,
               "%s: %s of %s defines no such operator (OP_ADD), though the package lists it; "
               "build the package again",
               opType.c_str(), library->name, path_.c_str());
    }
    return found;
}

const Json& OpPackage::ReadKernels(const std::string& opType, const SocInfo& soc) {
    const auto known = kernels_.find(soc.shortName);
    if (known != kernels_.end()) {
        return known->second;
    }
    const std::string folder = path_ + kKernel + "config/";
    const std::string file = folder + soc.shortName + "/binary_info_config.json";
    if (!Exists(file)) {
        Refuse(kAclnnNoKernelPackage,
               "%s: %s has no kernels for the chip %s (%s): no %s; it has kernels for %s. "
               "Build the package for this chip too",
               opType.c_str(), path_.c_str(), soc.name, soc.shortName, file.c_str(),
               NamesOf(NamesIn(folder)).c_str());
    }
    Json read = ReadObject(file);
    return kernels_[soc.shortName] = std::move(read);
}

std::string OpPackage::FindKernel(const OpModel& model, size_t row, const SocInfo& soc) {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::string key = SimplifiedKey(model, row);
    const Json* const op = ReadKernels(model.type, soc).Find(model.type);
    const Json* const binary = op == nullptr ? nullptr : FindBinary(*op, key);
    if (binary == nullptr || binary->kind != Json::Kind::kString) {
        Refuse(op == nullptr ? kAclnnNoKernel : kAclnnJsonValue,
               "%s: no kernel: %s%sconfig/%s/binary_info_config.json has no binPath for %s; "
               "build the package again",
               model.type.c_str(), path_.c_str(), kKernel, soc.shortName, key.c_str());
    }
    return path_ + kKernel + binary->text;
}

}  // namespace twin::host
