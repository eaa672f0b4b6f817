// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <string>

#include "check.h"
#include "hazard/core_log.h"
#include "logs.h"

using namespace twin::hazard;
using twin::Runs;

TEST(ALogGivesBackWhatItWasGiven) {
    CoreLog log;
    const auto last = [&log] {
        LogReader reader;
        reader.Take(All(log));
        GmAccess access;
        while (reader.HasAccess()) {
            access = reader.NextAccess();
        }
        return access;
    };
    for (const Runs& runs : {Runs(12), Runs(uint64_t{5} << 32), Runs(4, {3, 8}, {2, 100})}) {
        GmAccess access = At(1 << 20, (1 << 20) + 4, true, kMte3, 7);
        access.runs = runs;
        access.access.site = static_cast<uint32_t>(log.Length());
        access.access.kind = 3;
        access.scalarEpoch = 9;
        access.word = true;
        log.Add(access, 0);
        const GmAccess kept = last();
        CHECK_EQ(kept.begin, access.begin);
        CHECK_EQ(kept.runs.Span(), runs.Span());
        CHECK_EQ(kept.runs.TotalBytes(), runs.TotalBytes());
        CHECK(kept.access.SameInstruction(access.access));
        CHECK_EQ(kept.access.site, access.access.site);
        CHECK(kept.access.kind == 3 && kept.write && kept.word && kept.scalarEpoch == 9);
    }
    log.Add(At((1 << 20) + 12, (1 << 20) + 20, true, kMte3, 8), 0);  // `kind` differs: new entry
    CHECK_EQ(log.Length(), size_t{4});
    log.Add(At((1 << 20) + 20, (1 << 20) + 30, true, kMte3, 9), 0);
    CHECK_EQ(log.Length(), size_t{4});
    CHECK_EQ(last().runs.bytes, 18U);
    CHECK_EQ(last().access.index, 9U);
}

TEST(ALogIsTheSameWheneverPartsOfItAreTaken) {
    const auto record = [](uint32_t seed, bool take) {
        std::mt19937 random(7);
        std::mt19937 when(seed);
        CoreLog log;
        LogSegment taken;
        for (uint32_t i = 1; i < 400; ++i) {
            const auto what = random() % 8;
            const uint32_t site = random() % 3;
            GmAccess access =
                At(1024 + site * 4096 + i * 8, 1032 + site * 4096 + i * 8, true, kMte3, i);
            access.access.site = site;
            access.runs = what == 0 ? Runs(4, {2, 8}) : access.runs;
            for (uint32_t round = 0; what == 6 && round < random() % 3 + 1; ++round) {
                PollWord(&log, i + round);
            }
            what == 7 ? PublishWord(&log, i, i, 0) : log.Add(access, i / 40);
            if (take && when() % 3 == 0) {
                log.TakeSettled(false, &taken);
            }
        }
        log.TakeSettled(true, &taken);
        std::string text;
        LogReader reader;
        reader.Take(std::move(taken));
        const Meeting* meeting = reader.Next();
        while (meeting != nullptr || reader.HasAccess()) {
            if (meeting == nullptr || reader.At() < meeting->at) {
                const GmAccess access = reader.NextAccess();
                text += std::to_string(access.begin) + "+" + std::to_string(access.runs.Span()) +
                        "@" + std::to_string(access.access.index) + " ";
            } else {
                text += meeting->polls
                            ? "poll " + std::to_string(reader.NextPoll().value) + " "
                            : "tell " + std::to_string(reader.NextPublished().scalarEpoch) + " ";
                reader.Pass();
                meeting = reader.Next();
            }
        }
        return text;
    };
    const std::string whole = record(0, false);
    CHECK(whole.size() > 1000);
    for (uint32_t seed = 1; seed < 20; ++seed) {
        CHECK_EQ(record(seed, true), whole);
    }
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
