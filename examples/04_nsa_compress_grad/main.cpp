// SPDX-License-Identifier: Apache-2.0
// Runs the backward pass of the compression branch of native sparse attention, on a batch whose
// sequences are stored one after the other.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../common/client.h"
#include "aclnnop/aclnn_nsa_compress_grad.h"

namespace {

constexpr int64_t kHeads = 4;
constexpr int64_t kDim = 192;
constexpr int64_t kBlock = 32;
constexpr int64_t kStride = 16;
constexpr int64_t kPrefixSums = 0;
const std::vector<int64_t> kEnds = {300, 320, 700};  // sequence 1 is too short for a window

/// Returns the first row of every window.
std::vector<int64_t> Windows() {
    std::vector<int64_t> starts;
    int64_t begin = 0;
    for (const int64_t end : kEnds) {
        for (int64_t start = begin; start + kBlock <= end; start += kStride) {
            starts.push_back(start);
        }
        begin = end;
    }
    return starts;
}

/// Computes the gradients of the input and of the weight on the host, window by window.
struct Reference {
    std::vector<double> inputGrad;
    std::vector<double> weightGrad;

    Reference(const std::vector<aclFloat16>& outputGrad, const std::vector<aclFloat16>& input,
              const std::vector<aclFloat16>& weight, const std::vector<int64_t>& starts)
        : inputGrad(input.size()), weightGrad(weight.size()) {
        for (size_t window = 0; window < starts.size(); ++window) {
            for (int64_t i = 0; i < kBlock * kHeads * kDim; ++i) {
                const auto row = static_cast<size_t>(starts[window] * kHeads * kDim + i);
                const auto factor = static_cast<size_t>(i / kDim);
                const auto column = static_cast<size_t>(i % (kHeads * kDim));
                const double grad = aclFloat16ToFloat(outputGrad[window * kHeads * kDim + column]);
                inputGrad[row] += aclFloat16ToFloat(weight[factor]) * grad;
                weightGrad[factor] += aclFloat16ToFloat(input[row]) * grad;
            }
        }
    }
};

client::WorstError RunExample(aclrtStream stream) {
    const std::vector<int64_t> starts = Windows();
    const auto windows = static_cast<int64_t>(starts.size());
    const int64_t rows = kEnds.back();
    const std::vector<aclFloat16> outputGradHost = client::Pattern(windows * kHeads * kDim, 1);
    const std::vector<aclFloat16> inputHost = client::Pattern(rows * kHeads * kDim, 2);
    const std::vector<aclFloat16> weightHost = client::Pattern(kBlock * kHeads, 3);
    client::DeviceTensor<aclFloat16> outputGrad({windows, kHeads, kDim}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> input({rows, kHeads, kDim}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> weight({kBlock, kHeads}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> inputGrad({rows, kHeads, kDim}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> weightGrad({kBlock, kHeads}, ACL_FLOAT16);
    outputGrad.Upload(outputGradHost);
    input.Upload(inputHost);
    weight.Upload(weightHost);

    aclIntArray* const ends = aclCreateIntArray(kEnds.data(), kEnds.size());
    char layout[] = "TND";
    client::RunTwoPhases(
        stream,
        [&](uint64_t* workspaceBytes, aclOpExecutor** executor) {
            return aclnnNsaCompressGradGetWorkspaceSize(
                outputGrad.Get(), input.Get(), weight.Get(), ends, kBlock, kStride, kPrefixSums,
                layout, inputGrad.Get(), weightGrad.Get(), workspaceBytes, executor);
        },
        aclnnNsaCompressGrad);
    aclDestroyIntArray(ends);

    const Reference reference(outputGradHost, inputHost, weightHost, starts);
    client::WorstError worst;
    const std::vector<aclFloat16> gotInput = inputGrad.Download();
    const std::vector<aclFloat16> gotWeight = weightGrad.Download();
    for (size_t i = 0; i < gotInput.size(); ++i) {
        worst.Compare(gotInput[i], reference.inputGrad[i]);
    }
    for (size_t i = 0; i < gotWeight.size(); ++i) {
        worst.Compare(gotWeight[i], reference.weightGrad[i]);
    }
    return worst;
}

}  // namespace

int main() {
    const client::Session session;
    std::printf("NsaCompressGrad float16, %zu sequences of %lld rows in all, on %s\n", kEnds.size(),
                static_cast<long long>(kEnds.back()), aclrtGetSocName());
    return RunExample(session.Stream()).Report();
}
