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
    std::string path;    ///< absolute
    std::string origin;  ///< what names it: "ASCEND_CUSTOM_OPP_PATH", "/opp/vendors/config.ini"
};

/// All places in the toolkit's order: the paths of ASCEND_CUSTOM_OPP_PATH, the vendors of
/// ASCEND_OPP_PATH by load_priority, the vendors that come with the twin. Some may not exist. Each
/// call reads the environment.
std::vector<PackagePlace> FindPackagePlaces();

/// The contents of a file; false and a reason if it cannot be read.
bool ReadWholeFile(const std::string& path, std::string* text, std::string* reason);

/// Loads a library of op_host once. Returns what its initialisers registered, or nullptr with
/// `error` if it cannot be loaded.
std::shared_ptr<const OpRegistrations> LoadRegistrations(const std::string& path,
                                                         std::string* error);

/// One operator package, `vendors/<vendor>` in the toolkit's layout. Its files are read and its
/// libraries loaded when something of them is first needed, and stay loaded. What a function does
/// not find, it refuses. Thread safe.
class OpPackage {
public:
    /// The one object for a folder. The folder need not exist; then the package defines nothing.
    static OpPackage& At(const std::string& path);

    const std::string& Path() const { return path_; }
    /// Returns true if one of the package's lists of operators (aic-<soc>-ops-info.json) has the
    /// operator.
    bool Defines(const std::string& opType);
    bool HasLists();
    /// Definition and tiling, from libcust_opmaster_rt2.0.so.
    OpRegistration FindTiling(const std::string& opType) { return FindIn(&tiling_, opType); }
    /// Inference of shapes and dtypes, from libcust_opsproto_rt2.0.so.
    OpRegistration FindInference(const std::string& opType) { return FindIn(&inference_, opType); }
    /// Returns the path of the kernel for one row of a definition, by binary_info_config.json of
    /// the SoC.
    std::string FindKernel(const OpModel& model, size_t row, const SocInfo& soc);

    OpPackage(const OpPackage&) = delete;
    OpPackage& operator=(const OpPackage&) = delete;

private:
    /// A library of op_host.
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
    std::set<std::string> lists_;      ///< paths of the lists
    std::set<std::string> operators_;  ///< operator types in any of the lists
    Library tiling_{"op_impl/ai_core/tbe/op_tiling", "libcust_opmaster_rt2.0.so", nullptr};
    Library inference_{"op_proto", "libcust_opsproto_rt2.0.so", nullptr};
    std::map<std::string, Json> kernels_;  ///< binary_info_config.json by SoC
};

/// An operator of the first package that has it: definition, tiling and kernels are all from that
/// package, whatever later packages have.
struct Operator {
    OpRegistration registration;
    OpPackage* package;  ///< lives as long as the process
};

/// Searches the installed packages when an operator is first needed; the
/// result stays. Refuses an operator that no package has, and names the places. Thread safe.
std::shared_ptr<const Operator> FindOperator(const std::string& opType);

/// Tiling, and inference, of the program's own registrations (unit tests of op_host link them), or
/// else of the package with the operator. `error` has a sentence if there is neither.
bool FindTiling(const std::string& opType, OpFunctions* functions, std::string* error);
bool FindInference(const std::string& opType, OpFunctions* functions, std::string* error);

/// Kernels by name; the two libraries of a mix kernel are one entry.
using KernelImages = std::map<std::string, std::shared_ptr<const KernelImage>>;

/// Adds the kernels that a program or file contains to `images`, by instance (all instances of a
/// template have the same name). Returns "" or an error.
std::string LoadCarried(const std::vector<launch::Library>& libraries, KernelImages* images);

/// The kernels of a file by name. The file comes from compile_kernel, or from `cannery cc -shared`
/// with several kernels. Empty with `*error` if it is neither.
KernelImages LoadKernelFile(const std::string& path, std::string* error);

/// Returns a path under which the loader finds these bytes, or "" if that is impossible. The file
/// has no name and stays open, because the loader would confuse it with another file of the same
/// number.
std::string MemoryFile(const unsigned char* begin, const unsigned char* end);

}  // namespace twin::host
