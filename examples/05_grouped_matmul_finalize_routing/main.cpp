// SPDX-License-Identifier: Apache-2.0
// Multiplies int8 rows by the int4 weights of their experts, scales the results and adds them up
// for each token.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../common/client.h"
#include "aclnnop/aclnn_grouped_matmul_finalize_routing.h"

namespace {

constexpr int64_t kExperts = 4;
constexpr int64_t kRows = 48;
constexpr int64_t kK = 256;
constexpr int64_t kColumns = 136;
constexpr int64_t kTokens = 16;
constexpr int64_t kSharedRows = 8;
constexpr int64_t kSharedOffset = 4;
constexpr float kSharedWeight = 0.5f;
constexpr int64_t kCounts = 1;  // groupListType 1: groupList has the number of rows of each expert
constexpr int64_t kWeightsPerWord = 8;

/// Generator of numbers that look random but are the same on every machine.
class Numbers {
public:
    explicit Numbers(uint32_t seed) : state_(seed) {}
    /// Returns a number from `low` to `high`, both included.
    int32_t Integer(int32_t low, int32_t high) {
        state_ = state_ * 1664525u + 1013904223u;
        return low + static_cast<int32_t>((state_ >> 8) % static_cast<uint32_t>(high - low + 1));
    }
    /// Returns a float between 0 and 1 with at most 10 bits, so that the hardware multiplies by it
    /// exactly.
    float Factor() { return static_cast<float>(Integer(1, 1023)) / 1024; }

private:
    uint32_t state_;
};

/// The quantised tensors, on the host.
struct Problem {
    std::vector<int8_t> x;
    std::vector<int32_t> w;  // one weight per element, not packed
    std::vector<float> scale;
    std::vector<float> bias;
    std::vector<float> pertokenScale;
    std::vector<int64_t> groupList;
    std::vector<int16_t> shared;  // bits of bfloat16
    std::vector<float> logit;
    std::vector<int64_t> rowIndex;
};

float FromBfloat16(int16_t bits) {
    const uint32_t word = static_cast<uint32_t>(static_cast<uint16_t>(bits)) << 16;
    float value;
    std::memcpy(&value, &word, sizeof(value));
    return value;
}

int32_t Weight(const Problem& p, int64_t expert, int64_t k, int64_t column) {
    return p.w[static_cast<size_t>((expert * kK + k) * kColumns + column)];
}

/// Computes the bias that the operator expects: 8 times the sum of a column's weights, times scale.
void AddBias(Problem* p) {
    for (int64_t expert = 0; expert < kExperts; ++expert) {
        for (int64_t column = 0; column < kColumns; ++column) {
            int32_t sum = 0;
            for (int64_t k = 0; k < kK; ++k) {
                sum += Weight(*p, expert, k, column);
            }
            const float scale = p->scale[static_cast<size_t>(expert * kColumns + column)];
            p->bias.push_back(8 * static_cast<float>(sum) * scale);
        }
    }
}

Problem MakeProblem() {
    Numbers numbers(1);
    Problem p;
    for (int64_t i = 0; i < kRows * kK; ++i) {
        p.x.push_back(static_cast<int8_t>(numbers.Integer(-128, 127)));
    }
    for (int64_t i = 0; i < kExperts * kK * kColumns; ++i) {
        p.w.push_back(numbers.Integer(-8, 7));
    }
    for (int64_t i = 0; i < kExperts * kColumns; ++i) {
        p.scale.push_back(numbers.Factor() / 64);
    }
    AddBias(&p);
    p.groupList = {17, 0, 20, 11};
    for (int64_t row = 0; row < kRows; ++row) {
        p.pertokenScale.push_back(numbers.Factor() / 16);
        p.logit.push_back(numbers.Factor());
        p.rowIndex.push_back(row * 7 % kTokens);
    }
    for (int64_t i = 0; i < kSharedRows * kColumns; ++i) {
        p.shared.push_back(static_cast<int16_t>(0x3F00 + numbers.Integer(0, 255)));  // 0.5 to 2
    }
    return p;
}

/// Packs eight weights into each int32; the lowest column is in the lowest bits.
std::vector<int32_t> Pack(const std::vector<int32_t>& weights) {
    std::vector<int32_t> words;
    for (size_t first = 0; first < weights.size(); first += kWeightsPerWord) {
        uint32_t word = 0;
        for (size_t i = 0; i < kWeightsPerWord; ++i) {
            word |= (static_cast<uint32_t>(weights[first + i]) & 0xF) << (4 * i);
        }
        words.push_back(static_cast<int32_t>(word));
    }
    return words;
}

/// Converts each float factor to an int64 with the float's bits in the lower 32 bits.
std::vector<int64_t> ScaleWords(const std::vector<float>& scale) {
    std::vector<int64_t> words;
    for (float factor : scale) {
        uint32_t bits;
        std::memcpy(&bits, &factor, sizeof(bits));
        words.push_back(bits);
    }
    return words;
}

/// Expected value of an element, and the error that the operator's float16 arithmetic may cause.
struct Expected {
    double value = 0;
    double bound = 0;
};

void AddShared(const Problem& p, std::vector<Expected>* y) {
    for (int64_t i = 0; i < kSharedRows * kColumns; ++i) {
        Expected& element = (*y)[static_cast<size_t>(kSharedOffset * kColumns + i)];
        element.value = double{kSharedWeight} * FromBfloat16(p.shared[static_cast<size_t>(i)]);
        element.bound = std::ldexp(std::fabs(element.value), -20);
    }
}

void AddRow(const Problem& p, int64_t expert, int64_t row, std::vector<Expected>* y) {
    const size_t r = static_cast<size_t>(row);
    const double factor = double{p.pertokenScale[r]} * p.logit[r];
    for (int64_t column = 0; column < kColumns; ++column) {
        int64_t high = 0;
        int64_t low = 0;
        for (int64_t k = 0; k < kK; ++k) {
            const int32_t x = p.x[static_cast<size_t>(row * kK + k)] + 128;
            high += (x / 16 - 8) * Weight(p, expert, k, column);
            low += (x % 16 - 8) * Weight(p, expert, k, column);
        }
        const size_t at = static_cast<size_t>(expert * kColumns + column);
        const double z = static_cast<double>(16 * high + low) * p.scale[at] + p.bias[at];
        const double digits = static_cast<double>(16 * std::llabs(high) + std::llabs(low));
        Expected& element = (*y)[static_cast<size_t>(p.rowIndex[r] * kColumns + column)];
        element.value += factor * z;
        element.bound +=
            factor * (1.25 * std::ldexp(digits * p.scale[at], -11) + std::ldexp(std::fabs(z), -20));
    }
}

std::vector<Expected> Reference(const Problem& p) {
    std::vector<Expected> y(static_cast<size_t>(kTokens * kColumns));
    AddShared(p, &y);
    int64_t row = 0;
    for (int64_t expert = 0; expert < kExperts; ++expert) {
        const int64_t end = row + p.groupList[static_cast<size_t>(expert)];
        for (; row < end; ++row) {
            AddRow(p, expert, row, &y);
        }
    }
    return y;
}

std::vector<float> RunOnDevice(const Problem& p, aclrtStream stream) {
    client::DeviceTensor<int8_t> x({kRows, kK}, ACL_INT8);
    client::DeviceTensor<int32_t> w({kExperts, kK, kColumns / kWeightsPerWord}, ACL_INT32);
    client::DeviceTensor<int64_t> scale({kExperts, 1, kColumns}, ACL_INT64);
    client::DeviceTensor<float> bias({kExperts, kColumns}, ACL_FLOAT);
    client::DeviceTensor<float> pertokenScale({kRows}, ACL_FLOAT);
    client::DeviceTensor<int64_t> groupList({kExperts}, ACL_INT64);
    client::DeviceTensor<int16_t> shared({kSharedRows, kColumns}, ACL_BF16);
    client::DeviceTensor<float> logit({kRows}, ACL_FLOAT);
    client::DeviceTensor<int64_t> rowIndex({kRows}, ACL_INT64);
    client::DeviceTensor<float> y({kTokens, kColumns}, ACL_FLOAT);
    x.Upload(p.x);
    w.Upload(Pack(p.w));
    scale.Upload(ScaleWords(p.scale));
    bias.Upload(p.bias);
    pertokenScale.Upload(p.pertokenScale);
    groupList.Upload(p.groupList);
    shared.Upload(p.shared);
    logit.Upload(p.logit);
    rowIndex.Upload(p.rowIndex);
    client::RunTwoPhases(
        stream,
        [&](uint64_t* workspaceBytes, aclOpExecutor** executor) {
            return aclnnGroupedMatmulFinalizeRoutingGetWorkspaceSize(
                x.Get(), w.Get(), scale.Get(), bias.Get(), pertokenScale.Get(), groupList.Get(),
                shared.Get(), logit.Get(), rowIndex.Get(), /*dtype=*/0, kSharedWeight,
                kSharedOffset, /*transposeX=*/false, /*transposeW=*/false, kCounts, y.Get(),
                workspaceBytes, executor);
        },
        aclnnGroupedMatmulFinalizeRouting);
    return y.Download();
}

int Report(const std::vector<float>& got, const std::vector<Expected>& expected) {
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) {
        const double error = std::fabs(got[i] - expected[i].value);
        // A row of y to which no row is added must be exactly 0, because its bound is 0.
        const double share = error == 0 ? 0 : error / expected[i].bound;
        worst = std::isnan(share) ? INFINITY : std::fmax(worst, share);
    }
    const bool ok = worst <= 1;
    std::printf("worst error: %.3f of its bound: %s\n", worst, ok ? "ok" : "TOO LARGE");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main() {
    const client::Session session;
    std::printf("GroupedMatmulFinalizeRouting, %lld rows for %lld experts, on %s\n",
                static_cast<long long>(kRows), static_cast<long long>(kExperts), aclrtGetSocName());
    const Problem problem = MakeProblem();
    return Report(RunOnDevice(problem, session.Stream()), Reference(problem));
}
