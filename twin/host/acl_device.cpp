// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <memory>

#include "acl/acl.h"
#include "core/cross_core.h"
#include "host/error.h"
#include "host/runtime.h"

using namespace twin::host;

namespace {

void CheckOption(const char* function, aclSysParamOpt option) {
    if (option != ACL_OPT_DETERMINISTIC) {
        Refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
               "%s: opt is %d; the twin knows ACL_OPT_DETERMINISTIC (0) only", function,
               static_cast<int>(option));
    }
}

}  // namespace

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) {
    return Guard("aclrtSetDevice", [&] { Runtime::Instance().SetDevice(deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
    return Guard("aclrtResetDevice", [&] { Runtime::Instance().ResetDevice(deviceId); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
    return Guard("aclrtGetDevice", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice", deviceId);
        *deviceId = Runtime::Instance().Current("aclrtGetDevice")->device;
    });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    return Guard("aclrtGetDeviceCount", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount", count);
        *count = kDeviceCount;
    });
}

aclError aclrtGetHardwareSyncAddr(void** addr) {
    return Guard("aclrtGetHardwareSyncAddr", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetHardwareSyncAddr", addr);
        *addr = reinterpret_cast<void*>(twin::kHardwareSyncAddress);
    });
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    return Guard("aclrtGetRunMode", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode", runMode);
        *runMode = ACL_HOST;
    });
}

aclError aclrtSynchronizeDevice(void) {
    return Guard("aclrtSynchronizeDevice",
                 [] { Runtime::Instance().SynchronizeDevice("aclrtSynchronizeDevice", -1); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
    return Guard("aclrtSynchronizeDeviceWithTimeout", [&] {
        Runtime::Instance().SynchronizeDevice("aclrtSynchronizeDeviceWithTimeout", timeout);
    });
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode) {
    return Guard("aclrtSetDeviceSatMode", [&] {
        Runtime::Instance().Current("aclrtSetDeviceSatMode");
        if (mode != ACL_RT_OVERFLOW_MODE_INFNAN) {
            Refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "aclrtSetDeviceSatMode: mode is %d; the twin computes with inf and NaN "
                   "(ACL_RT_OVERFLOW_MODE_INFNAN, 1) only",
                   static_cast<int>(mode));
        }
    });
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
    return Guard("aclrtGetDeviceSatMode", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceSatMode", mode);
        Runtime::Instance().Current("aclrtGetDeviceSatMode");
        *mode = ACL_RT_OVERFLOW_MODE_INFNAN;
    });
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    return Guard("aclrtCreateContext",
                 [&] { Runtime::Instance().CreateContext(deviceId, context); });
}

aclError aclrtDestroyContext(aclrtContext context) {
    return Guard("aclrtDestroyContext", [&] { Runtime::Instance().DestroyContext(context); });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    return Guard("aclrtSetCurrentContext", [&] { Runtime::Instance().SetCurrent(context); });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    return Guard("aclrtGetCurrentContext", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext", context);
        *context = Runtime::Instance().Current("aclrtGetCurrentContext")->handle;
    });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return Guard("aclrtCtxSetSysParamOpt", [&] {
        CheckOption("aclrtCtxSetSysParamOpt", opt);
        Runtime::Instance().Current("aclrtCtxSetSysParamOpt")->deterministic = value;
    });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return Guard("aclrtCtxGetSysParamOpt", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtCtxGetSysParamOpt", value);
        CheckOption("aclrtCtxGetSysParamOpt", opt);
        *value = Runtime::Instance().Current("aclrtCtxGetSysParamOpt")->deterministic;
    });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
    return Guard("aclrtSetSysParamOpt", [&] {
        CheckOption("aclrtSetSysParamOpt", opt);
        Runtime::Instance().deterministic = value;
    });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
    return Guard("aclrtGetSysParamOpt", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclrtGetSysParamOpt", value);
        CheckOption("aclrtGetSysParamOpt", opt);
        *value = Runtime::Instance().deterministic;
    });
}

const char* aclrtGetSocName(void) {
    const char* name = nullptr;
    Guard("aclrtGetSocName", [&] { name = CurrentSoc().name; });
    return name;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    return Guard("aclGetDeviceCapability", [&] {
        TWIN_REFUSE_NULL(ACL_ERROR_INVALID_PARAM, "aclGetDeviceCapability", value);
        if (deviceId >= static_cast<uint32_t>(kDeviceCount)) {
            Refuse(ACL_ERROR_RT_INVALID_DEVICEID,
                   "aclGetDeviceCapability: deviceId is %" PRIu32
                   "; the twin has one device, so pass 0",
                   deviceId);
        }
        const twin::SocInfo& soc = CurrentSoc();
        switch (deviceInfo) {
            case ACL_DEVICE_INFO_AI_CORE_NUM:
                *value = soc.aicCores;
                return;
            case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
                *value = soc.aivCores;
                return;
            case ACL_DEVICE_INFO_L2_SIZE:
                *value = static_cast<int64_t>(soc.l2Bytes);
                return;
            default:
                Refuse(ACL_ERROR_INVALID_PARAM,
                       "aclGetDeviceCapability: deviceInfo is %d; expected 0, 1 or 2",
                       static_cast<int>(deviceInfo));
        }
    });
}

}  // extern "C"
