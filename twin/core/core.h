// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_CORE_H
#define TWIN_CORE_CORE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/atomics.h"
#include "core/buffer.h"
#include "core/cube_state.h"
#include "core/export.h"
#include "core/function_ref.h"
#include "core/gm.h"
#include "core/instruction.h"
#include "core/kernel_binary.h"
#include "core/location.h"
#include "core/observer.h"
#include "core/types.h"
#include "soc/soc.h"

namespace twin {

class DataCache;
class LaunchState;
class Task;

constexpr uint32_t kHardEvents = 35;  ///< HardEvent::MAX
constexpr uint32_t kEventIds = 8;     ///< event ids per ordered pair of pipes
constexpr uint32_t kMaxBuffers = 64;  ///< buffer records that one TPipe can hold
constexpr uint32_t kPoison =
    0xFFC0DEAD;  ///< fills UB: a NaN as float, bfloat16 and (high half) float16

/// Base of the object that hands out a core's local memories. The core knows which one does, and no
/// more about it.
struct MemoryOwner {};

/// The vector mask register pair and its mode.
struct MaskState {
    bool counter = false;
    uint64_t low = UINT64_MAX;
    uint64_t high = UINT64_MAX;
};

/// Who has last put a mode into force, or a mask that no instruction has brought along.
struct ModesSetAt {
    Location atomic;
    Location counter;
    Location mask;
    Location ctrl;
    uint64_t maskLow = 0;  ///< what was set
    uint64_t maskHigh = 0;
};

/// What reductions and merges leave behind for the scalar unit. "Known" is what documentation
/// promises: strict mode refuses to read anything else.
struct ResultRegisters {
    uint32_t bestValue = 0;  ///< MAX_MIN_CNT: bits of the extreme of the last maximum or minimum
    uint32_t bestIndex = 0;  ///< MAX_MIN_CNT: its place, counted over all repeats
    bool bestKnown = false;
    uint32_t sum = 0;  ///< ACC_VAL: bits of the last accumulated sum
    bool sumKnown = false;
    uint16_t merged[4] = {};  ///< VMS4_SR: pairs that the last merge took from each list
    bool mergedKnown = false;
};

/// What the last SetDeqScale put into the register.
enum class DeqScaleKind : uint8_t { None, Half, Scalar, Tensor };

constexpr uint32_t kCtrlHf32 = 46;        ///< CTRL bit: Mmad rounds float operands to HF32
constexpr uint32_t kCtrlHf32ToZero = 47;  ///< CTRL bit: ties of that rounding go toward zero
constexpr uint32_t kCtrlAlongN = 51;      ///< CTRL bit: Mmad makes its fractals along n first
constexpr uint32_t kCtrlInfNan = 48;      ///< CTRL bit: half and bfloat16 results keep inf and NaN
constexpr uint32_t kCtrlTruncate = 59;    ///< CTRL bit: casts to integers drop high bits
constexpr uint64_t kCtrlAtStart = uint64_t{1} << kCtrlInfNan;  ///< as frameworks set the device

/// One AI core of one type while it runs one block: identity, memories, registers and flags. Owned
/// by its task; only the thread that runs the task touches it (the two atomics are read by the
/// watchdog).
class TWIN_API Core {
public:
    Core();
    ~Core();

    // What every instruction looks at comes first, in few cache lines: a tile that fills the host's
    // first-level cache loses some of its own for each.
    alignas(64) Location where;          ///< the Ascend C call being executed
    std::atomic<uint64_t> heartbeat{0};  ///< instructions issued
    const std::atomic<bool>* stop = nullptr;
    const SocInfo* soc = nullptr;
    CoreKind kind = CoreKind::Aiv;
    bool strict = true;
    bool pedantic = false;
    bool judged = false;  ///< an observer judges the order of accesses to memory
    MaskState mask;
    uint64_t ctrl = kCtrlAtStart;
    std::vector<CoreRecorder*> recorders;
    /// Local memories by `Memory`; null where this kind of core has none. The sizes are set on both
    /// kinds: a kernel that runs on both may allocate what it uses on the other.
    uint8_t* memory[kMemories] = {};
    uint64_t memoryBytes[kMemories] = {};  ///< what this kernel type may use

    LaunchState* launch = nullptr;
    Task* task = nullptr;
    uint32_t coreIdx = 0;  ///< among all cores of the launch, a block's cube core first
    uint32_t blockIdx = 0;
    uint32_t blockNum = 0;
    uint32_t subBlockIdx = 0;
    uint32_t taskRation = 1;  ///< vector cores of a block, on vector cores
    uint64_t tilingKey = 0;
    uint64_t cmpMask[2] =
        {};  ///< CMPMASK: written by the register form of Compare, SetCmpMask and Select
    uint64_t gatherKept = 0;  ///< RSVD_CNT: elements that the last GatherMask kept
    ResultRegisters results;
    uint64_t deqScale = 0;
    DeqScaleKind deqKind = DeqScaleKind::None;
    CubeState cube;  ///< only cube cores use it
    uint64_t padValue = 0;
    bool padValueKnown = false;
    uint8_t flags[kHardEvents] = {};  ///< bit i: event id i is set and not yet waited for
    Location flagSetAt[kHardEvents][kEventIds];
    QueueEvent flagSetBy[kHardEvents][kEventIds] = {};  ///< the queue operation that set it
    uint8_t eventPool[kHardEvents] = {};  ///< bit i: event id i is reserved by AllocEventID
    AtomicOp atomicOp = AtomicOp::None;   ///< mode of copies to GM until SetAtomicNone
    Dtype atomicDtype = Dtype::F32;
    ModesSetAt modesSetAt;
    AtomicLog atomics;                        ///< guarded by the launch's lock
    std::unique_ptr<DataCache> cache;         ///< scalar accesses to GM
    std::map<uintptr_t, int32_t> softRounds;  ///< soft SyncAll calls per workspace
    uint64_t stageOffset = 0;  ///< used up of the core's part of the system workspace
    MemoryOwner* pipe = nullptr;
    std::vector<BufferRecord> buffers;  ///< changed by AddBuffer and TakeBuffersBack alone
    int16_t nextQueue = 0;

    Instruction record;       ///< of the instruction being issued; Issue fills it
    bool collecting = false;  ///< it belongs to an instruction that is not done
    uint64_t sequence = 0;
    const char* call = "";  ///< the library call whose steps are being issued
    uint64_t callBegin = 0;
    uint64_t gmReadBytes = 0;  ///< counted by the access checks
    uint64_t gmWriteBytes = 0;
    const GmRange* lastRange = nullptr;
    uintptr_t pollAddress =
        0;  ///< last GM address read by a scalar or small copy, to make polling kernels yield
    uint32_t pollCount = 0;

    std::atomic<uint64_t> progress{0};  ///< GM addresses not touched before: see the watchdog
    std::atomic<uint64_t> meetings{0};  ///< barriers and flags with work since the one before
    uint64_t beatAtMeeting = 0;
    bool atFullBarrier = false;  ///< has met the barrier of all cores; guarded by the launch's lock
    std::atomic<uint64_t> polls{
        0};  ///< times the core gave way because it reads one address again and again
    uintptr_t gmLow = UINTPTR_MAX;
    uintptr_t gmHigh = 0;

    /// Every Ascend C call starts here: remembers where it stands, shows the watchdog that the core
    /// lives, and ends the task when the launch was cancelled.
    void Begin(const Location& location) {
        where = location;
        heartbeat.store(heartbeat.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (__builtin_expect(stop->load(std::memory_order_relaxed), 0)) {
            Cancelled();
        }
    }
    /// Starts a call that only one kind of core has. On the other the device compiler leaves it
    /// out: false there.
    bool BeginOn(CoreKind onlyOn, const Location& location) {
        Begin(location);
        return kind == onlyOn;
    }
    /// What GetBlockIdx returns: vector cores are counted over all blocks.
    uint32_t LogicalBlockIdx() const {
        return kind == CoreKind::Aiv ? blockIdx * taskRation + subBlockIdx : blockIdx;
    }
    bool CtrlBit(uint32_t bit) const { return (ctrl >> bit & 1U) != 0; }
    bool Recording() const { return !recorders.empty(); }
    /// Shows the operands of `record` to the recorders, before the effect.
    void ShowOperands() const;
    /// Completes `record` and shows it to the recorders.
    void Record();
    const BufferRecord* FindBuffer(Memory memory, uint64_t address) const;
    /// Makes a buffer known that the call being executed places.
    void AddBuffer(BufferRecord buffer);
    /// Forgets those for which `which` is true.
    void TakeBuffersBack(FunctionRef<bool(const BufferRecord&)> which, Location by);

    /// Checks [address, address+bytes) against the range that `origin` lies in; ends the task with
    /// T101, T102 or T105 otherwise. `touched` is what is really moved (strided copies touch less
    /// than they span).
    void CheckGm(uintptr_t origin, uintptr_t address, uint64_t bytes, uint64_t touched, bool write,
                 const char* api);
    /// Orders a copy against what this core's data cache and the launch's pending atomic copies
    /// hold.
    void OrderGm(uintptr_t address, uint64_t bytes, bool write, const char* api);
    /// Copies `bytes` to GM as the atomic mode says.
    void StoreGm(uintptr_t address, const void* values, uint64_t bytes);
    /// Puts this core's pending atomic copies into memory: other cores may look after a flag.
    void PublishAtomics();
    /// The modelled device address of a byte of global memory: what rules about lines and alignment
    /// look at, and messages print.
    uint64_t DeviceAddress(uintptr_t address);
    /// "byte 128 of input x"
    std::string DescribeGm(uintptr_t address) const;
    /// The range that `origin` lies in, most often the one before it did too; nullptr: none.
    const GmRange* FindRange(uintptr_t origin) {
        return lastRange != nullptr && lastRange->Contains(origin) ? lastRange
                                                                   : SearchRange(origin);
    }
    /// T104 unless `address` is a multiple of an element.
    void CheckGmAlignment(uintptr_t address, uint32_t elementBytes, const char* api);
    /// Checks [begin, begin+bytes) of a local memory and its alignment; ends the task with T103,
    /// T104 or T320 otherwise. Alignments are powers of two. The host address of `begin`.
    uint8_t* CheckLocal(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment,
                        const char* api, const char* operand) {
        uint8_t* const start = memory[static_cast<size_t>(where)];
        if (__builtin_expect(start == nullptr, 0)) {
            RefuseOtherCore(where, api, operand);
        }
        CheckFit(where, begin, bytes, alignment, api, operand);
        return start + begin;
    }
    /// The same without the question whether this kind of core has the memory.
    void CheckFit(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment, const char* api,
                  const char* operand) {
        const uint64_t size = memoryBytes[static_cast<size_t>(where)];
        if (__builtin_expect(begin + bytes > size || (begin & (alignment - 1)) != 0, 0)) {
            RefuseLocal(where, begin, bytes, alignment, api, operand);
        }
    }
    uint64_t UbBytes() const { return memoryBytes[static_cast<size_t>(Memory::Ub)]; }
    /// A barrier or a flag between cores. One straight after the other is no progress.
    void NoteMeeting() {
        const uint64_t beat = heartbeat.load(std::memory_order_relaxed);
        if (beat - beatAtMeeting > 1) {
            meetings.store(meetings.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
        beatAtMeeting = beat;
    }
    /// Polling kernels read one address again and again: after a few times let other cores run.
    void NotePoll(uintptr_t address, uint64_t bytes);

    /// Puts a mask into the register on the kernel's own behalf.
    void SetMask(uint64_t low, uint64_t high) {
        mask.low = modesSetAt.maskLow = low;
        mask.high = modesSetAt.maskHigh = high;
        modesSetAt.mask = where;
    }
    void SetCounterMode(bool counter) {
        mask.counter = counter;
        modesSetAt.counter = where;
    }

    /// At the kernel's end: a flag that is still set would leak into the next kernel on the core, a
    /// scalar write that others were told of without being written back came too late for them.
    void CheckAtEnd();

private:
    void CheckModes();
    const GmRange* SearchRange(uintptr_t origin);
    [[noreturn]] void Cancelled();
    [[noreturn]] void RefuseLocal(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment,
                                  const char* api, const char* operand);
    [[noreturn]] void RefuseOtherCore(Memory where, const char* api, const char* operand);
    [[noreturn]] void RefuseGm(const GmRange* range, uintptr_t origin, uintptr_t address,
                               uint64_t bytes, bool write, const char* api);
    /// `origin` lies in nothing that the launch knows.
    [[noreturn]] void RefuseUnknown(uintptr_t origin, uintptr_t address, uint64_t bytes,
                                    const char* verb, const char* api);
};

/// What a kernel was compiled against: the version, and the size of what it shares with the twin.
constexpr uint32_t CoreAbi() { return kKernelAbi << 20 | static_cast<uint32_t>(sizeof(Core)); }

/// The core that runs on this thread. Only valid inside a kernel: elsewhere T603 ends the process'
/// misuse with an error.
TWIN_API Core& Self();
/// nullptr outside a kernel.
TWIN_API Core* SelfOrNull();

/// Ends the running task with `code` and a sentence; the launch fails with it. Never returns;
/// destructors on the kernel's stack do not run.
[[noreturn]] TWIN_API void Fail(const char* code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

}  // namespace twin

#endif  // TWIN_CORE_CORE_H
