// SPDX-License-Identifier: Apache-2.0
// Kernels launched by hand: aclrtBinaryLoadFromFile, aclrtBinaryGetFunction, aclrtLaunchKernel.
#include <numeric>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl_session.h"
#include "check.h"
#include "probe/probe_tiling.h"

namespace {

std::string kernelFile;

struct Loaded {
    Loaded() {
        CHECK_EQ(aclrtBinaryLoadFromFile(kernelFile.c_str(), nullptr, &binary), ACL_SUCCESS);
    }
    ~Loaded() { aclrtBinaryUnLoad(binary); }
    aclrtBinHandle binary = nullptr;
};

}  // namespace

TEST(AKernelRunsOnRegisteredHostMemory) {
    AclSession session;
    Loaded loaded;
    aclrtFuncHandle function = nullptr;
    CHECK_EQ(aclrtBinaryGetFunction(loaded.binary, "host_probe", &function), ACL_SUCCESS);
    std::vector<float> x(500);
    std::vector<float> out(500, 0.0f);
    std::iota(x.begin(), x.end(), 0.0f);
    ProbeTiling tiling = {500, kProbeCopy, 0};
    CHECK_EQ(aclrtHostRegisterV2(x.data(), 2000, ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY),
             ACL_SUCCESS);
    void* outDevice = nullptr;
    CHECK_EQ(aclrtHostRegister(out.data(), 2000, ACL_HOST_REGISTER_MAPPED, &outDevice),
             ACL_SUCCESS);
    CHECK_EQ(
        aclrtHostRegisterV2(&tiling, sizeof(tiling), ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY),
        ACL_SUCCESS);
    void* args[] = {x.data(), nullptr, outDevice, nullptr, &tiling};
    CHECK_EQ(aclrtLaunchKernel(function, 1, args, sizeof(args), session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    CHECK(out == x);
    tiling.mode = kProbeWriteInput;
    CHECK_EQ(aclrtLaunchKernel(function, 1, args, sizeof(args), session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    CHECK(MessageHas("read-only"));
    for (void* memory : {static_cast<void*>(x.data()), outDevice, static_cast<void*>(&tiling)}) {
        CHECK_EQ(aclrtHostUnregister(memory), ACL_SUCCESS);
    }
}

TEST(NamesSelectTilingKeys) {
    AclSession session;
    Loaded loaded;
    aclrtFuncHandle function = nullptr;
    CHECK_EQ(aclrtBinaryGetFunction(loaded.binary, "host_probe_11000000000000000003", &function),
             ACL_SUCCESS);
    for (const char* name : {"", "host", "host_probe_", "host_probe_x1", "host_probe_-1",
                             "host_probe_99999999999999999999"}) {
        CHECK_EQ(aclrtBinaryGetFunction(loaded.binary, name, &function),
                 ACL_ERROR_RT_PARAM_INVALID);
    }
    CHECK(MessageHas("holds \"host_probe\""));
}

TEST(LaunchesAreChecked) {
    AclSession session;
    aclrtFuncHandle function = nullptr;
    void* args[5] = {};
    {
        Loaded loaded;
        CHECK_EQ(aclrtBinaryGetFunction(loaded.binary, "host_probe", &function), ACL_SUCCESS);
        CHECK_EQ(aclrtLaunchKernel(function, 1, args, 32, session.stream),
                 ACL_ERROR_RT_PARAM_INVALID);
        CHECK(MessageHas("takes 5 arguments, got 4"));
        CHECK_EQ(aclrtLaunchKernel(function, 0, args, 40, session.stream),
                 ACL_ERROR_RT_PARAM_INVALID);
        CHECK_EQ(aclrtLaunchKernel(nullptr, 1, args, 40, session.stream), ACL_ERROR_INVALID_PARAM);
        CHECK_EQ(aclrtLaunchKernel(function, 1, nullptr, 40, session.stream),
                 ACL_ERROR_INVALID_PARAM);
    }
    CHECK_EQ(aclrtLaunchKernel(function, 1, args, 40, session.stream), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST(MissingFilesAreNamed) {
    AclSession session;
    aclrtBinHandle binary = nullptr;
    CHECK_EQ(aclrtBinaryLoadFromFile("no/such/kernel.so", nullptr, &binary),
             ACL_ERROR_INVALID_FILE);
    CHECK(MessageHas("no/such/kernel.so"));
    CHECK_EQ(aclrtBinaryLoadFromFile(nullptr, nullptr, &binary), ACL_ERROR_INVALID_PARAM);
}

/// kernel_test <kernel file> [filter]
int main(int argc, char** argv) {
    if (argc < 2) {
        return 2;
    }
    kernelFile = argv[1];
    return check::RunTests(argc - 1, argv + 1);
}
