// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <memory>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

using twin::host::Context;
using twin::host::Fail;
using twin::host::Guard;
using twin::host::Runtime;

namespace {

int CheckOption(const char* function, aclSysParamOpt option) {
    if (option == ACL_OPT_DETERMINISTIC) {
        return ACL_SUCCESS;
    }
    return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                "%s: opt is %d; the twin knows ACL_OPT_DETERMINISTIC (0) only", function,
                static_cast<int>(option));
}

}  // namespace

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) {
    return Guard("aclrtSetDevice", [&] { return Runtime::Instance().SetDevice(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
    return Guard("aclrtResetDevice", [&] { return Runtime::Instance().ResetDevice(deviceId); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
    return Guard("aclrtGetDevice", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice", deviceId);
        std::shared_ptr<Context> context;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtGetDevice", &context));
        *deviceId = context->device;
        return ACL_SUCCESS;
    });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount", count);
    *count = twin::host::kDeviceCount;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode", runMode);
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(void) {
    return Guard("aclrtSynchronizeDevice", [] {
        return Runtime::Instance().SynchronizeDevice("aclrtSynchronizeDevice", -1);
    });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    return Guard("aclrtSynchronizeDeviceWithTimeout", [&] {
        return Runtime::Instance().SynchronizeDevice("aclrtSynchronizeDeviceWithTimeout", timeout);
    });
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
    return Guard("aclrtSetDeviceSatMode", [&]() -> int {
        std::shared_ptr<Context> context;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtSetDeviceSatMode", &context));
        if (mode == ACL_RT_OVERFLOW_MODE_INFNAN) {
            return ACL_SUCCESS;
        }
        return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                    "aclrtSetDeviceSatMode: mode is %d; the twin computes with inf and NaN "
                    "(ACL_RT_OVERFLOW_MODE_INFNAN, 1) only",
                    static_cast<int>(mode));
    });
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
    return Guard("aclrtGetDeviceSatMode", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceSatMode", mode);
        std::shared_ptr<Context> context;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtGetDeviceSatMode", &context));
        *mode = ACL_RT_OVERFLOW_MODE_INFNAN;
        return ACL_SUCCESS;
    });
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    return Guard("aclrtCreateContext",
                 [&] { return Runtime::Instance().CreateContext(deviceId, context); });
}

aclError aclrtDestroyContext(aclrtContext context) {
    return Guard("aclrtDestroyContext",
                 [&] { return Runtime::Instance().DestroyContext(context); });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    return Guard("aclrtSetCurrentContext", [&] { return Runtime::Instance().SetCurrent(context); });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    return Guard("aclrtGetCurrentContext", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext", context);
        std::shared_ptr<Context> current;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtGetCurrentContext", &current));
        *context = current->handle;
        return ACL_SUCCESS;
    });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return Guard("aclrtCtxSetSysParamOpt", [&]() -> int {
        TWIN_RETURN_IF_ERROR(CheckOption("aclrtCtxSetSysParamOpt", opt));
        std::shared_ptr<Context> context;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtCtxSetSysParamOpt", &context));
        context->deterministic = value;
        return ACL_SUCCESS;
    });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return Guard("aclrtCtxGetSysParamOpt", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtCtxGetSysParamOpt", value);
        TWIN_RETURN_IF_ERROR(CheckOption("aclrtCtxGetSysParamOpt", opt));
        std::shared_ptr<Context> context;
        TWIN_RETURN_IF_ERROR(Runtime::Instance().Current("aclrtCtxGetSysParamOpt", &context));
        *value = context->deterministic;
        return ACL_SUCCESS;
    });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    TWIN_RETURN_IF_ERROR(CheckOption("aclrtSetSysParamOpt", opt));
    Runtime::Instance().deterministic = value;
    return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetSysParamOpt", value);
    TWIN_RETURN_IF_ERROR(CheckOption("aclrtGetSysParamOpt", opt));
    *value = Runtime::Instance().deterministic;
    return ACL_SUCCESS;
}

const char* aclrtGetSocName(void) {
    const char* name = nullptr;
    Guard("aclrtGetSocName", [&]() -> int {
        name = twin::host::CurrentSoc().name;
        return ACL_SUCCESS;
    });
    return name;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    return Guard("aclGetDeviceCapability", [&]() -> int {
        TWIN_RETURN_IF_NULL(ACL_ERROR_INVALID_PARAM, "aclGetDeviceCapability", value);
        if (deviceId >= static_cast<uint32_t>(twin::host::kDeviceCount)) {
            return Fail(ACL_ERROR_RT_INVALID_DEVICEID,
                        "aclGetDeviceCapability: deviceId is %" PRIu32
                        "; the twin has one device, so pass 0",
                        deviceId);
        }
        const twin::SocInfo& soc = twin::host::CurrentSoc();
        switch (deviceInfo) {
            case ACL_DEVICE_INFO_AI_CORE_NUM:
                *value = soc.aicCores;
                return ACL_SUCCESS;
            case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
                *value = soc.aivCores;
                return ACL_SUCCESS;
            case ACL_DEVICE_INFO_L2_SIZE:
                *value = static_cast<int64_t>(soc.l2Bytes);
                return ACL_SUCCESS;
            default:
                break;
        }
        return Fail(ACL_ERROR_INVALID_PARAM,
                    "aclGetDeviceCapability: deviceInfo is %d; expected 0, 1 or 2",
                    static_cast<int>(deviceInfo));
    });
}

}  // extern "C"
