// SPDX-License-Identifier: Apache-2.0
// Tests of aclrtBinaryLoadFromFile, aclrtBinaryGetFunction and aclrtLaunchKernel.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
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

TEST(FilesThatAreNoKernelAreRefused) {
    AclSession session;
    aclrtBinHandle binary = nullptr;
    const std::string pipe = kernelFile + ".pipe";
    CHECK_EQ(mkfifo(pipe.c_str(), 0600), 0);
    for (const char* const path : {pipe.c_str(), "/", "/dev/zero"}) {
        CHECK_EQ(aclrtBinaryLoadFromFile(path, nullptr, &binary), ACL_ERROR_INVALID_FILE);
        CHECK(MessageHas("is no file"));
    }
    unlink(pipe.c_str());
}

TEST(KernelsThatWereCutShortAreRefused) {
    AclSession session;
    std::ifstream whole(kernelFile, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(whole)), {});
    aclrtBinHandle binary = nullptr;
    const std::string path = kernelFile + ".cut";
    for (const size_t part : {size_t{0}, size_t{1}, bytes.size() / 2, bytes.size() - 1}) {
        std::ofstream(path, std::ios::binary) << bytes.substr(0, part);
        CHECK_EQ(aclrtBinaryLoadFromFile(path.c_str(), nullptr, &binary), ACL_ERROR_INVALID_FILE);
        CHECK(MessageHas("is no complete shared object"));
    }
    unlink(path.c_str());
}

TEST(AnArgumentInNoAllocationIsNamed) {
    AclSession session;
    aclrtBinHandle binary = nullptr;
    aclrtFuncHandle function = nullptr;
    CHECK_EQ(aclrtBinaryLoadFromFile(kernelFile.c_str(), nullptr, &binary), ACL_SUCCESS);
    CHECK_EQ(aclrtBinaryGetFunction(binary, "host_probe", &function), ACL_SUCCESS);
    void* memory = nullptr;
    void* freed = nullptr;
    CHECK_EQ(aclrtMalloc(&memory, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    CHECK_EQ(aclrtMalloc(&freed, 4096, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    CHECK_EQ(aclrtFree(freed), ACL_SUCCESS);
    const ProbeTiling tiling = {16, kProbeCopy, 0};
    aclrtMemcpy(memory, 4096, &tiling, sizeof(tiling), ACL_MEMCPY_HOST_TO_DEVICE);
    void* args[] = {freed, nullptr, memory, nullptr, memory};
    CHECK_EQ(aclrtLaunchKernel(function, 1, args, sizeof(args), session.stream), ACL_SUCCESS);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), 507035);
    const std::string message = Message();
    CHECK(message.find("of argument ") != std::string::npos);
    CHECK(message.find("no allocation of the device") != std::string::npos);
    CHECK_EQ(
        aclrtLaunchKernel(function, 1, reinterpret_cast<void*>(0x10), sizeof(args), session.stream),
        ACL_ERROR_INVALID_PARAM);
    CHECK(MessageHas("argsData is 0x10"));
    CHECK_EQ(aclrtBinaryUnLoad(binary), ACL_SUCCESS);
    CHECK_EQ(aclrtFree(memory), ACL_SUCCESS);
}

/// Usage: kernel_test <kernel file> [filter]
int main(int argc, char** argv) {
    if (argc < 2) {
        return 2;
    }
    kernelFile = argv[1];
    return check::RunTests(argc - 1, argv + 1);
}
