// SPDX-License-Identifier: Apache-2.0
#include "hazard/replay.h"

#include <random>
#include <string>
#include <utility>

#include "check.h"
#include "logs.h"

using namespace twin::hazard;
using twin::BlockShape;
using twin::CoreSync;
using twin::Runs;

namespace {

constexpr BlockShape kVector = {0, 1};
constexpr BlockShape kMix = {1, 2};

Meeting Flag(int8_t flag, int8_t mode, Lane lane, uint32_t ended) {
    Meeting meeting;
    meeting.flag = flag;
    meeting.mode = mode;
    meeting.clock.ended[lane] = ended;
    return meeting;
}

Meeting Wait(int8_t flag) { return Flag(flag, -1, kS, 0); }

Meeting Sync(CoreSync::What what, uint32_t member, uint32_t count, uint32_t back) {
    Meeting meeting;
    meeting.sync.what = what;
    meeting.sync.which = CoreSync::Round::Own;
    meeting.sync.object = 1;
    meeting.sync.member = member;
    meeting.sync.count = count;
    meeting.sync.round = back;
    meeting.clock.ended.fill(1);
    return meeting;
}

void MeetAll(CoreLog* log, uint32_t member, uint32_t count) {
    log->Meet(Sync(CoreSync::What::Release, member, count, 0));
    log->Meet(Sync(CoreSync::What::Acquire, member, count, 1));
}

/// Splits a log into segments that contain one access or one synchronisation each.
std::vector<LogSegment> PiecesOf(const LogSegment& all) {
    std::vector<LogSegment> pieces;
    size_t access = 0;
    size_t runs = 0;
    size_t published = 0;
    size_t poll = 0;
    const auto accesses = [&](size_t end) {
        for (; access < end; ++access) {
            pieces.emplace_back();
            pieces.back().accesses.push_back(all.accesses[access]);
            if (all.accesses[access].strided) {
                pieces.back().runs.push_back(all.runs[runs++]);
            }
        }
    };
    for (const Meeting& meeting : all.meetings) {
        accesses(meeting.at);
        pieces.emplace_back();
        pieces.back().meetings.push_back(meeting);
        if (meeting.publishes) {
            pieces.back().published.push_back(all.published[published++]);
        }
        if (meeting.polls) {
            pieces.back().polls.push_back(all.polls[poll++]);
        }
    }
    accesses(all.accesses.size());
    return pieces;
}

/// Gives the segments of the logs to `Replay` in a random order of cores. Returns the hazards.
std::string Codes(BlockShape shape, uint32_t cores, const std::vector<LogicalCore>& parts,
                  std::vector<std::vector<LogSegment>> pieces, uint32_t seed) {
    std::string codes;
    Replay replay(shape, cores, parts,
                  {[&](const Race& race) {
                       codes += std::string(codes.empty() ? "" : " ") + race.code + "@" +
                                std::to_string(race.begin) + "+" + std::to_string(race.bytes);
                   },
                   [](const LogicalCore&, const TentativeFinding&) {}});
    std::mt19937 random(seed);
    std::vector<size_t> next(parts.size());
    for (size_t open = parts.size(); open != 0;) {
        const auto part = static_cast<uint32_t>(random() % parts.size());
        if (next[part] < pieces[part].size()) {
            replay.Put(part, std::move(pieces[part][next[part]++]));
        } else if (next[part]++ == pieces[part].size()) {
            replay.End(part);
            --open;
        }
        replay.Run(random() % 3);
    }
    CHECK(replay.Run());
    return codes;
}

/// Returns the hazards of `logs`. The first `cores` logs belong to cores. Each further log has the
/// accesses that core 0 made for one vector core (client).
std::string Codes(BlockShape shape, const std::vector<CoreLog>& logs, uint32_t cores = 0) {
    cores = cores == 0 ? static_cast<uint32_t>(logs.size()) : cores;
    std::vector<LogicalCore> parts;
    std::vector<std::vector<LogSegment>> whole;
    std::vector<std::vector<LogSegment>> pieces;
    for (uint32_t i = 0; i < logs.size(); ++i) {
        parts.push_back({i < cores ? i : 0, i < cores ? 0 : i - cores + 1});
        whole.push_back({All(logs[i])});
        pieces.push_back(PiecesOf(All(logs[i])));
    }
    const std::string codes = Codes(shape, cores, parts, whole, 0);
    for (uint32_t seed = 1; seed < 20; ++seed) {
        CHECK_EQ(Codes(shape, cores, parts, pieces, seed), codes);
    }
    return codes;
}

}  // namespace

TEST(ADoubtIsDecidedWhereItStands) {
    for (const bool before : {true, false}) {
        CoreLog log;
        CoreLog other;
        TentativeFinding finding;
        finding.lane = kMte3;
        finding.index = 1;
        if (before) {
            log.Note(finding);
        }
        MeetAll(&log, 0, 2);
        MeetAll(&other, 1, 2);
        if (!before) {
            log.Note(finding);
        }
        uint32_t known = 0;
        Replay replay(
            kVector, 2, {{0, 0}, {1, 0}},
            {[](const Race&) {}, [&](const LogicalCore&, const TentativeFinding&) { ++known; }});
        for (uint32_t core = 0; core < 2; ++core) {
            replay.Put(core, All(core == 0 ? log : other));
            replay.End(core);
        }
        replay.Run();
        CHECK_EQ(known, before ? 0U : 1U);
    }
}

TEST(CoresWithoutAMeetingAreInNoOrder) {
    std::vector<CoreLog> logs(2);
    logs[0].Add(At(0, 64, true, kMte3, 1), 0);
    logs[1].Add(At(60, 100, false, kMte2, 1), 0);
    logs[1].Add(At(64, 100, true, kMte3, 1), 0);
    CHECK_EQ(Codes(kVector, logs), "T811@60+4");
}

TEST(WhatAServerDoesForOneClientTellsTheOtherNothing) {
    const auto meet = [](CoreLog* log, CoreSync::What what, uint64_t object) {
        Meeting meeting = Sync(what, 0, 1, 0);
        meeting.sync.which = CoreSync::Round::Fixed;
        meeting.sync.object = object;
        meeting.clock.ended.fill(9);
        log->Meet(meeting);
    };
    // Both vector cores send a request to the cube core, wait for its answer and read 64 bytes.
    std::vector<CoreLog> logs(5);
    for (uint32_t client = 1; client <= 2; ++client) {
        CoreLog& work = logs[2 + client];
        meet(&logs[client], CoreSync::What::Release, 10 + client);
        meet(&work, CoreSync::What::Acquire, 10 + client);
        work.Add(At(64 * (client - 1), 64 * client, true, kFix, client), 0);
        meet(&work, CoreSync::What::Release, 20 + client);
        meet(&logs[client], CoreSync::What::Acquire, 20 + client);
        logs[client].Add(At(0, 64, false, kMte2, 1), 0);
    }
    CHECK_EQ(Codes(kMix, logs, 3), "T811@0+64");  // the read of the second client
    // The first write races with core 0's write for client 1 (T813). The second write is ordered.
    logs[4].Add(At(32, 48, true, kFix, 3), 0);
    logs[0].Add(At(0, 128, true, kFix, 4), 0);
    const std::string codes = Codes(kMix, logs, 3);
    CHECK_EQ(codes.find("T813@32+16"), codes.rfind("T813"));
}

TEST(ABarrierOfAllCoresOrders) {
    std::vector<CoreLog> logs(2);
    logs[1].Add(At(0, 64, true, kMte3, 1), 0);
    for (uint32_t core = 0; core < 2; ++core) {
        MeetAll(&logs[core], core, 2);
    }
    logs[0].Add(At(0, 64, false, kMte2, 2), 0);
    CHECK_EQ(Codes(kVector, logs), "");
    logs[1].Add(At(32, 64, true, kMte3, 2), 0);  // after the barrier, to bytes that core 0 reads
    CHECK_EQ(Codes(kVector, logs), "T812@32+32");
}

TEST(CoresBeyondAWordOfThemMeetRoundByRound) {
    constexpr uint32_t kCores = 130;
    std::vector<CoreLog> logs(kCores);
    // In each round every core writes the bytes that another core wrote in the round before.
    for (uint32_t round = 1; round <= 3; ++round) {
        for (uint32_t core = 0; core < kCores; ++core) {
            const uint64_t place = (core + round) % kCores * 64;
            logs[core].Add(At(place, place + 64, true, kMte3, round), round);
            Meeting meeting = Sync(CoreSync::What::Release, core, kCores, 0);
            meeting.clock.ended.fill(core == 7 && round == 2 ? 1 : round);
            logs[core].Meet(meeting);
            logs[core].Meet(Sync(CoreSync::What::Acquire, core, kCores, 1));
        }
    }
    // In round 2 core 7 does not wait for its write, and in round 3 core 6 writes the same bytes.
    CHECK_EQ(Codes(kVector, logs), "T813@576+64");
}

TEST(AFlagCoversThePipeThatRaisesIt) {
    std::vector<CoreLog> logs(3);  // a cube core and its two vector cores
    logs[0].Add(At(0, 64, true, kFix, 1), 0);
    logs[0].Meet(Flag(3, 2, kFix, 1));
    for (uint32_t core = 1; core < 3; ++core) {
        logs[core].Meet(Wait(3));
        logs[core].Add(At(0, 64, false, kMte2, 1), 0);
    }
    CHECK_EQ(Codes(kMix, logs), "");
    std::vector<CoreLog> wrong(3);
    wrong[0].Add(At(0, 64, true, kFix, 1), 0);
    wrong[0].Meet(Flag(3, 2, kMte2, 1));
    wrong[1].Meet(Wait(3));
    wrong[1].Add(At(0, 64, false, kMte2, 1), 0);
    wrong[2].Meet(Wait(3));
    CHECK_EQ(Codes(kMix, wrong), "T811@0+64");
}

TEST(TheCubeCoreWaitsForBothVectorCores) {
    std::vector<CoreLog> logs(3);
    for (uint32_t core = 1; core < 3; ++core) {
        logs[core].Add(At(core * 64, core * 64 + 64, true, kMte3, 1), 0);
        logs[core].Meet(Flag(1, 2, kMte3, 1));
    }
    logs[0].Meet(Wait(1));
    logs[0].Add(At(64, 192, false, kMte2, 1), 0);
    CHECK_EQ(Codes(kMix, logs), "");
}

TEST(CountsOfAFlagAreMatchedInOrder) {
    std::vector<CoreLog> logs(3);
    for (uint32_t round = 1; round <= 2; ++round) {
        logs[0].Add(At(round * 64, round * 64 + 64, true, kFix, round), round);
        logs[0].Meet(Flag(3, 2, kFix, round));
    }
    logs[1].Meet(Wait(3));
    logs[1].Add(At(128, 192, false, kMte2, 1), 0);  // the write precedes only the second flag
    CHECK_EQ(Codes(kMix, logs), "T811@128+64");
}

TEST(AtomicCopiesOfOneKindCommute) {
    std::vector<CoreLog> logs(2);
    for (CoreLog& log : logs) {
        GmAccess add = At(0, 64, true, kMte3, 1);
        add.access.kind = 5;
        log.Add(add, 0);
    }
    CHECK_EQ(Codes(kVector, logs), "");
    logs[1].Add(At(0, 4, false, kMte2, 1), 0);
    CHECK_EQ(Codes(kVector, logs), "T314@0+4");
}

TEST(AWordThatIsFoundOrders) {
    for (const uint32_t ended : {1U, 0U}) {
        std::vector<CoreLog> logs(2);
        PollWord(&logs[0], 0);  // a loop that reads an old value, then the new one
        PollWord(&logs[0], 7);
        logs[0].Add(At(0, 64, false, kMte2, 1), 0);
        logs[1].Add(At(0, 64, true, kMte3, 1), 0);
        PublishWord(&logs[1], 7, 1, ended);
        CHECK_EQ(Codes(kVector, logs), ended == 1 ? "" : "T812@0+64");
        CHECK_EQ(All(logs[0]).polls.size(), size_t{1});
    }
}

TEST(AnOldValueOfAWordOrdersNothing) {
    std::vector<CoreLog> logs(2);
    logs[0].Add(At(0, 64, true, kMte3, 1), 0);
    PublishWord(&logs[0], 7, 1, 1);
    PollWord(&logs[1], 6);
    logs[1].Add(At(0, 64, false, kMte2, 1), 0);
    CHECK_EQ(Codes(kVector, logs), "T811@0+64");
}

TEST(AWordGoesToAndFro) {
    std::vector<CoreLog> logs(2);
    for (uint32_t round = 0; round < 3; ++round) {
        PollWord(&logs[0], 0);
        logs[0].Add(At(0, 64, true, kMte3, round + 1), round);
        PublishWord(&logs[0], 7, round + 1, round + 1);
        PollWord(&logs[1], 7);
        logs[1].Add(At(0, 64, true, kMte3, round + 1), round);
        PublishWord(&logs[1], 0, round + 1, round + 1);
    }
    CHECK_EQ(Codes(kVector, logs), "");
    logs[1].Add(At(0, 4, true, kMte3, 4), 4);
    PollWord(&logs[0], 0);
    logs[0].Add(At(0, 64, true, kMte3, 4), 4);
    CHECK_EQ(Codes(kVector, logs), "T813@0+4");
}

TEST(AnEarlierWordOfWhoHasToldMoreIsNotThere) {
    std::vector<CoreLog> logs(2);
    PublishWord(&logs[0], 7, 1, 0);
    Meeting flag = Flag(3, 0, kS, 0);
    flag.clock.ended[kScalarRead] = 2;
    for (CoreLog& log : logs) {
        log.Meet(flag);
        log.Meet(Wait(3));
    }
    PollWord(&logs[1], 7);
    CHECK_EQ(Codes(kVector, logs), "T811@128+4");
}

TEST(AStaleLineIsFoundBehindABarrier) {
    std::vector<CoreLog> logs(2);
    GmAccess load = At(0, 64, false, kScalarRead, 1);
    load.cached = Cached::Load;
    logs[0].Add(load, 0);
    MeetAll(&logs[0], 0, 2);
    logs[1].Add(At(0, 64, true, kMte3, 1), 0);
    // Core 1 has written before the barrier. But core 0 still has the line that it loaded earlier.
    MeetAll(&logs[1], 1, 2);
    GmAccess read = At(8, 12, false, kScalarRead, 2);
    read.cached = Cached::Read;
    logs[0].Add(read, 1);
    CHECK_EQ(Codes(kVector, logs), "T312@8+4");
}

TEST(ColumnsOfTwoCoresDoNotMeet) {
    for (const uint64_t second : {4, 2}) {
        std::vector<CoreLog> logs(2);
        GmAccess column = At(0, 4, true, kMte3, 1);
        column.runs = Runs(4, {1000, 8});
        logs[0].Add(column, 0);
        column.begin = second;
        logs[1].Add(column, 0);
        CHECK_EQ(Codes(kVector, logs), second == 4 ? "" : "T813@2+2");
    }
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
