// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <string>

#include "acl/acl.h"
#include "core/float16.h"
#include "core/formatted.h"
#include "core/settings.h"
#include "host/error.h"
#include "host/op_call.h"
#include "host/runtime.h"

extern "C" {

float aclFloat16ToFloat(aclFloat16 value) {
    constexpr int kBias = 15;
    constexpr int kMantissaBits = 10;
    const int exponent = (value >> kMantissaBits) & 0x1f;
    const int mantissa = value & 0x3ff;
    float magnitude;
    if (exponent == 0x1f) {
        magnitude = mantissa == 0 ? INFINITY : NAN;
    } else if (exponent == 0) {
        magnitude = std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissaBits);
    } else {
        magnitude =
            std::ldexp(static_cast<float>(mantissa + 0x400), exponent - kBias - kMantissaBits);
    }
    return std::copysign(magnitude, (value & 0x8000) != 0 ? -1.0f : 1.0f);
}

aclFloat16 aclFloatToFloat16(float value) {
    // NaN keeps its sign, but not the bits of its payload.
    return twin::FloatToHalf(std::isnan(value) ? std::copysign(NAN, value) : value);
}

size_t aclDataTypeSize(aclDataType dataType) {
    switch (dataType) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
            return 1;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16:
            return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_COMPLEX32:
            return 4;
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_DOUBLE:
        case ACL_COMPLEX64:
            return 8;
        case ACL_COMPLEX128:
            return 16;
        default:
            return 0;
    }
}

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line,
               const char* fmt, ...) {
    static const char* const kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    const bool isError = logLevel == ACL_ERROR;
    const bool printed = twin::host::LogWanted(logLevel);
    if (fmt == nullptr || logLevel < ACL_DEBUG || logLevel > ACL_ERROR || !(isError || printed)) {
        return;
    }
    va_list arguments;
    va_start(arguments, fmt);
    const std::string text = twin::Formatted(fmt, arguments);
    va_end(arguments);
    if (isError) {
        twin::host::SetRecentError("%s", text.c_str());
    }
    if (printed) {
        std::printf("[%s] %s (%s at %s:%u)\n", kNames[logLevel], text.c_str(),
                    func == nullptr ? "?" : func, file == nullptr ? "?" : file, line);
        std::fflush(stdout);
    }
}

}  // extern "C"

using namespace twin::host;

namespace {

/// Refuses a configuration that is not empty: the twin has no dumps and no profiling of acl.
void CheckConfig(const char* path) {
    struct stat status = {};
    // Accepts only a regular file: reading a FIFO or a device file could block or never end.
    const bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    std::ifstream file;
    if (regular) {
        file.open(path);
    }
    if (!file.is_open()) {
        Refuse(ACL_ERROR_INVALID_FILE,
               "aclInit: configPath \"%s\" cannot be read; pass a readable JSON file or NULL",
               path);
    }
    constexpr size_t kEnough = 3;  // enough bytes to distinguish {} from anything else
    std::string text;
    for (char each = 0; text.size() < kEnough && file >> each;) {
        text += each;
    }
    if (!text.empty() && text != "{}") {
        Refuse(ACL_ERROR_FEATURE_UNSUPPORTED,
               "aclInit: configPath \"%s\" holds settings; the twin knows none of them, so pass "
               "NULL or a file with {}",
               path);
    }
}

}  // namespace

extern "C" {

aclError aclInit(const char* configPath) {
    return Guard("aclInit", [&] {
        if (configPath != nullptr && configPath[0] != '\0') {
            CheckConfig(configPath);
        }
        Runtime::Instance().Initialize();
    });
}

aclError aclFinalize(void) {
    return Guard("aclFinalize", [] { Runtime::Instance().Finalize(); });
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

namespace twin::host {
namespace {

thread_local const SocInfo* tSoc = nullptr;

}  // namespace

const SocInfo& CurrentSoc() {
    return tSoc != nullptr ? *tSoc : *FindSoc(Settings::FromEnvironment().soc.c_str());
}

SocScope::SocScope(const SocInfo* soc) : before_(tSoc) { tSoc = soc; }

SocScope::~SocScope() { tSoc = before_; }

const SocInfo* SocScope::Chip() { return tSoc; }

}  // namespace twin::host
