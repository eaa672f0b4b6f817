// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers that call the operator HostProbe, for the tests of both aclnn phases.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl_session.h"
#include "aclnn/acl_meta.h"
#include "host/op_call.h"
#include "probe/probe_tiling.h"

/// Number of bytes that the Ascend C library itself uses in every workspace.
constexpr uint64_t kSystem = 16ULL << 20;

/// An array of floats in device memory, and a tensor that uses it.
struct Floats {
    Floats(std::vector<int64_t> dims, std::vector<int64_t> strides, int64_t offset, size_t elems,
           aclDataType type = ACL_FLOAT)
        : values(elems) {
        std::iota(values.begin(), values.end(), 1.0f);
        aclrtMalloc(&memory, std::max<size_t>(elems, 1) * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory, elems * sizeof(float), values.data(), elems * sizeof(float),
                    ACL_MEMCPY_HOST_TO_DEVICE);
        tensor = aclCreateTensor(dims.data(), dims.size(), type,
                                 strides.empty() ? nullptr : strides.data(), offset,
                                 ACL_FORMAT_NCHW, dims.data(), dims.size(), memory);
    }
    explicit Floats(int64_t elems) : Floats({elems}, {}, 0, static_cast<size_t>(elems)) {}
    ~Floats() {
        aclDestroyTensor(tensor);
        aclrtFree(memory);
    }
    std::vector<float> Read() const {
        std::vector<float> now(values.size());
        aclrtMemcpy(now.data(), now.size() * sizeof(float), memory, now.size() * sizeof(float),
                    ACL_MEMCPY_DEVICE_TO_HOST);
        return now;
    }

    std::vector<float> values;
    void* memory = nullptr;
    aclTensor* tensor = nullptr;
};

struct Call {
    int64_t mode = kProbeCopy;
    const char* text = nullptr;
    const aclIntArray* sizes = nullptr;
    const aclIntArray* indices = nullptr;
    uint64_t workspaceBytes = 0;
    aclOpExecutor* executor = nullptr;

    int Plan(const aclTensor* x, const aclTensor* out) {
        twin::host::OpCall call("HostProbe");
        call.Input(x);
        call.Input(indices);
        call.Output(out);
        call.Attr(mode);
        call.Attr(text);
        call.Attr(sizes);
        return call.GetWorkspaceSize(&workspaceBytes, &executor);
    }
    int Run(aclrtStream stream) {
        void* workspace = nullptr;
        if (workspaceBytes > 0) {
            aclrtMalloc(&workspace, workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST);
        }
        const int status =
            twin::host::RunExecutor("HostProbe", workspace, workspaceBytes, executor, stream);
        const int result = status != 0 ? status : aclrtSynchronizeStream(stream);
        const std::string message = result == 0 ? "" : Message();
        if (workspace != nullptr) {
            aclrtFree(workspace);
        }
        if (result != 0) {
            ACL_APP_LOG(ACL_ERROR, "%s", message.c_str());
        }
        return result;
    }
};
