// SPDX-License-Identifier: Apache-2.0
// Steps of every program that calls operators: open a device, copy tensors, run the two phases of a
// call.
#ifndef EXAMPLES_COMMON_CLIENT_H
#define EXAMPLES_COMMON_CLIENT_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace client {

inline void Check(int status, const char* call) {
    if (status == 0) {
        return;
    }
    const char* const message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, status,
                 message == nullptr ? "no message" : message);
    std::exit(EXIT_FAILURE);
}

#define CHECK(call) client::Check(call, #call)

/// Initialises acl, a device and a stream; the destructor releases them.
class Session {
public:
    Session() {
        CHECK(aclInit(nullptr));
        CHECK(aclrtSetDevice(kDevice));
        CHECK(aclrtCreateStream(&stream_));
    }
    ~Session() {
        CHECK(aclrtDestroyStream(stream_));
        CHECK(aclrtResetDevice(kDevice));
        CHECK(aclFinalize());
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    aclrtStream Stream() const { return stream_; }

private:
    static constexpr int kDevice = 0;
    aclrtStream stream_ = nullptr;
};

/// A contiguous tensor in device memory. T is the type of its elements on the host.
template <typename T>
class DeviceTensor {
public:
    DeviceTensor(const std::vector<int64_t>& shape, aclDataType dtype) {
        int64_t elements = 1;
        std::vector<int64_t> strides(shape.size());
        for (size_t i = shape.size(); i-- > 0;) {
            strides[i] = elements;
            elements *= shape[i];
        }
        bytes_ = static_cast<size_t>(elements) * sizeof(T);
        CHECK(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
        tensor_ = aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), 0,
                                  ACL_FORMAT_ND, shape.data(), shape.size(), memory_);
        Check(tensor_ == nullptr ? -1 : 0, "aclCreateTensor");
    }
    ~DeviceTensor() {
        aclDestroyTensor(tensor_);
        aclrtFree(memory_);
    }
    DeviceTensor(const DeviceTensor&) = delete;
    DeviceTensor& operator=(const DeviceTensor&) = delete;

    void Upload(const std::vector<T>& values) {
        CHECK(aclrtMemcpy(memory_, bytes_, values.data(), values.size() * sizeof(T),
                          ACL_MEMCPY_HOST_TO_DEVICE));
    }
    std::vector<T> Download() const {
        std::vector<T> values(bytes_ / sizeof(T));
        CHECK(aclrtMemcpy(values.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }
    aclTensor* Get() const { return tensor_; }

private:
    size_t bytes_ = 0;
    void* memory_ = nullptr;
    aclTensor* tensor_ = nullptr;
};

/// Returns values in [-4, 4) that look random but are the same on every machine.
inline std::vector<aclFloat16> Pattern(int64_t count, uint32_t seed) {
    std::vector<aclFloat16> values(static_cast<size_t>(count));
    for (aclFloat16& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = aclFloatToFloat16(static_cast<float>(seed >> 16) / 8192.0f - 4.0f);
    }
    return values;
}

/// Runs a call and waits for its result. `phase1(&workspaceBytes, &executor)` checks and plans the
/// call, `phase2` launches it on the stream.
template <typename Phase1, typename Phase2>
void RunTwoPhases(aclrtStream stream, Phase1 phase1, Phase2 phase2) {
    uint64_t workspaceBytes = 0;
    aclOpExecutor* executor = nullptr;
    Check(phase1(&workspaceBytes, &executor), "phase 1");
    void* workspace = nullptr;
    if (workspaceBytes > 0) {
        CHECK(aclrtMalloc(&workspace, workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    }
    Check(phase2(workspace, workspaceBytes, executor, stream), "phase 2");
    CHECK(aclrtSynchronizeStream(stream));
    if (workspace != nullptr) {
        CHECK(aclrtFree(workspace));
    }
}

/// Largest error so far, divided by the allowed float16 error: relative 2^-10, absolute 2^-11 near
/// 0.
class WorstError {
public:
    void Compare(aclFloat16 got, double expected) {
        const double allowed = std::fmax(std::fabs(expected) / 1024, 1.0 / 2048);
        const double error = std::fabs(aclFloat16ToFloat(got) - expected) / allowed;
        worst_ = std::isnan(error) ? INFINITY : std::fmax(worst_, error);
    }
    /// Prints the result and returns the exit code of main.
    int Report() const {
        const bool ok = worst_ <= 1;
        std::printf("worst error: %.3f of what float16 allows: %s\n", worst_,
                    ok ? "ok" : "TOO LARGE");
        return ok ? EXIT_SUCCESS : EXIT_FAILURE;
    }

private:
    double worst_ = 0;
};

}  // namespace client

#endif  // EXAMPLES_COMMON_CLIENT_H
