// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <fstream>
#include <iterator>
#include <string>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

using twin::host::Fail;
using twin::host::Guard;
using twin::host::Runtime;

namespace {

/// A configuration switches on dumps and profiling, which the twin does not have; an empty one asks
/// for nothing.
int CheckConfig(const char* path) {
    std::ifstream file(path);
    if (!file) {
        return Fail(ACL_ERROR_INVALID_FILE,
                    "aclInit: configPath \"%s\" cannot be read; pass a readable JSON file or NULL",
                    path);
    }
    std::string text;
    for (std::istreambuf_iterator<char> at(file), end; at != end; ++at) {
        if (std::isspace(static_cast<unsigned char>(*at)) == 0) {
            text += *at;
        }
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
