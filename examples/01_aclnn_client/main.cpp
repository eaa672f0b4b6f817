// SPDX-License-Identifier: Apache-2.0
// SwiGluGrad through acl and aclnn, as a program for a card calls it.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_swi_glu_grad.h"

namespace {

constexpr int64_t kRows = 96;
constexpr int64_t kColumns = 1000;  // of each half: nothing here is aligned to anything
constexpr int kDevice = 0;

void Check(int status, const char* call) {
    if (status == 0) return;
    const char* const message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s returned %d: %s\n", call, status,
                 message == nullptr ? "no message" : message);
    std::exit(EXIT_FAILURE);
}

#define CHECK(call) Check(call, #call)

/// A float16 tensor of `rows` x `columns` in device memory.
class DeviceTensor {
public:
    DeviceTensor(int64_t rows, int64_t columns)
        : bytes_(static_cast<size_t>(rows * columns) * sizeof(aclFloat16)) {
        CHECK(aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
        const int64_t dims[] = {rows, columns};
        const int64_t strides[] = {columns, 1};
        tensor_ =
            aclCreateTensor(dims, 2, ACL_FLOAT16, strides, 0, ACL_FORMAT_ND, dims, 2, memory_);
        Check(tensor_ == nullptr ? -1 : 0, "aclCreateTensor");
    }
    ~DeviceTensor() {
        aclDestroyTensor(tensor_);
        aclrtFree(memory_);
    }
    DeviceTensor(const DeviceTensor&) = delete;
    DeviceTensor& operator=(const DeviceTensor&) = delete;

    void Upload(const std::vector<aclFloat16>& values) {
        CHECK(aclrtMemcpy(memory_, bytes_, values.data(), values.size() * sizeof(aclFloat16),
                          ACL_MEMCPY_HOST_TO_DEVICE));
    }
    std::vector<aclFloat16> Download() const {
        std::vector<aclFloat16> values(bytes_ / sizeof(aclFloat16));
        CHECK(aclrtMemcpy(values.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }
    aclTensor* Get() const { return tensor_; }

private:
    size_t bytes_;
    void* memory_ = nullptr;
    aclTensor* tensor_ = nullptr;
};

/// Values in [-4, 4) that look random and are the same on every machine.
std::vector<aclFloat16> Pattern(int64_t count, uint32_t seed) {
    std::vector<aclFloat16> values(static_cast<size_t>(count));
    for (aclFloat16& value : values) {
        seed = seed * 1664525u + 1013904223u;
        value = aclFloatToFloat16(static_cast<float>(seed >> 16) / 8192.0f - 4.0f);
    }
    return values;
}

void RunOnDevice(const DeviceTensor& yGrad, const DeviceTensor& x, const DeviceTensor& xGrad,
                 aclrtStream stream) {
    constexpr int64_t kDim = -1;
    uint64_t workspaceBytes = 0;
    aclOpExecutor* executor = nullptr;
    CHECK(aclnnSwiGluGradGetWorkspaceSize(yGrad.Get(), x.Get(), kDim, xGrad.Get(), &workspaceBytes,
                                          &executor));
    void* workspace = nullptr;
    if (workspaceBytes > 0)
        CHECK(aclrtMalloc(&workspace, workspaceBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclnnSwiGluGrad(workspace, workspaceBytes, executor, stream));
    CHECK(aclrtSynchronizeStream(stream));
    if (workspace != nullptr) CHECK(aclrtFree(workspace));
}

/// Largest error in units of what float16 may be off: relative 2^-10, or absolute 2^-11 near zero.
double WorstError(const std::vector<aclFloat16>& yGrad, const std::vector<aclFloat16>& x,
                  const std::vector<aclFloat16>& got) {
    double worst = 0;
    const auto compare = [&](aclFloat16 value, double expected) {
        const double allowed = std::fmax(std::fabs(expected) / 1024, 1.0 / 2048);
        worst = std::fmax(worst, std::fabs(aclFloat16ToFloat(value) - expected) / allowed);
    };
    for (int64_t row = 0; row < kRows; ++row) {
        for (int64_t column = 0; column < kColumns; ++column) {
            const size_t gate = static_cast<size_t>(row * 2 * kColumns + column);
            const size_t up = gate + kColumns;
            const double a = aclFloat16ToFloat(x[gate]);
            const double b = aclFloat16ToFloat(x[up]);
            const double g = aclFloat16ToFloat(yGrad[static_cast<size_t>(row * kColumns + column)]);
            const double s = 1 / (1 + std::exp(-a));
            compare(got[gate], (s + s * (1 - s) * a) * b * g);
            compare(got[up], s * a * g);
        }
    }
    return worst;
}

double RunExample(aclrtStream stream) {
    const std::vector<aclFloat16> yGradHost = Pattern(kRows * kColumns, 1);
    const std::vector<aclFloat16> xHost = Pattern(kRows * 2 * kColumns, 2);
    DeviceTensor yGrad(kRows, kColumns);
    DeviceTensor x(kRows, 2 * kColumns);
    DeviceTensor xGrad(kRows, 2 * kColumns);
    yGrad.Upload(yGradHost);
    x.Upload(xHost);
    RunOnDevice(yGrad, x, xGrad, stream);
    return WorstError(yGradHost, xHost, xGrad.Download());
}

}  // namespace

int main() {
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(kDevice));
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream));
    std::printf("SwiGluGrad float16 (%lld, %lld) on %s\n", static_cast<long long>(kRows),
                static_cast<long long>(2 * kColumns), aclrtGetSocName());

    const double worst = RunExample(stream);

    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(kDevice));
    CHECK(aclFinalize());
    std::printf("worst error: %.3f of what float16 allows: %s\n", worst,
                worst <= 1 ? "ok" : "TOO LARGE");
    return worst <= 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
