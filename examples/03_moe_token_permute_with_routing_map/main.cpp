// SPDX-License-Identifier: Apache-2.0
// Sorts tokens by the experts to which a mask routes them: first with all rows, then with a fixed
// number of rows per expert.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../common/client.h"
#include "aclnnop/aclnn_moe_token_permute_with_routing_map.h"

namespace {

constexpr int64_t kTokens = 300;
constexpr int64_t kExperts = 24;
constexpr int64_t kTopK = 4;
constexpr int64_t kColumns = 500;
constexpr int64_t kCapacity = 40;  // rows per expert; an expert gets 50 tokens on average

struct Inputs {
    std::vector<aclFloat16> tokens = client::Pattern(kTokens * kColumns, 1);
    std::vector<aclFloat16> probs = client::Pattern(kTokens * kExperts, 2);
    std::vector<int8_t> map = std::vector<int8_t>(kTokens * kExperts, 0);
};

struct Outputs {
    std::vector<aclFloat16> tokens;
    std::vector<aclFloat16> probs;
    std::vector<int32_t> indices;
};

Inputs Route() {
    Inputs inputs;
    for (int64_t token = 0; token < kTokens; ++token) {
        for (int64_t slot = 0; slot < kTopK; ++slot) {
            const int64_t expert = (token * token + slot * 5) % kExperts;
            inputs.map[static_cast<size_t>(token * kExperts + expert)] = 1;
        }
    }
    return inputs;
}

Outputs Permute(const Inputs& inputs, bool dropAndPad, int64_t rows, aclrtStream stream) {
    client::DeviceTensor<aclFloat16> tokens({kTokens, kColumns}, ACL_FLOAT16);
    client::DeviceTensor<int8_t> map({kTokens, kExperts}, ACL_INT8);
    client::DeviceTensor<aclFloat16> probs({kTokens, kExperts}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> permuteTokens({rows, kColumns}, ACL_FLOAT16);
    client::DeviceTensor<aclFloat16> permuteProbs({rows}, ACL_FLOAT16);
    client::DeviceTensor<int32_t> indices({rows}, ACL_INT32);
    tokens.Upload(inputs.tokens);
    map.Upload(inputs.map);
    probs.Upload(inputs.probs);
    client::RunTwoPhases(
        stream,
        [&](uint64_t* workspaceBytes, aclOpExecutor** executor) {
            return aclnnMoeTokenPermuteWithRoutingMapGetWorkspaceSize(
                tokens.Get(), map.Get(), probs.Get(), rows, dropAndPad, permuteTokens.Get(),
                permuteProbs.Get(), indices.Get(), workspaceBytes, executor);
        },
        aclnnMoeTokenPermuteWithRoutingMap);
    return {permuteTokens.Download(), permuteProbs.Download(), indices.Download()};
}

/// Returns true if output row `row` has the values of `token` and its probability for `expert`.
bool Holds(const Inputs& inputs, const Outputs& outputs, int64_t row, int64_t token,
           int64_t expert) {
    if (row < 0 || row >= static_cast<int64_t>(outputs.probs.size()) || token < 0 ||
        token >= kTokens) {
        return false;
    }
    for (int64_t column = 0; column < kColumns; ++column) {
        if (outputs.tokens[static_cast<size_t>(row * kColumns + column)] !=
            inputs.tokens[static_cast<size_t>(token * kColumns + column)]) {
            return false;
        }
    }
    return outputs.probs[static_cast<size_t>(row)] ==
           inputs.probs[static_cast<size_t>(token * kExperts + expert)];
}

/// Returns the number of wrong rows. `indices` must have the output rows of token 0, then of token
/// 1 and so on; the rows of one token are in the order of its experts.
int64_t WrongWithoutPadding(const Inputs& inputs, aclrtStream stream) {
    const Outputs outputs = Permute(inputs, false, kTokens * kTopK, stream);
    int64_t wrong = 0;
    for (int64_t token = 0; token < kTokens; ++token) {
        int64_t slot = token * kTopK;
        for (int64_t expert = 0; expert < kExperts; ++expert) {
            if (inputs.map[static_cast<size_t>(token * kExperts + expert)] != 0) {
                const int64_t row = outputs.indices[static_cast<size_t>(slot++)];
                wrong += Holds(inputs, outputs, row, token, expert) ? 0 : 1;
            }
        }
    }
    return wrong;
}

/// Returns the number of wrong rows. The rows of an expert must be first the tokens that are routed
/// to this expert, then tokens that are not.
int64_t WrongWithPadding(const Inputs& inputs, aclrtStream stream) {
    const Outputs outputs = Permute(inputs, true, kExperts * kCapacity, stream);
    int64_t wrong = 0;
    for (int64_t expert = 0; expert < kExperts; ++expert) {
        int64_t row = expert * kCapacity;
        for (int wanted = 1; wanted >= 0; --wanted) {
            for (int64_t token = 0; token < kTokens && row < (expert + 1) * kCapacity; ++token) {
                if (inputs.map[static_cast<size_t>(token * kExperts + expert)] == wanted) {
                    const bool right = outputs.indices[static_cast<size_t>(row)] == token &&
                                       Holds(inputs, outputs, row, token, expert);
                    wrong += right ? 0 : 1;
                    ++row;
                }
            }
        }
    }
    return wrong;
}

}  // namespace

int main() {
    const client::Session session;
    std::printf(
        "MoeTokenPermuteWithRoutingMap float16, %lld tokens to %lld of %lld experts, on %s\n",
        static_cast<long long>(kTokens), static_cast<long long>(kTopK),
        static_cast<long long>(kExperts), aclrtGetSocName());
    const Inputs inputs = Route();
    const int64_t wrong =
        WrongWithoutPadding(inputs, session.Stream()) + WrongWithPadding(inputs, session.Stream());
    std::printf("wrong rows: %lld: %s\n", static_cast<long long>(wrong),
                wrong == 0 ? "ok" : "NOT OK");
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
