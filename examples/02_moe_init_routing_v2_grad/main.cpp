// SPDX-License-Identifier: Apache-2.0
// Runs the backward pass of token routing with a capacity per expert. Copies of tokens that exceed
// the capacity have index -1 and add nothing to the gradient.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "../common/client.h"
#include "aclnnop/aclnn_moe_init_routing_v2_grad.h"

namespace {

constexpr int64_t kTokens = 200;
constexpr int64_t kTopK = 6;
constexpr int64_t kColumns = 1000;
constexpr int64_t kExperts = 16;
constexpr int64_t kCapacity = 64;  // rows per expert; an expert gets 75 copies on average
constexpr int64_t kDropPad = 1;
constexpr int64_t kActiveNum = 0;  // the operator uses activeNum only if dropPadMode is 0

/// Returns for each copy of a token the next free row of the copy's expert, or -1 if none is free.
std::vector<int32_t> Route() {
    std::vector<int64_t> used(kExperts, 0);
    std::vector<int32_t> rows;
    for (int64_t token = 0; token < kTokens; ++token) {
        for (int64_t slot = 0; slot < kTopK; ++slot) {
            const int64_t expert = (token * token + slot * 3) % kExperts;
            const int64_t place = used[static_cast<size_t>(expert)]++;
            rows.push_back(place < kCapacity ? static_cast<int32_t>(expert * kCapacity + place)
                                             : -1);
        }
    }
    return rows;
}

client::WorstError CompareWithReference(const std::vector<aclFloat16>& grad,
                                        const std::vector<int32_t>& rows,
                                        const std::vector<aclFloat16>& got) {
    client::WorstError worst;
    for (int64_t token = 0; token < kTokens; ++token) {
        for (int64_t column = 0; column < kColumns; ++column) {
            double sum = 0;
            for (int64_t slot = 0; slot < kTopK; ++slot) {
                const int64_t row = rows[static_cast<size_t>(token * kTopK + slot)];
                if (row >= 0) {
                    sum += aclFloat16ToFloat(grad[static_cast<size_t>(row * kColumns + column)]);
                }
            }
            worst.Compare(got[static_cast<size_t>(token * kColumns + column)], sum);
        }
    }
    return worst;
}

client::WorstError RunExample(aclrtStream stream) {
    const std::vector<aclFloat16> gradHost = client::Pattern(kExperts * kCapacity * kColumns, 1);
    const std::vector<int32_t> rowsHost = Route();
    client::DeviceTensor<aclFloat16> grad({kExperts, kCapacity, kColumns}, ACL_FLOAT16);
    client::DeviceTensor<int32_t> rows({kTokens * kTopK}, ACL_INT32);
    client::DeviceTensor<aclFloat16> gradX({kTokens, kColumns}, ACL_FLOAT16);
    grad.Upload(gradHost);
    rows.Upload(rowsHost);
    client::RunTwoPhases(
        stream,
        [&](uint64_t* workspaceBytes, aclOpExecutor** executor) {
            return aclnnMoeInitRoutingV2GradGetWorkspaceSize(grad.Get(), rows.Get(), kTopK,
                                                             kDropPad, kActiveNum, gradX.Get(),
                                                             workspaceBytes, executor);
        },
        aclnnMoeInitRoutingV2Grad);
    return CompareWithReference(gradHost, rowsHost, gradX.Download());
}

}  // namespace

int main() {
    const client::Session session;
    std::printf("MoeInitRoutingV2Grad float16, %lld tokens of %lld copies, on %s\n",
                static_cast<long long>(kTokens), static_cast<long long>(kTopK), aclrtGetSocName());
    return RunExample(session.Stream()).Report();
}
