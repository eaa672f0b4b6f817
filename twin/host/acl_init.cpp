// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

using twin::host::Fail;
using twin::host::Guard;
using twin::host::Runtime;

namespace {

/// A configuration turns on dumps and profiling, which the twin does not have; an empty one asks
/// for nothing.
int CheckConfig(const char* path) {
    struct stat status = {};
    // A pipe or a device would block, or never end.
    const bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    std::ifstream file;
    if (regular) {
        file.open(path);
    }
    if (!file.is_open()) {
        return Fail(ACL_ERROR_INVALID_FILE,
                    "aclInit: configPath \"%s\" cannot be read; pass a readable JSON file or NULL",
                    path);
    }
    constexpr size_t kEnough = 3;  // enough bytes to distinguish {} from anything else
    std::string text;
    for (char each = 0; text.size() < kEnough && file >> each;) {
        text += each;
    }
    if (text.empty() || text == "{}") {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_FEATURE_UNSUPPORTED,
                "aclInit: configPath \"%s\" holds settings; the twin knows none of them, so pass "
                "NULL or a file with {}",
                path);
}

}  // namespace

extern "C" {

aclError aclInit(const char* configPath) {
    return Guard("aclInit", [&]() -> int {
        if (configPath != nullptr && configPath[0] != '\0') {
            if (int status = CheckConfig(configPath)) {
                return status;
            }
        }
        return Runtime::Instance().Initialize();
    });
}

aclError aclFinalize(void) {
    return Guard("aclFinalize", [] { return Runtime::Instance().Finalize(); });
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
    if (majorVersion == nullptr || minorVersion == nullptr || patchVersion == nullptr) {
        return Fail(ACL_ERROR_INVALID_PARAM,
                    "aclrtGetVersion: majorVersion, minorVersion or patchVersion is null");
    }
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

const char* aclGetRecentErrMsg(void) { return twin::host::TakeRecentError(); }

aclError aclrtPeekAtLastError(aclrtLastErrLevel) { return twin::host::LastError(); }

aclError aclrtGetLastError(aclrtLastErrLevel) {
    const int status = twin::host::LastError();
    twin::host::ClearLastError();
    return status;
}

}  // extern "C"
