// SPDX-License-Identifier: Apache-2.0
#include "device/kfc/channel.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>

#include "core/launch_state.h"
#include "device/issue/issue.h"

namespace twin {

/// Matmul requests of one block's vector cores to their cube core, guarded by LaunchState::mutex.
class ServiceChannel : public BlockShared {
public:
    struct Request {
        uint32_t object;
        kfc::Work work;
        uint64_t pair = 0;   ///< IBSHARE: number of the request pair of `object`, from 1; 0: none
        bool joint = false;  ///< one matrix product serves both vector cores
        bool once = false;   ///< this is the second request of a pair; it computes nothing
    };
    struct Client {
        std::deque<Request> requests;
        uint64_t posted = 0;
        uint64_t served = 0;
        std::map<uint32_t, uint64_t> pairsPosted, pairsServed;  ///< paired requests of each object
        bool begun = false;
        bool quit = false;
    };

    explicit ServiceChannel(uint32_t clients) : clients(clients) {}

    std::vector<Client> clients;
};

namespace kfc {
namespace {

constexpr uint32_t kStageSlots = 64;  // number of parts of the system workspace, one per core

ServiceChannel& ChannelOf(const Core& core) {
    LaunchState& launch = *core.launch;
    std::unique_ptr<BlockShared>& shared = launch.blockShared[core.blockIdx];
    if (shared == nullptr) {
        shared = std::make_unique<ServiceChannel>(launch.shape.aiv);
    }
    return static_cast<ServiceChannel&>(*shared);
}

/// Objects on which a vector core and its cube core (`Pairs`: two vector cores) synchronise.
enum class Box : uint64_t { Requests = 3, Answers = 4, Pairs = 8 };

CoreSync SyncAt(Box box, const Core& core, uint32_t client, CoreSync::What what) {
    CoreSync sync;
    sync.what = what;
    sync.which = CoreSync::Round::Next;
    sync.object = (uint64_t{core.blockIdx} << 16 | client << 8) + static_cast<uint64_t>(box);
    sync.count = 1;
    sync.client = static_cast<uint8_t>(client + 1);
    return sync;
}

/// Writes to `sync` that a request belongs to pair number `pair` (from 1) of requests for `object`.
/// Each of two vector cores makes one request of a pair; `follows`: the second core's request.
void Join(CoreSync* sync, const Core& core, uint32_t object, uint64_t pair, bool follows) {
    sync->pair = (uint64_t{core.blockIdx} << 16 | object << 4) + static_cast<uint64_t>(Box::Pairs);
    sync->pairRound = static_cast<uint32_t>(pair - 1);
    sync->follows = follows;
}

/// Returns the CoreSync of a wait for the answer to request number `ticket` (from 1).
CoreSync AnswerTo(const Core& core, uint64_t ticket) {
    CoreSync sync = SyncAt(Box::Answers, core, core.subBlockIdx, CoreSync::What::Acquire);
    sync.which = CoreSync::Round::Fixed;
    sync.round = static_cast<uint32_t>(ticket - 1);
    return sync;
}

void Note(Core& core, Opcode opcode, const CoreSync& sync = {}) {
    Issue issue(opcode, core);
    if (sync.what != CoreSync::What::None) {
        issue.Is(record::Meeting{sync});
    }
    issue.Ready();
    issue.Done();
}

/// Returns true if the vector core waits or polls, so that it cannot post a request now.
bool Blocked(const LaunchState& launch, uint32_t block, uint32_t subBlock) {
    for (const Task* const task : launch.live) {
        const Core& core = task->core;
        if (core.kind == CoreKind::Aiv && core.blockIdx == block && core.subBlockIdx == subBlock) {
            return task->state == TaskState::Waiting || task->polling;
        }
    }
    return false;
}

/// Returns true if the client's request must wait for the first vector core's request of the pair.
bool Held(ServiceChannel& channel, const ServiceChannel::Client& client) {
    if (client.requests.empty() || !client.requests.front().once) {
        return false;
    }
    const ServiceChannel::Request& request = client.requests.front();
    return channel.clients[0].pairsServed[request.object] < request.pair;
}

struct PairCounts {
    uint32_t object = 0;
    uint64_t first = 0, last = 0;  ///< numbers of paired requests of the two vector cores
};

/// Returns the first object for which the vector cores made different numbers of paired requests.
/// If there is none, returns equal counts.
PairCounts Unpaired(ServiceChannel& channel) {
    ServiceChannel::Client& first = channel.clients.front();
    ServiceChannel::Client& last = channel.clients.back();
    for (const auto* const client : {&first, &last}) {
        for (const auto& entry : client->pairsPosted) {
            const uint32_t object = entry.first;
            const PairCounts counts{object, first.pairsPosted[object], last.pairsPosted[object]};
            if (counts.first != counts.last) {
                return counts;
            }
        }
    }
    return PairCounts();
}

/// Fails if vector cores that share operands made different numbers of requests (T497).
void CheckPairs(const Core& core) {
    PairCounts counts;
    {
        const std::lock_guard<std::mutex> lock(core.launch->mutex);
        counts = Unpaired(ChannelOf(core));
    }
    if (counts.first == counts.last) {
        return;
    }
    Fail("T497",
         "request without counterpart: the vector cores of a block ask Matmul %u with IBSHARE for "
         "%llu and %llu products\n  try: the same number of calls on both, with IterateAll's "
         "fakeMsg where a core has no work",
         counts.object, static_cast<unsigned long long>(counts.first),
         static_cast<unsigned long long>(counts.last));
}

/// Returns the client to serve next, or nullptr if the cube core must wait. Requests are served in
/// the order of the vector cores: the cube core waits for a vector core that may still make a
/// request. So the results do not depend on the speed of the vector cores.
ServiceChannel::Client* NextClient(const LaunchState& launch, ServiceChannel& channel,
                                   uint32_t block) {
    ServiceChannel::Client* next = nullptr;
    for (uint32_t i = 0; i < channel.clients.size(); ++i) {
        ServiceChannel::Client& client = channel.clients[i];
        if (!client.requests.empty()) {
            if (next == nullptr && !Held(channel, client)) {
                next = &client;
            }
        } else if (!client.quit && !(client.begun && Blocked(launch, block, i))) {
            return nullptr;
        }
    }
    return next;
}

/// Returns true if no request can be served any more: each vector core has quit, or its request
/// waits for a request of a vector core that has quit.
bool AllQuit(ServiceChannel& channel) {
    return std::all_of(channel.clients.begin(), channel.clients.end(), [&](const auto& client) {
        return client.requests.empty() ? client.quit : Held(channel, client);
    });
}

/// Fails if buffers of the cube core contain the last bytes of L1, which the Matmul server takes.
void CheckServerRoom(const Core& core) {
    const uint64_t end = core.launch->LibraryL1();
    const uint32_t taken = core.pipe == nullptr ? 0 : PipeEndAddress(*GetTPipePtr(), Memory::L1);
    if (taken > end && core.strict) {
        Fail("T106",
             "L1 full: the Matmul server takes L1 from 0x%llx on, but buffers of InitBuffer end at "
             "0x%x\n  try: leave the last %u B of L1 to it",
             static_cast<unsigned long long>(end), taken,
             static_cast<uint32_t>(core.soc->l1Bytes - end));
    }
}

/// Fails if buffers of the vector core contain the last bytes of UB, in which the library builds
/// the message for a Matmul request.
void CheckMessageRoom(const Core& core) {
    const uint64_t end = core.UbBytes() - kMatmulMessageBytes;
    const uint32_t taken = core.pipe == nullptr ? 0 : PipeEndAddress(*GetTPipePtr(), Memory::Ub);
    if (taken > end && core.strict) {
        Fail("T106",
             "UB full: the library builds the message of a Matmul request in the last %u B of UB, "
             "but buffers of InitBuffer end at 0x%x > 0x%llx"
             "\n  try: leave the last %u B of UB to Matmul (GetCoreMemSize subtracts 256 B from "
             "the size of UB)",
             kMatmulMessageBytes, taken, static_cast<unsigned long long>(end), kMatmulMessageBytes);
    }
}

template <typename Change>
void Tell(Core& core, Change&& change) {
    core.PublishAtomics();
    LaunchState& launch = *core.launch;
    const std::lock_guard<std::mutex> lock(launch.mutex);
    change(ChannelOf(core));
    launch.NoteSync();
    launch.NoteChange();
}

/// Returns what the cube core of `block` waits for, and on which vector cores.
std::vector<Awaited> RequestsOf(const LaunchState& launch, uint32_t block) {
    Awaited calls{"a Matmul call, or the kernel's end,", {}};
    for (uint32_t i = 0; i < launch.shape.aiv; ++i) {
        calls.cores.push_back(block * launch.shape.Cores() + launch.shape.aic + i);
    }
    return {calls};
}

/// Executes and records a request of a vector core.
void WorkOff(Core& core, uint32_t client, const ServiceChannel::Request& request, void* object) {
    CoreSync accept = SyncAt(Box::Requests, core, client, CoreSync::What::Acquire);
    CoreSync answer = SyncAt(Box::Answers, core, client, CoreSync::What::Release);
    if (request.joint) {
        Join(&accept, core, request.object, request.pair, request.once);
        Join(&answer, core, request.object, request.pair, request.once);
    }
    Note(core, Opcode::MatmulAccept, accept);
    if (!request.once) {
        request.work(object);
    }
    Note(core, Opcode::MatmulServe, answer);
}

}  // namespace

void Begin(Location where) {
    Core& core = Self();
    core.Begin(where);
    if (core.launch->shape.aic == 0) {
        Fail("T490",
             "no cube core: REGIST_MATMUL_OBJ in a kernel of vector cores only\n  try: "
             "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2), or no task type at all");
    }
    Note(core, Opcode::MatmulRegister);
    Tell(core, [&core](ServiceChannel& channel) {
        channel.clients[core.subBlockIdx].begun = true;
        channel.clients[core.subBlockIdx].quit = false;
    });
}

void Quit() {
    Core& core = Self();
    Tell(core, [&core](ServiceChannel& channel) { channel.clients[core.subBlockIdx].quit = true; });
}

void RequireServer(const char* api, Location where) {
    Core& core = Self();
    core.Begin(where);
    bool served = false;
    {
        const std::lock_guard<std::mutex> lock(core.launch->mutex);
        const ServiceChannel::Client& client = ChannelOf(core).clients[core.subBlockIdx];
        served = client.begun && !client.quit;
    }
    if (!served) {
        Fail("T490",
             "no server: %s of a vector core into TSCM, which its cube core makes while it serves "
             "Matmul objects\n  try: REGIST_MATMUL_OBJ before it, without ASCENDC_CUBE_ONLY",
             api);
    }
}

uint64_t Post(uint32_t object, Work work, Pairing pairing, Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckMessageRoom(core);
    const bool joint = pairing == Pairing::kOnce;
    const bool once = joint && core.subBlockIdx > 0;
    uint64_t pair = 0;
    if (pairing != Pairing::kNone) {
        const std::lock_guard<std::mutex> lock(core.launch->mutex);
        pair = ++ChannelOf(core).clients[core.subBlockIdx].pairsPosted[object];
    }
    CoreSync sync = SyncAt(Box::Requests, core, core.subBlockIdx, CoreSync::What::Release);
    if (joint) {
        Join(&sync, core, object, pair, once);
    }
    Note(core, Opcode::MatmulRequest, sync);
    core.NoteMeeting();
    uint64_t ticket = 0;
    Tell(core, [&](ServiceChannel& channel) {
        ServiceChannel::Client& client = channel.clients[core.subBlockIdx];
        client.requests.push_back({object, std::move(work), pair, joint, once});
        ticket = ++client.posted;
    });
    return ticket;
}

void Await(uint64_t ticket, const char* api, Location where) {
    Core& core = Self();
    core.Begin(where);
    Note(core, Opcode::MatmulWait, ticket == 0 ? CoreSync() : AnswerTo(core, ticket));
    const auto done = [&core, ticket] {
        return ChannelOf(core).clients[core.subBlockIdx].served >= ticket;
    };
    const auto awaited = [&core] {
        return std::vector<Awaited>{{"its Matmul server (REGIST_MATMUL_OBJ)",
                                     {core.blockIdx * core.launch->shape.Cores()}}};
    };
    WaitUntil(core, done, std::string("the cube core to finish ") + api, awaited);
}

void* Stage(uint64_t bytes, Location where) {
    Core& core = Self();
    const uint64_t slot = core.soc->systemWorkspaceBytes / kStageSlots;
    const uint64_t length = (bytes + 511) / 512 * 512;
    if (core.LogicalBlockIdx() >= kStageSlots || length > slot) {
        Fail("T491",
             "no room to stage: a local tensor of %llu B of vector core %u; the library keeps %llu "
             "B "
             "for each of %u cores",
             static_cast<unsigned long long>(bytes), core.LogicalBlockIdx(),
             static_cast<unsigned long long>(slot), kStageSlots);
    }
    if (core.stageOffset + length > slot) {
        uint64_t posted = 0;
        {
            const std::lock_guard<std::mutex> lock(core.launch->mutex);
            posted = ChannelOf(core).clients[core.subBlockIdx].posted;
        }
        Await(posted, "what reads the staged tensors", where);
        core.stageOffset = 0;
    }
    const uintptr_t base = SystemWorkspace(core.soc->systemWorkspaceBytes);
    const uintptr_t place = base + core.LogicalBlockIdx() * slot + core.stageOffset;
    core.stageOffset += length;
    return reinterpret_cast<void*>(place);
}

uint32_t Clients() { return Self().launch->shape.aiv; }

void Serve(void* const* objects, uint32_t count, Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckServerRoom(core);
    LaunchState& launch = *core.launch;
    const uint32_t block = core.blockIdx;
    while (true) {
        ServiceChannel::Request request;
        ServiceChannel::Client* client = nullptr;
        const auto ready = [&launch, &core, block] {
            ServiceChannel& channel = ChannelOf(core);
            return AllQuit(channel) || NextClient(launch, channel, block) != nullptr;
        };
        WaitUntil(core, ready, "Matmul requests or the end of its vector cores",
                  [&launch, block] { return RequestsOf(launch, block); });
        bool done = false;
        uint32_t number = 0;
        {
            const std::lock_guard<std::mutex> lock(launch.mutex);
            ServiceChannel& channel = ChannelOf(core);
            client = NextClient(launch, channel, block);
            done = client == nullptr && AllQuit(channel);
            if (client != nullptr) {
                number = static_cast<uint32_t>(client - channel.clients.data());
                request = std::move(client->requests.front());
                client->requests.pop_front();
            }
        }
        if (done) {
            return CheckPairs(core);
        }
        if (client == nullptr) {
            continue;
        }
        if (request.object >= count) {
            Fail("T492", "unknown Matmul: request for object %u of %u", request.object, count);
        }
        WorkOff(core, number, request, objects[request.object]);
        core.NoteMeeting();
        Tell(core, [client, &request](ServiceChannel&) {
            ++client->served;
            if (request.pair != 0) {
                ++client->pairsServed[request.object];
            }
        });
    }
}

}  // namespace kfc
}  // namespace twin
