// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/function_ref.h"
#include "core/kernel_arguments.h"
#include "core/opcodes.h"
#include "core/types.h"
#include "soc/soc.h"

namespace twin {

struct CoreState;
struct GmRange;
class LaunchState;
class Task;

constexpr uint32_t kHardEvents = 35;  ///< number of hard events, as HardEvent::MAX
constexpr uint32_t kEventIds = 8;     ///< event ids per ordered pair of pipes
constexpr uint32_t kMaxBuffers = 64;  ///< buffer records that one TPipe can hold
/// Pattern that fills UB: a NaN as float, as bfloat16 and, in its high half, as float16.
constexpr uint32_t kPoison = 0xFFC0DEAD;

/// Base of the object that allocates a core's local memories. The core knows which object does so,
/// and nothing else about it.
struct MemoryOwner {};

/// The vector mask register pair and its mode.
struct MaskState {
    bool counter = false;
    uint64_t low = UINT64_MAX;
    uint64_t high = UINT64_MAX;
};

/// The call that last set a mode, or a mask that does not belong to a single instruction.
struct ModesSetAt {
    Location atomic;
    Location counter;
    Location mask;
    Location ctrl;
    uint64_t maskLow = 0;  ///< mask bits that the call has set
    uint64_t maskHigh = 0;
};

/// The registers that reductions and merges leave for the scalar unit. "Known" means that the
/// documentation promises the value: strict mode refuses to read anything else.
struct ResultRegisters {
    uint32_t bestValue = 0;  ///< MAX_MIN_CNT: bits of the extreme of the last maximum or minimum
    uint32_t bestIndex = 0;  ///< MAX_MIN_CNT: place of that extreme, counted over all repeats
    bool bestKnown = false;
    uint32_t sum = 0;  ///< ACC_VAL: bits of the last accumulated sum
    bool sumKnown = false;
    uint16_t merged[4] = {};  ///< VMS4_SR: pairs that the last merge took from each list
    bool mergedKnown = false;
};

/// The form of the last SetDeqScale.
enum class DeqScaleKind : uint8_t { None, Half, Scalar, Tensor };

constexpr uint32_t kCtrlHf32 = 46;        ///< CTRL bit: Mmad rounds float operands to HF32
constexpr uint32_t kCtrlHf32ToZero = 47;  ///< CTRL bit: ties of that rounding go toward zero
constexpr uint32_t kCtrlAlongN = 51;      ///< CTRL bit: Mmad makes its fractals along n first
constexpr uint32_t kCtrlInfNan = 48;      ///< CTRL bit: half and bfloat16 results keep inf and NaN
constexpr uint32_t kCtrlTruncate = 59;    ///< CTRL bit: casts to integers drop high bits
/// Value of CTRL that frameworks set before a kernel.
constexpr uint64_t kCtrlAtStart = uint64_t{1} << kCtrlInfNan;

/// One AI core of one type while it runs one block: identity, memories, registers and flags. Its
/// task owns it, and only the thread that runs the task touches it (the watchdog reads the two
/// atomics).
class TWIN_API Core {
public:
    Core();
    ~Core();

    // The fields that every instruction reads come first, in few cache lines: a tile that fills the
    // host's first-level cache loses some of its lines for each.
    alignas(64) Location where;          ///< the Ascend C call being executed
    std::atomic<uint64_t> heartbeat{0};  ///< number of instructions issued
    const std::atomic<bool>* stop = nullptr;
    const SocInfo* soc = nullptr;
    CoreKind kind = CoreKind::Aiv;
    bool strict = true;
    bool pedantic = false;
    bool judged = false;     ///< an observer checks the order of accesses to memory
    bool recording = false;  ///< there are recorders
    MaskState mask;
    uint64_t ctrl = kCtrlAtStart;
    /// Local memories by `Memory`; null if this kind of core has none. The sizes are set on both
    /// kinds: a kernel that runs on both may allocate on one what it uses on the other.
    uint8_t* memory[kMemories] = {};
    uint64_t memoryBytes[kMemories] = {};  ///< bytes that this kernel type may use

    CoreState* const state;
    LaunchState* launch = nullptr;
    Task* task = nullptr;
    /// Number among all cores of the launch; a block's cube core comes first.
    uint32_t coreIdx = 0;
    uint32_t blockIdx = 0;
    uint32_t blockNum = 0;
    uint32_t subBlockIdx = 0;
    uint32_t taskRation = 1;  ///< on vector cores: vector cores of a block
    uint64_t tilingKey = 0;
    /// CMPMASK: the register form of Compare, SetCmpMask and Select write it.
    uint64_t cmpMask[2] = {};
    uint64_t gatherKept = 0;  ///< RSVD_CNT: elements that the last GatherMask kept
    ResultRegisters results;
    uint64_t deqScale = 0;
    DeqScaleKind deqKind = DeqScaleKind::None;
    uint64_t padValue = 0;
    bool padValueKnown = false;
    uint8_t flags[kHardEvents] = {};  ///< bit i: event id i is set and not yet waited for
    Location flagSetAt[kHardEvents][kEventIds];
    QueueEvent flagSetBy[kHardEvents][kEventIds] = {};  ///< queue operation that has set each flag
    uint8_t eventPool[kHardEvents] = {};  ///< bit i: event id i is reserved by AllocEventID
    AtomicOp atomicOp = AtomicOp::None;   ///< mode of copies to GM until SetAtomicNone
    Dtype atomicDtype = Dtype::F32;
    ModesSetAt modesSetAt;
    uint64_t stageOffset = 0;  ///< bytes in use of the core's part of the system workspace
    MemoryOwner* pipe = nullptr;
    int16_t nextQueue = 0;

    uint64_t sequence = 0;
    Opcode call = Opcode::None;  ///< the library call whose steps are being issued
    uint64_t callBegin = 0;
    uint64_t gmReadBytes = 0;  ///< counted by the access checks
    uint64_t gmWriteBytes = 0;
    const GmRange* lastRange = nullptr;
    /// GM address that a scalar access or a small copy has read last: polling kernels yield.
    uintptr_t pollAddress = 0;
    uint32_t pollCount = 0;

    /// Number of GM addresses that the core has accessed for the first time, for the watchdog.
    std::atomic<uint64_t> progress{0};
    std::atomic<uint64_t> meetings{
        0};  ///< number of barriers and flags after which other work was done
    uint64_t beatAtMeeting = 0;
    /// The core waits at the barrier of all cores; the launch's lock guards this.
    bool atFullBarrier = false;
    std::atomic<uint64_t> polls{
        0};  ///< number of times that the core has yielded because it reads one address repeatedly
    uintptr_t gmLow = UINTPTR_MAX;
    uintptr_t gmHigh = 0;

    /// Starts an Ascend C call: stores its place, tells the watchdog that the core is alive, and
    /// ends the task if the launch was cancelled.
    void Begin(const Location& location) {
        where = location;
        heartbeat.store(heartbeat.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        if (__builtin_expect(stop->load(std::memory_order_relaxed), 0)) {
            Cancelled();
        }
    }
    /// Starts a call that only one kind of core has. Returns false on the other kind, for which the
    /// device compiler leaves the call out.
    bool BeginOn(CoreKind onlyOn, const Location& location) {
        Begin(location);
        return kind == onlyOn;
    }
    /// Returns the result of GetBlockIdx, which counts vector cores over all blocks.
    uint32_t LogicalBlockIdx() const {
        return kind == CoreKind::Aiv ? blockIdx * taskRation + subBlockIdx : blockIdx;
    }
    bool CtrlBit(uint32_t bit) const { return (ctrl >> bit & 1U) != 0; }
    /// Shows the operands of the record to the recorders, before the effect.
    void ShowOperands() const;
    /// Completes the record and shows it to the recorders.
    void Record();
    const BufferRecord* FindBuffer(Memory memory, uint64_t address) const;
    /// Registers a buffer that the current call creates.
    void AddBuffer(BufferRecord buffer);
    /// Removes the buffers for which `which` is true.
    void TakeBuffersBack(FunctionRef<bool(const BufferRecord&)> which, Location by);

    /// Checks [address, address+bytes) against the range to which `origin` belongs; ends the task
    /// with T101, T102 or T105 on a violation. `touched` is the number of bytes that are really
    /// moved (strided copies touch fewer bytes than they span).
    void CheckGm(uintptr_t origin, uintptr_t address, uint64_t bytes, uint64_t touched, bool write,
                 const char* api);
    /// Orders a copy after this core's data cache and the launch's pending atomic copies.
    void OrderGm(uintptr_t address, uint64_t bytes, bool write, const char* api);
    /// Copies `bytes` to GM in the current atomic mode.
    void StoreGm(uintptr_t address, const void* values, uint64_t bytes);
    /// Publishes this core's pending atomic copies: other cores may read them after a flag.
    void PublishAtomics();
    /// The modelled device address of a byte of global memory, which rules about lines and
    /// alignment use and messages print.
    uint64_t DeviceAddress(uintptr_t address);
    /// Returns the range to which `origin` belongs, often the same as at the previous call; nullptr
    /// if there is none.
    const GmRange* FindRange(uintptr_t origin);
    /// Ends the task with T104 unless `address` is a multiple of the element size.
    void CheckGmAlignment(uintptr_t address, uint32_t elementBytes, const char* api);
    /// Checks [begin, begin+bytes) of a local memory and its alignment; ends the task with T103,
    /// T104 or T320 on a violation. Alignments are powers of two. Returns the host address of
    /// `begin`.
    uint8_t* CheckLocal(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment,
                        const char* api, const char* operand) {
        uint8_t* const start = memory[static_cast<size_t>(where)];
        if (__builtin_expect(start == nullptr, 0)) {
            RefuseOtherCore(where, api, operand);
        }
        CheckFit(where, begin, bytes, alignment, api, operand);
        return start + begin;
    }
    /// Does the same without the check that this kind of core has the memory.
    void CheckFit(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment, const char* api,
                  const char* operand) {
        const uint64_t size = memoryBytes[static_cast<size_t>(where)];
        if (__builtin_expect(begin + bytes > size || (begin & (alignment - 1)) != 0, 0)) {
            RefuseLocal(where, begin, bytes, alignment, api, operand);
        }
    }
    uint64_t UbBytes() const { return memoryBytes[static_cast<size_t>(Memory::Ub)]; }
    /// Notes a barrier or a flag between cores. Two of them without work in between are no
    /// progress.
    void NoteMeeting() {
        const uint64_t beat = heartbeat.load(std::memory_order_relaxed);
        if (beat - beatAtMeeting > 1) {
            meetings.store(meetings.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
        beatAtMeeting = beat;
    }
    /// Polling kernels read one address again and again: after a few reads, lets other cores run.
    void NotePoll(uintptr_t address, uint64_t bytes);

    /// Sets the mask register for the kernel itself, not for one instruction.
    void SetMask(uint64_t low, uint64_t high) {
        mask.low = modesSetAt.maskLow = low;
        mask.high = modesSetAt.maskHigh = high;
        modesSetAt.mask = where;
    }
    void SetCounterMode(bool counter) {
        mask.counter = counter;
        modesSetAt.counter = where;
    }

    /// Checks the core at the kernel's end. A flag that is still set would affect the next kernel
    /// on the core. A scalar write that was announced to other cores, but not written back, is too
    /// late for them.
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
    /// Ends the task, because `origin` belongs to no range of the launch.
    [[noreturn]] void RefuseUnknown(uintptr_t origin, uintptr_t address, uint64_t bytes,
                                    const char* verb, const char* api);
};

/// Returns what a kernel must have in common with the twin: the version, and the size of the data
/// that they share.
constexpr uint32_t CoreAbi() { return kKernelAbi << 20 | static_cast<uint32_t>(sizeof(Core)); }

/// Returns the core that runs on this thread. Outside a kernel there is no core, and the call ends
/// with error T603.
TWIN_API Core& Self();
/// Returns the core that runs on this thread; nullptr outside a kernel.
TWIN_API Core* SelfOrNull();

/// Ends the running task with `code` and a sentence; the launch fails with it. Never returns;
/// destructors on the kernel's stack do not run.
[[noreturn]] TWIN_API void Fail(const char* code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

}  // namespace twin
