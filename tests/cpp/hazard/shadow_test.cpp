// SPDX-License-Identifier: Apache-2.0
#include "hazard/shadow.h"

#include <random>

#include "check.h"

using namespace twin::hazard;

namespace {

constexpr uint32_t kBytes = 2 * Page::kBytes;
constexpr uint32_t kBlock = 32;

Access By(Lane lane, uint32_t index) {
    Access access;
    access.lane = lane;
    access.index = index;
    return access;
}

/// For each byte, the index of its last write, and the index of the last read since then.
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
    Shadow shadow;
    Model model;
    bool same = true;
    for (uint32_t index = 1; index < 2000 && same; ++index) {
        // Most accesses consist of whole blocks, the others of single bytes. Each hundredth access
        // overwrites everything.
        const uint32_t unit = index % 100 < 80 ? kBlock : 1;
        const uint32_t units = kBytes / unit;
        const uint32_t first = index % 100 == 0 ? 0 : random() % units;
        const uint32_t most = index % 3 == 0 ? units - first : std::min(units - first, 40U);
        const uint32_t begin = first * unit;
        const uint32_t end = index % 100 == 0 ? kBytes : begin + (1 + random() % most) * unit;
        const bool write = index % 100 == 0 || random() % 2 == 0;
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
    const auto nothing = [](Cell&, uint32_t, uint32_t) {};
    for (const uint32_t unit : {kBlock, 4U}) {
        Page page;
        for (uint32_t at = 0; at < 64 * unit; at += 2 * unit) {
            page.Visit(at, at + unit, nothing);
        }
        CHECK_EQ(page.Cells(), size_t{64});
        page.Visit(unit, 63 * unit, nothing);
        page.Merge(unit, 63 * unit);
        CHECK_EQ(page.Cells(), size_t{3});
        page.Visit(0, Page::kBytes, nothing);
        page.Merge(0, Page::kBytes);
        CHECK_EQ(page.Cells(), size_t{1});
    }
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
