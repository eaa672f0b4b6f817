// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/kernel_image.h"
#include "core/launch_site.h"
#include "host/op_model.h"
#include "host/op_registrations.h"
#include "soc/soc.h"

namespace twin::host {

/// A folder that is an operator package, or should be one.
struct PackagePlace {
    std::string path;    ///< absolute path
    std::string origin;  ///< where the path was found: "ASCEND_CUSTOM_OPP_PATH" or a config.ini
};

/// Returns the package folders in the toolkit's order: the paths of ASCEND_CUSTOM_OPP_PATH, the
/// vendors of ASCEND_OPP_PATH by load_priority, the twin's own vendors. Each call reads the
/// environment. Some of the folders may not exist.
std::vector<PackagePlace> FindPackagePlaces();

/// Reads a file into `text`; returns false and a reason if it cannot be read.
bool ReadWholeFile(const std::string& path, std::string* text, std::string* reason);

/// Loads a library of op_host once. Returns what its initialisers registered, or nullptr with
/// `error` if it cannot be loaded.
std::shared_ptr<const OpRegistrations> LoadRegistrations(const std::string& path,
                                                         std::string* error);

/// One operator package, `vendors/<vendor>` in the toolkit's layout. Reads each file and loads each
/// library once, at the first use. A function refuses an operator, file or library that it does not
/// find. Thread safe.
class OpPackage {
public:
    /// Returns the object for a folder. If the folder does not exist, the package defines nothing.
    static OpPackage& At(const std::string& path);

    const std::string& Path() const { return path_; }
    /// Returns true if a list of the package (aic-<soc>-ops-info.json) has the operator.
    bool Defines(const std::string& opType);
    bool HasLists();
    /// Returns the definition and tiling of an operator, from libcust_opmaster_rt2.0.so.
    OpRegistration FindTiling(const std::string& opType) { return FindIn(&tiling_, opType); }
    /// Returns the inference of shapes and dtypes, from libcust_opsproto_rt2.0.so.
    OpRegistration FindInference(const std::string& opType) { return FindIn(&inference_, opType); }
    /// Returns the path of the kernel for row `row` of the definition (dtypes and formats).
    std::string FindKernel(const OpModel& model, size_t row, const SocInfo& soc);

    OpPackage(const OpPackage&) = delete;
    OpPackage& operator=(const OpPackage&) = delete;

private:
    /// A library of host functions (op_host).
    struct Library {
        const char* folder;
        const char* name;
        std::shared_ptr<const OpRegistrations> registrations;  ///< nullptr: not loaded
    };

    explicit OpPackage(std::string path) : path_(std::move(path)) {}
    void ReadLists();
    void Load(Library* library);
    OpRegistration FindIn(Library* library, const std::string& opType);
    const Json& ReadKernels(const std::string& opType, const SocInfo& soc);

    const std::string path_;
    std::mutex mutex_;
    bool listsRead_ = false;
    std::set<std::string> lists_;      ///< paths of the files aic-<soc>-ops-info.json
    std::set<std::string> operators_;  ///< operators in at least one of these files
    Library tiling_{"op_impl/ai_core/tbe/op_tiling", "libcust_opmaster_rt2.0.so", nullptr};
    Library inference_{"op_proto", "libcust_opsproto_rt2.0.so", nullptr};
    std::map<std::string, Json> kernels_;  ///< contents of binary_info_config.json, by SoC
};

/// An operator of the first package that has it. Definition, tiling and kernels are all from that
/// package, even if later packages have the operator, too.
struct Operator {
    OpRegistration registration;
    OpPackage* package;  ///< exists until the process ends
};

/// Returns an operator of the installed packages; only the first call for an operator searches.
/// Refuses an operator that no package has, and names the folders. Thread safe.
std::shared_ptr<const Operator> FindOperator(const std::string& opType);

/// Finds the tiling or inference functions that the program itself registers (as unit tests of
/// op_host do), else a package's functions. Returns false and a sentence if it finds no function.
bool FindTiling(const std::string& opType, OpFunctions* functions, std::string* error);
bool FindInference(const std::string& opType, OpFunctions* functions, std::string* error);

/// Kernels by name; the two libraries of a mix kernel are one entry.
using KernelImages = std::map<std::string, std::shared_ptr<const KernelImage>>;

/// Adds the kernels that a program or file contains to `images`. The keys are names of instances,
/// because all instances of a template have the same kernel name. Returns "" or an error.
std::string LoadCarried(const std::vector<launch::Library>& libraries, KernelImages* images);

/// Returns the kernels of a file by name. The file comes from compile_kernel, or from `cannery cc
/// -shared` with several kernels. Returns no kernel and an error for any other file.
KernelImages LoadKernelFile(const std::string& path, std::string* error);

/// Writes bytes to an unnamed file; returns its path for dlopen, or "" after a failure. The file
/// stays open. Otherwise a later file gets the same path, and dlopen returns the old library.
std::string MemoryFile(const unsigned char* begin, const unsigned char* end);

}  // namespace twin::host
