// SPDX-License-Identifier: Apache-2.0
// Calls SwiGluGrad through acl and aclnn, as a program for the hardware does.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../common/client.h"
#include "aclnnop/aclnn_swi_glu_grad.h"

namespace {

constexpr int64_t kRows = 96;
constexpr int64_t kColumns = 1000;  // columns of yGrad, not aligned; x has twice as many
constexpr int64_t kDim = -1;

using Halves = std::vector<aclFloat16>;

client::WorstError CompareWithReference(const Halves& yGrad, const Halves& x, const Halves& got) {
    client::WorstError worst;
    for (int64_t row = 0; row < kRows; ++row) {
        for (int64_t column = 0; column < kColumns; ++column) {
            const size_t gate = static_cast<size_t>(row * 2 * kColumns + column);
            const size_t up = gate + kColumns;
            const double a = aclFloat16ToFloat(x[gate]);
            const double b = aclFloat16ToFloat(x[up]);
            const double g = aclFloat16ToFloat(yGrad[static_cast<size_t>(row * kColumns + column)]);
            const double s = 1 / (1 + std::exp(-a));
            worst.Compare(got[gate], (s + s * (1 - s) * a) * b * g);
            worst.Compare(got[up], s * a * g);
        }
    }
    return worst;
}

client::WorstError RunExample(aclrtStream stream) {
    const Halves yGradHost = client::Pattern(kRows * kColumns, 1);
    const Halves xHost = client::Pattern(kRows * 2 * kColumns, 2);
    client::DeviceTensor<aclFloat16> yGrad({kRows, kColumns}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> x({kRows, 2 * kColumns}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> xGrad({kRows, 2 * kColumns}, ACL_FLOAT16);
    yGrad.Upload(yGradHost);
    x.Upload(xHost);
    client::RunTwoPhases(
        stream,
        [&](uint64_t* workspaceBytes, aclOpExecutor** executor) {
            return aclnnSwiGluGradGetWorkspaceSize(yGrad.Get(), x.Get(), kDim, xGrad.Get(),
                                                   workspaceBytes, executor);
        },
        aclnnSwiGluGrad);
    return CompareWithReference(yGradHost, xHost, xGrad.Download());
}

}  // namespace

int main() {
    const client::Session session;
    std::printf("SwiGluGrad float16 (%lld, %lld) on %s\n", static_cast<long long>(kRows),
                static_cast<long long>(2 * kColumns), aclrtGetSocName());
    return RunExample(session.Stream()).Report();
}
