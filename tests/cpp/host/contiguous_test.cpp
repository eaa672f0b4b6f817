// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <random>
#include <vector>

#include "check.h"
#include "host/executor.h"

using twin::host::CopyStrided;
using twin::host::ExtentOf;
using twin::host::IsContiguous;
using twin::host::Simplify;
using twin::host::StridedView;
using twin::host::ViewExtent;

namespace {

/// Copies the view's elements one by one: CopyStrided must give the same result.
std::vector<uint8_t> Naive(const uint8_t* source, const StridedView& view, size_t bytes) {
    ViewExtent extent;
    ExtentOf(view, &extent);
    std::vector<uint8_t> out;
    std::vector<int64_t> index(view.dims.size(), 0);
    for (int64_t n = 0; n < extent.elements; ++n) {
        int64_t offset = 0;
        for (size_t i = 0; i < index.size(); ++i) {
            offset += index[i] * view.strides[i];
        }
        const uint8_t* const element = source + offset * static_cast<int64_t>(bytes);
        out.insert(out.end(), element, element + bytes);
        for (size_t i = index.size(); i-- > 0 && ++index[i] == view.dims[i];) {
            index[i] = 0;
        }
    }
    return out;
}

void CheckView(const StridedView& view, uint32_t bytes, uint32_t threads) {
    ViewExtent extent;
    CHECK(ExtentOf(view, &extent));
    std::vector<uint8_t> source(static_cast<size_t>(extent.last - extent.first + 1) * bytes);
    for (size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<uint8_t>(i * 37 + i / 251);
    }
    const uint8_t* const origin = source.data() - extent.first * static_cast<int64_t>(bytes);
    const std::vector<uint8_t> expected = Naive(origin, view, bytes);
    std::vector<uint8_t> got(expected.size() + 1, 0xEE);
    twin::MemoryFault fault;
    CHECK(CopyStrided(origin, view, bytes, got.data(), threads, &fault));
    CHECK_EQ(static_cast<int>(got.back()), 0xEE);
    got.pop_back();
    CHECK(got == expected);
}

}  // namespace

TEST(RandomViewsOfEveryRankAndSize) {
    std::mt19937 random(20240607);
    for (int round = 0; round < 600; ++round) {
        StridedView view;
        const size_t rank = random() % 9;
        for (size_t i = 0; i < rank; ++i) {
            view.dims.push_back(1 + random() % (rank > 4 ? 3 : 7));
            view.strides.push_back(static_cast<int64_t>(random() % 25) - 8);
        }
        for (uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
            CheckView(view, bytes, 1 + random() % 3);
        }
    }
}

TEST(LargeTransposeSliceAndBroadcast) {
    CheckView({{700, 900}, {1, 700}}, 4, 2);      // transpose
    CheckView({{900, 333}, {1000, 1}}, 2, 2);     // slice
    CheckView({{4, 500, 300}, {0, 0, 1}}, 4, 2);  // broadcast
    CheckView({{2000, 301}, {-301, -1}}, 8, 2);   // reversed
    CheckView({{1, 100000}, {7, 3}}, 2, 2);       // every third element
}

TEST(EmptyViewsCopyNothing) {
    uint8_t target = 1;
    twin::MemoryFault fault;
    CHECK(CopyStrided(nullptr, {{3, 0, 2}, {1, 1, 1}}, 4, &target, 2, &fault));
    CHECK_EQ(static_cast<int>(target), 1);
}

TEST(ContiguityIgnoresWhatCannotMatter) {
    CHECK(IsContiguous({{}, {}}));
    CHECK(IsContiguous({{2, 3}, {3, 1}}));
    CHECK(IsContiguous({{2, 1, 3}, {3, 77, 1}}));
    CHECK(IsContiguous({{1, 1}, {5, 9}}));
    CHECK(IsContiguous({{0, 4}, {9, 9}}));
    CHECK(!IsContiguous({{2, 3}, {1, 2}}));
    CHECK(!IsContiguous({{2, 3}, {4, 1}}));
    CHECK(!IsContiguous({{4}, {-1}}));
    CHECK(!IsContiguous({{4}, {0}}));
}

TEST(SimplifyJoinsNeighbours) {
    CHECK_EQ(Simplify({{2, 3, 4}, {12, 4, 1}}).dims.size(), 1u);
    CHECK_EQ(Simplify({{2, 3, 4}, {24, 4, 1}}).dims.size(), 2u);
    CHECK_EQ(Simplify({{4, 5}, {0, 0}}).dims.size(), 1u);
}

TEST(ExtentsOverflowIsSeen) {
    ViewExtent extent;
    CHECK(!ExtentOf({{-1}, {1}}, &extent));
    CHECK(!ExtentOf({{int64_t{1} << 40, int64_t{1} << 40}, {1, 1}}, &extent));
    CHECK(!ExtentOf({{3, 3}, {int64_t{1} << 62, int64_t{1} << 62}}, &extent));
    CHECK(ExtentOf({{int64_t{1} << 40, 0}, {int64_t{1} << 62, 1}}, &extent));
    CHECK_EQ(extent.elements, 0);
    CHECK(ExtentOf({{3, 4}, {-10, 2}}, &extent));
    CHECK_EQ(extent.first, -20);
    CHECK_EQ(extent.last, 6);
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
