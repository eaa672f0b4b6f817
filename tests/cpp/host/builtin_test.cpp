// SPDX-License-Identifier: Apache-2.0
// Tests of the toolkit's own operators with which clients change the layout of data.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "acl_session.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_trans_matmul_weight.h"
#include "check.h"

namespace {

using Shape = std::vector<int64_t>;

int64_t Elements(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>());
}

/// Device memory with a pattern of byte values, and a tensor that uses it.
class Bytes {
public:
    Bytes(const Shape& shape, aclDataType dtype, size_t bytes, const Shape& strides = {})
        : values_(bytes) {
        for (size_t i = 0; i < bytes; ++i) {
            values_[i] = static_cast<uint8_t>(i * 37 + i / 251 + 1);
        }
        aclrtMalloc(&memory_, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(memory_, bytes, values_.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        tensor = aclCreateTensor(shape.data(), shape.size(), dtype,
                                 strides.empty() ? nullptr : strides.data(), 0, ACL_FORMAT_ND,
                                 shape.data(), shape.size(), memory_);
    }
    ~Bytes() {
        aclDestroyTensor(tensor);
        aclrtFree(memory_);
    }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    const std::vector<uint8_t>& Original() const { return values_; }
    std::vector<uint8_t> Now() const {
        std::vector<uint8_t> now(values_.size());
        aclrtMemcpy(now.data(), now.size(), memory_, now.size(), ACL_MEMCPY_DEVICE_TO_HOST);
        return now;
    }

    aclTensor* tensor = nullptr;

private:
    std::vector<uint8_t> values_;
    void* memory_ = nullptr;
};

aclnnStatus PlanPermute(const aclTensor* self, const Shape& order, aclTensor* out,
                        aclOpExecutor** executor) {
    aclIntArray* const dims = aclCreateIntArray(order.data(), order.size());
    uint64_t bytes = 1;
    const aclnnStatus status = aclnnPermuteGetWorkspaceSize(self, dims, out, &bytes, executor);
    aclDestroyIntArray(dims);
    CHECK(status != OK || bytes == 0);
    return status;
}

std::vector<uint8_t> NaivePermute(const std::vector<uint8_t>& from, const Shape& shape,
                                  const Shape& order, size_t bytes) {
    const size_t rank = shape.size();
    Shape index(rank, 0);
    std::vector<uint8_t> to;
    for (int64_t n = 0; n < Elements(shape); ++n) {
        int64_t element = 0;
        for (size_t i = 0; i < rank; ++i) {
            int64_t position = 0;  // index of self's dimension i in the shape of out
            while (order[position] != static_cast<int64_t>(i)) {
                ++position;
            }
            element = element * shape[i] + index[position];
        }
        to.insert(to.end(), from.begin() + element * bytes, from.begin() + (element + 1) * bytes);
        for (size_t i = rank; i-- > 0 && ++index[i] == shape[order[i]];) {
            index[i] = 0;
        }
    }
    return to;
}

/// Returns the matrices in FRACTAL_NZ: in stripes that are 32 B wide, with zeros as padding.
std::vector<uint8_t> NaiveStripes(const std::vector<uint8_t>& from, int64_t matrices, int64_t rows,
                                  int64_t cols, int64_t bytes) {
    const int64_t width = 32 / bytes;
    const int64_t paddedRows = (rows + 15) / 16 * 16;
    const int64_t stripes = (cols + width - 1) / width;
    std::vector<uint8_t> to(matrices * stripes * paddedRows * 32, 0);
    for (int64_t m = 0; m < matrices; ++m) {
        for (int64_t row = 0; row < rows; ++row) {
            for (int64_t col = 0; col < cols; ++col) {
                const int64_t place =
                    ((m * stripes + col / width) * paddedRows + row) * width + col % width;
                const int64_t source = (m * rows + row) * cols + col;
                std::memcpy(&to[place * bytes], &from[source * bytes], bytes);
            }
        }
    }
    return to;
}

uint64_t WeightSize(const Shape& shape, aclDataType dtype) {
    aclIntArray* const array = aclCreateIntArray(shape.data(), shape.size());
    uint64_t size = 0;
    CHECK_EQ(aclnnCalculateMatmulWeightSizeV2(array, dtype, &size), OK);
    aclDestroyIntArray(array);
    return size;
}

}  // namespace

TEST(PermuteOfEveryRankAndSize) {
    AclSession session;
    std::mt19937 random(20261122);
    const std::pair<aclDataType, size_t> types[] = {
        {ACL_INT8, 1}, {ACL_BF16, 2}, {ACL_FLOAT, 4}, {ACL_INT64, 8}, {ACL_COMPLEX128, 16}};
    for (int round = 0; round < 60; ++round) {
        const size_t rank = round % 9;
        const auto& type = types[round % 5];
        Shape shape(rank);
        Shape order(rank);
        for (size_t i = 0; i < rank; ++i) {
            shape[i] = 1 + random() % 5;
            order[i] = static_cast<int64_t>(i);
        }
        std::shuffle(order.begin(), order.end(), random);
        Shape permuted(rank);
        Shape fromEnd(rank);
        for (size_t i = 0; i < rank; ++i) {
            permuted[i] = shape[order[i]];
            fromEnd[i] = random() % 2 == 0 ? order[i] : order[i] - static_cast<int64_t>(rank);
        }
        const size_t bytes = Elements(shape) * type.second;
        Bytes self(shape, type.first, bytes);
        Bytes out(permuted, type.first, bytes);
        aclOpExecutor* executor = nullptr;
        CHECK_EQ(PlanPermute(self.tensor, fromEnd, out.tensor, &executor), OK);
        CHECK_EQ(aclnnPermute(nullptr, 0, executor, session.stream), OK);
        CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
        CHECK(out.Now() == NaivePermute(self.Original(), shape, order, type.second));
        CHECK(self.Now() == self.Original());
    }
}

TEST(PermuteOfAStridedTensor) {
    AclSession session;
    Bytes self({2, 3}, ACL_INT8, 12, {6, 2});  // every second element
    Bytes out({3, 2}, ACL_INT8, 6);
    aclOpExecutor* executor = nullptr;
    CHECK_EQ(PlanPermute(self.tensor, {1, 0}, out.tensor, &executor), OK);
    CHECK_EQ(aclnnPermute(nullptr, 0, executor, session.stream), OK);
    CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
    const auto& v = self.Original();
    CHECK(out.Now() == std::vector<uint8_t>({v[0], v[6], v[2], v[8], v[4], v[10]}));
}

TEST(PermuteRefuses) {
    AclSession session;
    Bytes self({2, 3}, ACL_INT8, 6);
    Bytes out({3, 2}, ACL_INT8, 6);
    Bytes half({3, 2}, ACL_FLOAT16, 12);
    Bytes strided({3, 2}, ACL_INT8, 12, {4, 2});
    aclOpExecutor* executor = nullptr;
    uint64_t bytes = 0;
    CHECK_EQ(PlanPermute(nullptr, {1, 0}, out.tensor, &executor), 161001);
    CHECK(MessageHas("self is null"));
    CHECK_EQ(aclnnPermuteGetWorkspaceSize(self.tensor, nullptr, out.tensor, &bytes, &executor),
             161001);
    CHECK(MessageHas("dims is null"));
    CHECK_EQ(aclnnPermuteGetWorkspaceSize(self.tensor, nullptr, out.tensor, nullptr, &executor),
             161001);
    for (const Shape& order : {Shape{0, 0}, Shape{0}, Shape{0, 2}, Shape{-3, 0}, Shape{0, 1, 2}}) {
        CHECK_EQ(PlanPermute(self.tensor, order, out.tensor, &executor), 161002);
        CHECK(MessageHas("each of the 2 dimensions of self once"));
    }
    CHECK_EQ(PlanPermute(self.tensor, {0, 1}, out.tensor, &executor), 161002);
    CHECK(MessageHas("expected (2, 3)"));
    CHECK_EQ(PlanPermute(self.tensor, {1, 0}, half.tensor, &executor), 161002);
    CHECK(MessageHas("dtype"));
    CHECK_EQ(PlanPermute(self.tensor, {1, 0}, strided.tensor, &executor), 161002);
    CHECK(MessageHas("contiguous"));
}

TEST(AnExecutorBelongsToItsOperator) {
    AclSession session;
    Bytes self({2, 3}, ACL_INT8, 6);
    Bytes out({3, 2}, ACL_INT8, 6);
    aclOpExecutor* executor = nullptr;
    CHECK_EQ(PlanPermute(self.tensor, {1, 0}, out.tensor, &executor), OK);
    CHECK_EQ(aclnnTransMatmulWeight(nullptr, 0, executor, session.stream), 161002);
    CHECK_EQ(aclnnPermute(nullptr, 0, executor, session.stream), OK);
    CHECK_EQ(aclnnPermute(nullptr, 0, executor, session.stream), 161002);
    CHECK(MessageHas("used or destroyed already"));
}

TEST(SizesOfWeights) {
    CHECK_EQ(WeightSize({510, 510}, ACL_FLOAT16), 262144u);
    CHECK_EQ(WeightSize({510, 270}, ACL_INT8), 147456u);
    CHECK_EQ(WeightSize({2, 3, 16, 1}, ACL_BF16), 2u * 3 * 16 * 16);
    uint64_t size = 0;
    CHECK_EQ(aclnnCalculateMatmulWeightSizeV2(nullptr, ACL_INT8, &size), 161001);
    const Shape rejected[] = {
        {16}, {0, 16}, {-1, 16}, {1, 1, 1, 1, 1, 16, 16}, {int64_t{1} << 40, int64_t{1} << 40}};
    for (const Shape& shape : rejected) {
        aclIntArray* const array = aclCreateIntArray(shape.data(), shape.size());
        CHECK_EQ(aclnnCalculateMatmulWeightSizeV2(array, ACL_INT8, &size), 161002);
        CHECK_EQ(aclnnCalculateMatmulWeightSizeV2(array, ACL_INT8, nullptr), 161001);
        aclDestroyIntArray(array);
    }
    const Shape shape = {5, 17};
    aclIntArray* const array = aclCreateIntArray(shape.data(), shape.size());
    CHECK_EQ(aclnnCalculateMatmulWeightSizeV2(array, ACL_INT32, &size), OK);
    CHECK_EQ(size, 16u * 32);
    size = 0;
    CHECK_EQ(aclnnCalculateMatmulWeightSize(array, &size), OK);
    CHECK_EQ(size, 16u * 32);
    aclDestroyIntArray(array);
}

TEST(WeightsBecomeStripes) {
    AclSession session;
    const Shape shapes[] = {{16, 32}, {5, 7}, {33, 100}, {2, 3, 18, 40}, {1, 64, 256}};
    for (const Shape& shape : shapes) {
        for (aclDataType dtype : {ACL_INT8, ACL_FLOAT16, ACL_BF16}) {
            const int64_t bytes = dtype == ACL_INT8 ? 1 : 2;
            const int64_t rows = shape[shape.size() - 2];
            const int64_t cols = shape.back();
            const int64_t matrices = Elements(shape) / (rows * cols);
            Bytes weights(shape, dtype, WeightSize(shape, dtype) * bytes);
            uint64_t workspace = 1;
            aclOpExecutor* executor = nullptr;
            CHECK_EQ(aclnnTransMatmulWeightGetWorkspaceSize(weights.tensor, &workspace, &executor),
                     OK);
            CHECK_EQ(workspace, 0u);
            CHECK(weights.Now() == weights.Original());
            CHECK_EQ(aclnnTransMatmulWeight(nullptr, 0, executor, session.stream), OK);
            CHECK_EQ(aclrtSynchronizeStream(session.stream), ACL_SUCCESS);
            CHECK(weights.Now() == NaiveStripes(weights.Original(), matrices, rows, cols, bytes));
            aclFormat format = ACL_FORMAT_ND;
            aclGetFormat(weights.tensor, &format);
            CHECK_EQ(static_cast<int>(format), static_cast<int>(ACL_FORMAT_FRACTAL_NZ));
            // A second conversion would mix up the weights, so it is refused.
            CHECK_EQ(aclnnTransMatmulWeightGetWorkspaceSize(weights.tensor, &workspace, &executor),
                     161002);
            CHECK(MessageHas("expected ND"));
        }
    }
}

TEST(WeightsNeedTheirRoom) {
    AclSession session;
    Bytes weights({5, 7}, ACL_INT8, 35);
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_EQ(aclnnTransMatmulWeightGetWorkspaceSize(weights.tensor, &workspace, &executor), OK);
    CHECK_EQ(aclnnTransMatmulWeight(nullptr, 0, executor, session.stream), OK);
    CHECK(aclrtSynchronizeStream(session.stream) != ACL_SUCCESS);
    const std::string message = Message();
    CHECK(message.find("T101 GM out of bounds: mmWeightRef covers 512 B") != std::string::npos);
    CHECK(message.find("aclnnCalculateMatmulWeightSizeV2") != std::string::npos);
    CHECK(weights.Now() == weights.Original());
}

TEST(WeightsOfOtherKindsAreRefused) {
    AclSession session;
    Bytes floats({16, 32}, ACL_FLOAT, 2048);
    Bytes strided({16, 32}, ACL_INT8, 1024, {64, 1});
    uint64_t workspace = 0;
    aclOpExecutor* executor = nullptr;
    CHECK_EQ(aclnnTransMatmulWeightGetWorkspaceSize(nullptr, &workspace, &executor), 161001);
    CHECK_EQ(aclnnTransMatmulWeightGetWorkspaceSize(strided.tensor, nullptr, &executor), 161001);
    CHECK_EQ(aclnnTransMatmulWeightGetWorkspaceSize(floats.tensor, &workspace, &executor), 161002);
    CHECK(MessageHas("float16, bfloat16 or int8"));
    CHECK_EQ(aclnnTransMatmulWeightGetWorkspaceSize(strided.tensor, &workspace, &executor), 161002);
    CHECK(MessageHas("contiguous"));
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
