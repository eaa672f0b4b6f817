// SPDX-License-Identifier: Apache-2.0
// Tests of devices, contexts, handles and statuses. A process calls aclInit and aclFinalize once,
// so the tests have a fixed order.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl/acl.h"
#include "acl_session.h"
#include "check.h"

TEST(NothingWorksBeforeInit) {
    aclrtStream stream = nullptr;
    void* memory = nullptr;
    CHECK_EQ(aclrtCreateStream(&stream), ACL_ERROR_UNINITIALIZE);
    CHECK(MessageHas("aclInit"));
    CHECK_EQ(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_UNINITIALIZE);
    CHECK_EQ(aclFinalize(), ACL_ERROR_UNINITIALIZE);
}

TEST(InitTakesAReadableEmptyConfigOnce) {
    CHECK_EQ(aclInit("no/such/file.json"), ACL_ERROR_INVALID_FILE);
    CHECK(MessageHas("no/such/file.json"));
    for (const char* const endless : {"/", "/dev/zero"}) {
        CHECK_EQ(aclInit(endless), ACL_ERROR_INVALID_FILE);
        CHECK(MessageHas("cannot be read"));
    }
    CHECK_EQ(aclInit("/proc/self/status"), ACL_ERROR_FEATURE_UNSUPPORTED);
    CHECK_EQ(aclInit(nullptr), ACL_SUCCESS);
    CHECK_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
}

TEST(DeviceNumbersAreChecked) {
    uint32_t count = 0;
    CHECK_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
    CHECK_EQ(count, 1u);
    void* flags = nullptr;
    CHECK_EQ(aclrtGetHardwareSyncAddr(&flags), ACL_SUCCESS);
    CHECK(flags != nullptr);
    CHECK_EQ(aclrtSetDevice(1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK(MessageHas("deviceId is 1"));
    CHECK_EQ(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_NULL);
    int32_t device = -1;
    CHECK_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    CHECK_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    CHECK_EQ(device, 0);
    CHECK_EQ(aclrtGetDevice(nullptr), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    CHECK_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
}

TEST(UnknownChipIsNamed) {
    setenv("CANNERY_SOC", "Ascend911", 1);
    CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_INVALID_PARAM);
    CHECK(MessageHas("Ascend911"));
    CHECK(aclrtGetSocName() == nullptr);
    setenv("CANNERY_SOC", "Ascend910B4", 1);
    CHECK_EQ(std::strcmp(aclrtGetSocName(), "Ascend910B4"), 0);
    int64_t cores = 0;
    CHECK_EQ(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &cores), ACL_SUCCESS);
    CHECK_EQ(cores, 40);
    CHECK_EQ(aclGetDeviceCapability(3, ACL_DEVICE_INFO_L2_SIZE, &cores),
             ACL_ERROR_RT_INVALID_DEVICEID);
    unsetenv("CANNERY_SOC");
}

TEST(StreamsBelongToTheirContext) {
    AclSession session;
    aclrtContext first = nullptr;
    aclrtContext second = nullptr;
    aclrtStream stream = nullptr;
    CHECK_EQ(aclrtGetCurrentContext(&first), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateContext(&second, 0), ACL_SUCCESS);
    CHECK_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSetCurrentContext(first), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtDestroyContext(first), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDestroyContext(second), ACL_SUCCESS);
    CHECK_EQ(aclrtDestroyContext(second), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(ThreadsNeedAContext) {
    AclSession session;
    std::thread([&] {
        CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_CONTEXT_NULL);
        CHECK(MessageHas("aclrtSetDevice"));
        CHECK_EQ(aclrtSetDevice(0), ACL_SUCCESS);
        CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
        CHECK_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    }).join();
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
}

TEST(WildHandlesAreRefused) {
    AclSession session;
    int here = 0;
    aclrtStream gone = nullptr;
    CHECK_EQ(aclrtCreateStream(&gone), ACL_SUCCESS);
    CHECK_EQ(aclrtDestroyStream(gone), ACL_SUCCESS);
    CHECK_EQ(aclrtDestroyStream(gone), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtSynchronizeStream(&here), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
    CHECK_EQ(aclrtDestroyEvent(&here), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtSetCurrentContext(&here), ACL_ERROR_RT_CONTEXT_NULL);
    CHECK_EQ(aclrtBinaryUnLoad(&here), ACL_ERROR_RT_INVALID_HANDLE);
    CHECK_EQ(aclrtLaunchKernel(&here, 1, nullptr, 0, session.stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(NullStreamIsTheDefaultStream) {
    AclSession session;
    CHECK_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    CHECK_EQ(aclrtStreamQuery(nullptr, &status), ACL_SUCCESS);
    CHECK_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST(ErrorsAreTakenOnce) {
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    while (aclGetRecentErrMsg() != nullptr) {
    }
    CHECK_EQ(aclrtSetDevice(7), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    CHECK_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    CHECK(aclGetRecentErrMsg() != nullptr);
    CHECK(aclGetRecentErrMsg() == nullptr);
    ACL_APP_LOG(ACL_ERROR, "rule %d broken", 7);
    CHECK_EQ(Message(), "rule 7 broken");
    ACL_APP_LOG(ACL_INFO, "chatter");
    CHECK(aclGetRecentErrMsg() == nullptr);
}

TEST(SaturationModeIsRefused) {
    AclSession session;
    aclrtFloatOverflowMode mode = ACL_RT_OVERFLOW_MODE_UNDEF;
    CHECK_EQ(aclrtGetDeviceSatMode(&mode), ACL_SUCCESS);
    CHECK_EQ(mode, ACL_RT_OVERFLOW_MODE_INFNAN);
    CHECK_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), ACL_SUCCESS);
    CHECK_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION),
             ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST(HalfConversionsRoundTrip) {
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const auto half = static_cast<aclFloat16>(bits);
        const float value = aclFloat16ToFloat(half);
        if (std::isnan(value)) {
            CHECK(std::isnan(aclFloat16ToFloat(aclFloatToFloat16(value))));
        } else {
            CHECK_EQ(aclFloatToFloat16(value), half);
        }
    }
    CHECK_EQ(aclFloatToFloat16(65519.0f), 0x7bff);
    CHECK_EQ(aclFloatToFloat16(65520.0f), 0x7c00);
    CHECK_EQ(aclFloatToFloat16(std::ldexp(1.0f, -25)), 0);  // a tie is rounded to even
    CHECK_EQ(aclFloatToFloat16(std::ldexp(1.5f, -25)), 1);
    CHECK_EQ(aclFloatToFloat16(1.0f + std::ldexp(1.0f, -11)), 0x3c00);
    CHECK_EQ(aclFloatToFloat16(1.0f + std::ldexp(3.0f, -11)), 0x3c02);
    CHECK_EQ(aclDataTypeSize(ACL_BF16), 2u);
    CHECK_EQ(aclDataTypeSize(ACL_INT4), 0u);
}

TEST(NothingWorksAfterFinalize) {
    CHECK_EQ(aclFinalize(), ACL_SUCCESS);
    CHECK_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    CHECK_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
    CHECK_EQ(aclrtSetDevice(0), ACL_ERROR_UNINITIALIZE);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
