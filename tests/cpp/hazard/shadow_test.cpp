// SPDX-License-Identifier: Apache-2.0
#include "hazard/shadow.h"

#include <random>

#include "check.h"

using namespace twin::hazard;

namespace {

constexpr uint32_t kBytes = 512;
constexpr uint32_t kPage = 128;

Access By(Lane lane, uint32_t index) {
    Access access;
    access.lane = lane;
    access.index = index;
    return access;
}

/// Bytes with the index of whoever wrote them last and of the latest reader since.
struct Model {
    uint32_t write[kBytes] = {};
    uint32_t read[kBytes] = {};
};

bool Same(Shadow& shadow, const Model& model) {
    bool same = true;
    uint64_t next = 0;
    shadow.Visit(0, kBytes, [&](Cell& cell, uint64_t begin, uint64_t end) {
        same = same && begin == next && end > begin;
        next = end;
        for (uint64_t at = begin; at < end; ++at) {
            const uint32_t read = cell.readers == 0 ? 0 : cell.reads[0].index;
            same = same && cell.write.index == model.write[at] && read == model.read[at];
        }
    });
    return same && next == kBytes;
}

}  // namespace

TEST(HistoriesAreExactToTheByte) {
    std::mt19937 random(7);
    Shadow shadow(kPage);
    Model model;
    bool same = true;
    for (uint32_t index = 1; index < 3000 && same; ++index) {
        const uint32_t begin = random() % kBytes;
        const uint32_t end = begin + 1 + random() % (kBytes - begin);
        const bool write = random() % 2 == 0;
        if (write) {
            shadow.Overwrite(begin, end, [&](Cell& cell, uint64_t, uint64_t) {
                cell.NoteWrite(By(kV, index), 0);
            });
        } else {
            shadow.Visit(begin, end,
                         [&](Cell& cell, uint64_t, uint64_t) { cell.NoteRead(By(kMte3, index)); });
        }
        for (uint32_t at = begin; at < end; ++at) {
            model.write[at] = write ? index : model.write[at];
            model.read[at] = write ? 0 : index;
        }
        same = Same(shadow, model);
    }
    CHECK(same);
}

TEST(EachPipeHasItsLatestRead) {
    Cell cell;
    cell.NoteRead(By(kV, 1));
    cell.NoteRead(By(kMte3, 1));
    cell.NoteRead(By(kV, 5));
    CHECK_EQ(int{cell.readers}, 2);
    CHECK_EQ(cell.reads[0].index, 5U);
    cell.NoteWrite(By(kMte2, 2), 0);
    CHECK_EQ(int{cell.readers}, 0);
}

TEST(AWriteJoinsWhatItCovers) {
    Page page;
    const auto nothing = [](Cell&, uint32_t, uint32_t) {};
    for (uint32_t at = 0; at < kPage; at += 8) {
        page.Visit(at, at + 4, kPage, nothing);
    }
    CHECK(page.Cells() > 16);
    page.Visit(0, kPage, kPage, nothing);
    page.Merge(0, kPage);
    CHECK_EQ(page.Cells(), size_t{1});
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
