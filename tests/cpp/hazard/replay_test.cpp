// SPDX-License-Identifier: Apache-2.0
#include "hazard/replay.h"

#include <cstring>
#include <string>

#include "check.h"

using namespace twin::hazard;
using twin::BlockShape;
using twin::CoreSync;
using twin::Runs;

namespace {

constexpr BlockShape kVector = {0, 1};
constexpr BlockShape kMix = {1, 2};

GmAccess At(uint64_t begin, uint64_t end, bool write, Lane lane, uint32_t index) {
    GmAccess access;
    access.begin = begin;
    access.runs.bytes = end - begin;
    access.write = write;
    access.access.lane = lane;
    access.access.index = index;
    return access;
}

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

constexpr uint64_t kWord = 128;

/// The scalar unit writes a word for others to see, when so many stores are known to have ended.
void Tell(CoreLog* log, uint32_t value, uint32_t told, uint32_t stores) {
    GmAccess access = At(kWord, kWord + 4, true, kS, told);
    access.told = told;
    access.word = true;
    log->Add(access, told);
    Published what;
    what.line = kWord;
    what.bits = 0xF;
    std::memcpy(what.bytes, &value, sizeof(value));
    what.access = access.access;
    what.told = told;
    Clock clock;
    clock.ended[kMte3] = stores;
    clock.ended[kScalarRead] = told;
    log->Publish(what, clock);
}

void Ask(CoreLog* log, uint32_t value) {
    Poll poll;
    poll.access = At(kWord, kWord + 4, false, kScalarRead, 1);
    poll.access.word = true;
    poll.line = kWord;
    poll.bits = 0xF;
    poll.value = value;
    log->Read(poll);
}

/// `cores` of the logs are of cores, those behind them of what the first core did for its clients.
std::string Codes(BlockShape shape, const std::vector<CoreLog>& logs, uint32_t cores = 0) {
    cores = cores == 0 ? static_cast<uint32_t>(logs.size()) : cores;
    std::vector<Part> parts;
    for (uint32_t i = 0; i < logs.size(); ++i) {
        parts.push_back({&logs[i], i < cores ? i : 0, i < cores ? 0 : i - cores + 1});
    }
    std::string codes;
    Replay(shape, cores, parts, [&](const Clash& clash) {
        codes += std::string(codes.empty() ? "" : " ") + clash.code + "@" +
                 std::to_string(clash.begin) + "+" + std::to_string(clash.bytes);
    }).Run();
    return codes;
}

}  // namespace

TEST(ALogGivesBackWhatItWasGiven) {
    CoreLog log;
    for (const Runs& runs : {Runs(12), Runs(uint64_t{5} << 32), Runs(4, {3, 8}, {2, 100})}) {
        GmAccess access = At(1 << 20, (1 << 20) + 4, true, kMte3, 7);
        access.runs = runs;
        access.access.site = static_cast<uint32_t>(log.Count());
        access.access.kind = 3;
        access.told = 9;
        access.word = true;
        log.Add(access, 0);
        const GmAccess kept = log.At(log.Count() - 1);
        CHECK_EQ(kept.begin, access.begin);
        CHECK_EQ(kept.runs.Span(), runs.Span());
        CHECK_EQ(kept.runs.TotalBytes(), runs.TotalBytes());
        CHECK(kept.access.SameInstruction(access.access));
        CHECK_EQ(kept.access.site, access.access.site);
        CHECK(kept.access.kind == 3 && kept.write && kept.word && kept.told == 9);
    }
    log.Add(At((1 << 20) + 12, (1 << 20) + 20, true, kMte3, 8), 0);  // of another kind
    CHECK_EQ(log.Count(), size_t{4});
    log.Add(At((1 << 20) + 20, (1 << 20) + 30, true, kMte3, 9), 0);
    CHECK_EQ(log.Count(), size_t{4});
    CHECK_EQ(log.At(3).runs.bytes, 18U);
    CHECK_EQ(log.At(3).access.index, 9U);
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
    // Both ask the cube core, wait for its answer and read the first 64 bytes.
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
    CHECK_EQ(Codes(kMix, logs, 3), "T811@0+64");  // the second client's
    // What is done for both may meet in any order; what the core does around it is its own.
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
    logs[1].Add(At(32, 64, true, kMte3, 2), 0);  // behind the barrier, where core 0 reads
    CHECK_EQ(Codes(kVector, logs), "T812@32+32");
}

TEST(CoresBeyondAWordOfThemMeetRoundByRound) {
    constexpr uint32_t kCores = 130;
    std::vector<CoreLog> logs(kCores);
    // In each round every core writes what another one wrote in the round before.
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
    // Core 7 tells in the second round of what it did in the first; core 6 comes next.
    CHECK_EQ(Codes(kVector, logs), "T813@576+64");
}

TEST(AFlagCoversThePipeThatRaisesIt) {
    std::vector<CoreLog> logs(3);  // a cube core and its vector cores
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
    logs[1].Add(At(128, 192, false, kMte2, 1), 0);  // what the second set covers
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
        Ask(&logs[0], 0);  // an old value, and then the new one: one loop that waits
        Ask(&logs[0], 7);
        logs[0].Add(At(0, 64, false, kMte2, 1), 0);
        logs[1].Add(At(0, 64, true, kMte3, 1), 0);
        Tell(&logs[1], 7, 1, ended);
        CHECK_EQ(Codes(kVector, logs), ended == 1 ? "" : "T812@0+64");
        CHECK_EQ(logs[0].Polls().size(), size_t{1});
    }
}

TEST(AnOldValueOfAWordOrdersNothing) {
    std::vector<CoreLog> logs(2);
    logs[0].Add(At(0, 64, true, kMte3, 1), 0);
    Tell(&logs[0], 7, 1, 1);
    Ask(&logs[1], 6);
    logs[1].Add(At(0, 64, false, kMte2, 1), 0);
    CHECK_EQ(Codes(kVector, logs), "T811@0+64");
}

TEST(AWordGoesToAndFro) {
    std::vector<CoreLog> logs(2);
    for (uint32_t round = 0; round < 3; ++round) {
        Ask(&logs[0], 0);
        logs[0].Add(At(0, 64, true, kMte3, round + 1), round);
        Tell(&logs[0], 7, round + 1, round + 1);
        Ask(&logs[1], 7);
        logs[1].Add(At(0, 64, true, kMte3, round + 1), round);
        Tell(&logs[1], 0, round + 1, round + 1);
    }
    CHECK_EQ(Codes(kVector, logs), "");
    logs[1].Add(At(0, 4, true, kMte3, 4), 4);
    Ask(&logs[0], 0);
    logs[0].Add(At(0, 64, true, kMte3, 4), 4);
    CHECK_EQ(Codes(kVector, logs), "T813@0+4");
}

TEST(AnEarlierWordOfWhoHasToldMoreIsNotThere) {
    std::vector<CoreLog> logs(2);
    Tell(&logs[0], 7, 1, 0);
    Meeting flag = Flag(3, 0, kS, 0);
    flag.clock.ended[kScalarRead] = 2;
    for (CoreLog& log : logs) {
        log.Meet(flag);
        log.Meet(Wait(3));
    }
    Ask(&logs[1], 7);
    CHECK_EQ(Codes(kVector, logs), "T811@128+4");
}

TEST(AStaleLineIsFoundBehindABarrier) {
    std::vector<CoreLog> logs(2);
    GmAccess load = At(0, 64, false, kScalarRead, 1);
    load.cached = Cached::Load;
    logs[0].Add(load, 0);
    MeetAll(&logs[0], 0, 2);
    logs[1].Add(At(0, 64, true, kMte3, 1), 0);
    // The write lies before the barrier, the line came in before it, too.
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
