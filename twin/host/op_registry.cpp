// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

#include "host/error.h"
#include "host/op_package.h"

namespace twin::host {
namespace {

struct FoundOperators {
    std::mutex mutex;
    std::map<std::string, std::shared_ptr<const Operator>> byType;
};

[[noreturn]] void NotFound(const std::string& opType, const std::vector<PackagePlace>& places) {
    std::string looked;
    bool any = false;
    for (const PackagePlace& place : places) {
        const bool there = access(place.path.c_str(), F_OK) == 0;
        const bool package = OpPackage::At(place.path).HasLists();
        any = any || package;
        looked += "\n  " + place.path + " (from " + place.origin + ")";
        looked += !there     ? ": is not there"
                  : !package ? ": is no package, it has no op_impl/ai_core/tbe/config/<soc>/"
                               "aic-<soc>-ops-info.json"
                             : "";
    }
    Refuse(any ? kAclnnNoKernel : kAclnnNoPackage,
           "%s: no operator package has this operator; install one that does, or name its "
           "folder vendors/<vendor> in ASCEND_CUSTOM_OPP_PATH. Looked at:%s",
           opType.c_str(), looked.empty() ? " nothing" : looked.c_str());
}

/// Returns the first installed package that has the operator.
OpPackage& FindPackage(const std::string& opType) {
    const std::vector<PackagePlace> places = FindPackagePlaces();
    for (const PackagePlace& place : places) {
        OpPackage& candidate = OpPackage::At(place.path);
        // A damaged package ends the search with an error, because it may define the operator.
        if (candidate.Defines(opType)) {
            return candidate;
        }
    }
    NotFound(opType, places);
}

/// Runs a search; returns false and the error's text if the search throws Refused.
template <typename Search>
bool Finds(const Search& search, std::string* error) {
    try {
        search();
        return true;
    } catch (const Refused&) {
        *error = TakeSentence();
        return false;
    }
}

constexpr char kCustomVariable[] = "ASCEND_CUSTOM_OPP_PATH";
constexpr char kOppVariable[] = "ASCEND_OPP_PATH";
constexpr char kPriority[] = "load_priority";

/// Splits `text` and returns the parts that are not empty.
std::vector<std::string> Split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        if (!part.empty()) {
            parts.push_back(part);
        }
    }
    return parts;
}

std::string Trim(const std::string& text) {
    static const char kSpaces[] = " \t\r";
    const size_t first = text.find_first_not_of(kSpaces);
    return first == std::string::npos
               ? ""
               : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::string Absolute(const std::string& path) {
    char* const here = path[0] == '/' ? nullptr : getcwd(nullptr, 0);
    std::string absolute = here == nullptr ? path : std::string(here) + "/" + path;
    free(here);
    while (absolute.size() > 1 && absolute.back() == '/') {
        absolute.pop_back();
    }
    return absolute;
}

/// Returns the folder of the twin's own vendors, next to the folder of this library.
std::string BuiltInOpp() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&FindPackagePlaces), &info) == 0) {
        return "";
    }
    char* const resolved = realpath(info.dli_fname, nullptr);
    std::string path = resolved != nullptr ? resolved : "";
    free(resolved);
    for (int level = 0; level < 2 && !path.empty(); ++level) {
        path.erase(path.rfind('/'));
    }
    return path + "/opp";
}

/// Returns the vendors in load_priority of a config.ini.
std::vector<std::string> ReadPriority(const std::string& file) {
    std::string text;
    std::string reason;
    if (!ReadWholeFile(file, &text, &reason)) {
        Refuse(kAclnnNoPackage,
               "operator packages: %s cannot be read (%s); it says which vendors are installed. "
               "Mend it, or install a package again",
               file.c_str(), reason.c_str());
    }
    for (const std::string& line : Split(text, '\n')) {
        const size_t equals = line.find('=');
        if (equals == std::string::npos || Trim(line.substr(0, equals)) != kPriority) {
            continue;
        }
        std::vector<std::string> vendors = Split(Trim(line.substr(equals + 1)), ',');
        for (std::string& vendor : vendors) {
            vendor = Trim(vendor);
            if (vendor.empty() || vendor.find('/') != std::string::npos || vendor[0] == '.') {
                Refuse(kAclnnNoPackage,
                       "operator packages: %s names the vendor \"%s\"; expected the name of a "
                       "folder beside it",
                       file.c_str(), vendor.c_str());
            }
        }
        return vendors;
    }
    Refuse(kAclnnNoPackage,
           "operator packages: %s has no line %s=<vendor>,<vendor>; mend it, or install a package "
           "again",
           file.c_str(), kPriority);
}

/// Adds the installed vendors of a folder; without config.ini, nothing is installed there.
void AddVendors(const std::string& opp, std::vector<PackagePlace>* places) {
    const std::string folder = opp + "/vendors/";
    const std::string file = folder + "config.ini";
    struct stat status = {};
    if (stat(file.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
        return;
    }
    for (const std::string& vendor : ReadPriority(file)) {
        places->push_back({folder + vendor, file});
    }
}

}  // namespace

std::shared_ptr<const Operator> FindOperator(const std::string& opType) {
    // One search runs at a time, so that the libraries of a package are loaded once.
    static auto* const found = new FoundOperators;
    std::lock_guard<std::mutex> lock(found->mutex);
    std::shared_ptr<const Operator>& known = found->byType[opType];
    if (known == nullptr) {
        OpPackage& package = FindPackage(opType);
        known = std::make_shared<const Operator>(Operator{package.FindTiling(opType), &package});
    }
    return known;
}

bool FindTiling(const std::string& opType, OpFunctions* functions, std::string* error) {
    OpRegistration registration;
    const auto search = [&] { registration = FindOperator(opType)->registration; };
    const bool known = FindInProgram(opType, &registration) || Finds(search, error);
    *functions = registration.functions;
    return known;
}

bool FindInference(const std::string& opType, OpFunctions* functions, std::string* error) {
    OpRegistration registration;
    const auto search = [&] {
        registration = FindOperator(opType)->package->FindInference(opType);
    };
    const bool known = FindInProgram(opType, &registration) || Finds(search, error);
    *functions = registration.functions;
    return known;
}

bool ReadWholeFile(const std::string& path, std::string* text, std::string* reason) {
    // O_NONBLOCK, because opening a FIFO would wait for a writer.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status = {};
    if (file >= 0 && fstat(file, &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode)) {
        close(file);
        *reason = "is no file";
        return false;
    }
    char part[4096];
    ssize_t bytes = file < 0 ? -1 : read(file, part, sizeof(part));
    for (; bytes > 0; bytes = read(file, part, sizeof(part))) {
        text->append(part, static_cast<size_t>(bytes));
    }
    *reason = bytes < 0 ? std::strerror(errno) : "";
    if (file >= 0) {
        close(file);
    }
    return bytes == 0;
}

std::vector<PackagePlace> FindPackagePlaces() {
    std::vector<PackagePlace> places;
    if (const char* const custom = getenv(kCustomVariable)) {
        for (const std::string& path : Split(custom, ':')) {
            places.push_back({Absolute(path), kCustomVariable});
        }
    }
    const char* const opp = getenv(kOppVariable);
    if (opp != nullptr && *opp != '\0') {
        AddVendors(Absolute(opp), &places);
    }
    AddVendors(BuiltInOpp(), &places);
    return places;
}

}  // namespace twin::host
