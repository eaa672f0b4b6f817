// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_PACKAGE_H
#define TWIN_HOST_OP_PACKAGE_H

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "host/json.h"
#include "host/op_model.h"
#include "host/op_registrations.h"
#include "soc/soc.h"

namespace twin::host {

/// Loads a library of op_host once. Returns what its initialisers registered, or nullptr with
/// `error` if it cannot be loaded.
std::shared_ptr<const OpRegistrations> LoadRegistrations(const std::string& path,
                                                         std::string* error);

/// One operator package, `vendors/<vendor>` in the toolkit's layout. Its files are read and its
/// libraries loaded when something of them is first needed, and stay loaded. Functions that return
/// a status leave a sentence. Thread safe.
class OpPackage {
public:
    /// The one object for a folder. The folder need not exist; then the package defines nothing.
    static OpPackage& At(const std::string& path);

    const std::string& Path() const { return path_; }
    /// True if one of the package's lists of operators (aic-<soc>-ops-info.json) has the operator.
    int Defines(const std::string& opType, bool* defines);
    /// True if there is any such list.
    bool HasLists();
    /// Definition and tiling, from libcust_opmaster_rt2.0.so.
    int FindTiling(const std::string& opType, OpRegistration* found);
    /// Inference of shapes and dtypes, from libcust_opsproto_rt2.0.so.
    int FindInference(const std::string& opType, OpRegistration* found);
    /// The kernel for one row of a definition, by binary_info_config.json of the SoC.
    int FindKernel(const OpModel& model, size_t row, const SocInfo& soc, std::string* path);

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
    int ReadLists();
    int Load(Library* library);
    int FindIn(Library* library, const std::string& opType, OpRegistration* found);
    int ReadKernels(const std::string& opType, const SocInfo& soc, const Json** config);

    const std::string path_;
    std::mutex mutex_;
    bool listsRead_ = false;
    std::set<std::string> lists_;      ///< paths of the lists
    std::set<std::string> operators_;  ///< operator types in any of the lists
    Library tiling_{"op_impl/ai_core/tbe/op_tiling", "libcust_opmaster_rt2.0.so", nullptr};
    Library inference_{"op_proto", "libcust_opsproto_rt2.0.so", nullptr};
    std::map<std::string, Json> kernels_;  ///< binary_info_config.json by SoC
};

}  // namespace twin::host

#endif  // TWIN_HOST_OP_PACKAGE_H
