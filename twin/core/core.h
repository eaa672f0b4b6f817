// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/byte_range.h"
#include "core/function_ref.h"
#include "core/kernel_arguments.h"
#include "core/opcodes.h"
#include "core/relaxed.h"
#include "core/scalar_work.h"
#include "core/types.h"
#include "soc/soc.h"

namespace twin {

struct CoreState;
struct GmRange;
class LaunchState;
class Task;

constexpr uint32_t kHardEvents = 35;  ///< number of hard events, equal to HardEvent::MAX
constexpr uint32_t kEventIds = 8;     ///< number of event ids of each hard event
constexpr uint32_t kMaxBuffers = 64;  ///< largest number of buffers of one TPipe
/// Initial pattern of local memories: a NaN as float. The upper 16 bits are a NaN in 16-bit types.
constexpr uint32_t kPoison = 0xFFC0DEAD;

/// Base class of TPipe, which allocates a core's local memories. The core only stores a pointer to
/// the object.
struct MemoryOwner {};

/// The vector mask register pair and its mode.
struct MaskState {
    bool counter = false;
    uint64_t low = UINT64_MAX;
    uint64_t high = UINT64_MAX;
};

/// Locations of the calls that have last set each mode and the mask register.
struct ModesSetAt {
    Location atomic;
    Location counter;
    Location mask;
    Location ctrl;
    uint64_t maskLow = 0;  ///< mask bits, set by the call at the location `mask`
    uint64_t maskHigh = 0;
};

/// Registers in which reductions and merges leave results for the scalar unit. In strict mode, a
/// register whose flag "...Known" is false cannot be read: its value is not documented.
struct ResultRegisters {
    uint32_t bestValue = 0;  ///< MAX_MIN_CNT: bits of the last maximum or minimum
    uint32_t bestIndex = 0;  ///< MAX_MIN_CNT: index of the maximum or minimum across all repeats
    bool bestKnown = false;
    uint32_t sum = 0;  ///< ACC_VAL: bits of the last accumulated sum
    bool sumKnown = false;
    uint16_t merged[4] = {};  ///< VMS4_SR: number of pairs that the last merge took from each list
    bool mergedKnown = false;
};

/// The overload of SetDeqScale that the kernel has called last.
enum class DeqScaleKind : uint8_t { None, Half, Scalar, Tensor };

constexpr uint32_t kCtrlHf32 = 46;        ///< CTRL bit: Mmad rounds float operands to HF32
constexpr uint32_t kCtrlHf32ToZero = 47;  ///< CTRL bit: rounding to HF32 takes ties toward zero
constexpr uint32_t kCtrlAlongN = 51;      ///< CTRL bit: Mmad computes its fractals along n first
constexpr uint32_t kCtrlInfNan = 48;      ///< CTRL bit: half and bfloat16 results keep inf and NaN
constexpr uint32_t kCtrlTruncate = 59;    ///< CTRL bit: casts to integers drop high bits
/// Value of CTRL that frameworks set before a kernel.
constexpr uint64_t kCtrlAtStart = uint64_t{1} << kCtrlInfNan;

/// One cube or vector core while it runs one block: identity, memories, registers and flags. A Task
/// owns the core, and only the thread that runs this task may access it. Exceptions are the atomic
/// members, which the watchdog reads, and the members that the launch's lock guards.
class TWIN_API Core {
public:
    Core();
    ~Core();

    // The fields that every instruction reads come first, so that they fill few cache lines of the
    // host. The kernel's data need the other lines of the host's first-level cache.
    alignas(64) Location where;      ///< the Ascend C call being executed
    Relaxed<uint64_t> heartbeat{0};  ///< number of Ascend C calls so far
    const Relaxed<bool>* stop = nullptr;
    const SocInfo* soc = nullptr;
    CoreKind kind = CoreKind::Aiv;
    bool strict = true;
    bool pedantic = false;
    bool judged = false;     ///< the hazard checker checks the order of accesses to memory
    bool recording = false;  ///< CoreRecorder objects receive the core's instructions
    MaskState mask;
    uint64_t ctrl = kCtrlAtStart;
    /// Local memories, indexed by `Memory`; nullptr if this kind of core lacks the memory.
    /// `memoryBytes` has all sizes, because code for both kinds of core may allocate any memory.
    uint8_t* memory[kMemories] = {};
    uint64_t memoryBytes[kMemories] = {};  ///< sizes that the launch's kernel type allows

    /// Operations of the kernel's own code since the core's latest record (ScalarCounters).
    ScalarWork scalarWork;

    CoreState* const state;
    LaunchState* launch = nullptr;
    Task* task = nullptr;
    /// Index among all cores of the launch; in each block, the cube core comes first.
    uint32_t coreIdx = 0;
    uint32_t blockIdx = 0;
    uint32_t blockNum = 0;
    uint32_t subBlockIdx = 0;
    uint32_t taskRation = 1;  ///< number of vector cores in a block; 1 on cube cores
    uint64_t tilingKey = 0;
    /// CMPMASK, which SetCmpMask, Select and the register form of Compare write.
    uint64_t cmpMask[2] = {};
    uint64_t gatherKept = 0;  ///< RSVD_CNT: number of elements that the last GatherMask kept
    ResultRegisters results;
    uint64_t deqScale = 0;
    DeqScaleKind deqKind = DeqScaleKind::None;
    uint64_t padValue = 0;
    bool padValueKnown = false;
    /// Bytes of padding on each side that the latest DataCopyPad asked for, for messages.
    uint32_t padLeftBytes = 0;
    uint32_t padRightBytes = 0;
    uint8_t flags[kHardEvents] = {};  ///< bit i: event id i is set and not yet waited for
    Location flagSetAt[kHardEvents][kEventIds];
    QueueEvent flagSetBy[kHardEvents][kEventIds] = {};  ///< queue operation that has set each flag
    uint8_t eventPool[kHardEvents] = {};  ///< bit i: event id i is reserved by AllocEventID
    AtomicOp atomicOp = AtomicOp::None;   ///< atomic mode of copies to GM
    Dtype atomicDtype = Dtype::F32;
    ModesSetAt modesSetAt;
    uint64_t stageOffset = 0;  ///< used bytes of the core's part of the system workspace
    MemoryOwner* pipe = nullptr;
    int16_t nextQueue = 0;

    uint64_t sequence = 0;
    Opcode call = Opcode::None;  ///< the library call whose instructions are being issued
    uint64_t callBegin = 0;
    uint64_t gmReadBytes = 0;  ///< bytes that the core has read from GM, as CheckGm counts them
    uint64_t gmWriteBytes = 0;
    uint32_t computed = 0;  ///< bit d: the core has computed with elements of Dtype d
    const GmRange* lastRange = nullptr;
    /// GM address that NotePoll observes: a core that reads this address repeatedly may be polling.
    uintptr_t pollAddress = 0;
    uint32_t pollCount = 0;

    /// Number of GM addresses that the core has accessed for the first time, for the watchdog.
    Relaxed<uint64_t> progress{0};
    /// Number of calls that synchronise cores. Of several calls in a row, only the first counts.
    Relaxed<uint64_t> meetings{0};
    uint64_t beatAtMeeting = 0;
    /// True while the core waits at the barrier of all cores; guarded by the launch's lock.
    bool atFullBarrier = false;
    /// Number of times that the core has yielded because it reads one address repeatedly.
    Relaxed<uint64_t> polls{0};
    uintptr_t gmLow = UINTPTR_MAX;
    uintptr_t gmHigh = 0;

    /// Starts an Ascend C call: stores its location, shows the watchdog that the core is alive, and
    /// ends the task if the launch was stopped.
    void Begin(const Location& location) {
        where = location;
        heartbeat.Increment();
        if (__builtin_expect(stop->Get(), 0)) {
            Cancelled();
        }
    }
    /// Starts a call that exists on one kind of core only. Returns false on the other kind, where
    /// the device compiler leaves the call out.
    bool BeginOn(CoreKind onlyOn, const Location& location) {
        Begin(location);
        return kind == onlyOn;
    }
    /// Returns the result of GetBlockIdx, which counts vector cores over all blocks.
    uint32_t LogicalBlockIdx() const {
        return kind == CoreKind::Aiv ? blockIdx * taskRation + subBlockIdx : blockIdx;
    }
    bool CtrlBit(uint32_t bit) const { return (ctrl >> bit & 1U) != 0; }
    /// Passes the operands to the recorders (CoreRecorder) before the instruction has its effect.
    void ShowOperands() const;
    /// Completes the record of an instruction, and passes it to the recorders (CoreRecorder).
    void Record();
    const BufferRecord* FindBuffer(Memory memory, uint64_t address) const;
    /// Registers a buffer that the current call creates.
    void AddBuffer(BufferRecord buffer);
    /// Removes the buffers for which `which` returns true.
    void TakeBuffersBack(FunctionRef<bool(const BufferRecord&)> which, Location by);

    /// Checks that [address, address+bytes) is in the GM range of `origin` (else T101 or T102), and
    /// that a write does not go to a read-only range (T105). `touched` is the number of bytes that
    /// are really moved: strided copies touch fewer bytes than they span. The message about a
    /// strided copy describes its `runs`. The error is T110 if an array with the same number of
    /// elements of `type` would be large enough.
    void CheckGm(uintptr_t origin, uintptr_t address, uint64_t bytes, uint64_t touched, bool write,
                 const char* api, const Runs* runs = nullptr, ElementType type = {});
    /// Called before an access to GM. Applies pending atomic copies that a read must see. Ends the
    /// task if the bytes overlap dirty data cache bytes (T311) or unordered atomic copies (T314).
    void OrderGm(uintptr_t address, uint64_t bytes, bool write, const char* api);
    /// Copies `bytes` to GM in the current atomic mode.
    void StoreGm(uintptr_t address, const void* values, uint64_t bytes);
    /// Makes this core's pending atomic copies visible to other cores, as a CrossCoreSetFlag does.
    void PublishAtomics();
    /// Returns the modelled device address of a byte of global memory. Rules about cache lines and
    /// alignment use this address, and messages print it.
    uint64_t DeviceAddress(uintptr_t address);
    /// Returns the range that contains `origin`; nullptr if there is none. Tries the range of the
    /// previous call first.
    const GmRange* FindRange(uintptr_t origin);
    /// Ends the task unless the device address is a multiple of the element size (T104).
    void CheckGmAlignment(uintptr_t address, uint32_t elementBytes, const char* api);
    /// Returns the host address of `begin` in a local memory. Ends the task if the bytes are not in
    /// the memory (T103), if `begin` is not a multiple of `alignment`, a power of two (T104), or if
    /// this kind of core does not have the memory (T320).
    uint8_t* CheckLocal(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment,
                        const char* api, const char* operand) {
        uint8_t* const start = memory[static_cast<size_t>(where)];
        if (__builtin_expect(start == nullptr, 0)) {
            RefuseOtherCore(where, api, operand);
        }
        CheckFit(where, begin, bytes, alignment, api, operand);
        return start + begin;
    }
    /// Checks like CheckLocal, but not whether this kind of core has the memory.
    void CheckFit(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment, const char* api,
                  const char* operand) {
        const uint64_t size = memoryBytes[static_cast<size_t>(where)];
        if (__builtin_expect(begin + bytes > size || (begin & (alignment - 1)) != 0, 0)) {
            RefuseLocal(where, begin, bytes, alignment, api, operand);
        }
    }
    /// Notes that an instruction computes with elements of this type, and does not only move them.
    void ComputesWith(Dtype dtype) { computed |= 1U << static_cast<uint32_t>(dtype); }
    uint64_t UbBytes() const { return memoryBytes[static_cast<size_t>(Memory::Ub)]; }
    /// Counts a call that synchronises cores. If a core makes several such calls in a row, only the
    /// first call counts: a core that only synchronises makes no progress.
    void NoteMeeting() {
        const uint64_t beat = heartbeat.Get();
        if (beat - beatAtMeeting > 1) {
            meetings.Increment();
        }
        beatAtMeeting = beat;
    }
    /// Called for reads. Lets other cores run if the core has polled one address several times.
    void NotePoll(uintptr_t address, uint64_t bytes);

    /// Sets the mask register for all following instructions, not for a single one.
    void SetMask(uint64_t low, uint64_t high) {
        mask.low = modesSetAt.maskLow = low;
        mask.high = modesSetAt.maskHigh = high;
        modesSetAt.mask = where;
    }
    void SetCounterMode(bool counter) {
        mask.counter = counter;
        modesSetAt.counter = where;
    }

    /// Checks the core at the kernel's end. Ends the task if a flag is still set: the flag would
    /// affect the next kernel on the core. Also ends the task if the core has signalled other cores
    /// while one of its scalar writes was only in the data cache.
    void CheckAtEnd();

private:
    /// Ends the task if an atomic mode is on when the kernel returns. In pedantic mode also checks
    /// the counter mode, the mask and CTRL.
    void CheckModes();
    const GmRange* SearchRange(uintptr_t origin);
    [[noreturn]] void Cancelled();
    [[noreturn]] void RefuseLocal(Memory where, uint64_t begin, uint64_t bytes, uint32_t alignment,
                                  const char* api, const char* operand);
    [[noreturn]] void RefuseOtherCore(Memory where, const char* api, const char* operand);
    [[noreturn]] void RefuseGm(const GmRange* range, uintptr_t origin, uintptr_t address,
                               uint64_t bytes, bool write, const char* api, const Runs* runs,
                               ElementType type);
    /// Ends the task, because `origin` belongs to no range of the launch.
    [[noreturn]] void RefuseUnknown(uintptr_t origin, uintptr_t address, uint64_t bytes,
                                    const char* verb, const char* api, ElementType type);
};

/// Returns a number that must be the same in a kernel and in the twin. It contains the version of
/// their interface and the size of `Core`.
constexpr uint32_t CoreAbi() { return kKernelAbi << 20 | static_cast<uint32_t>(sizeof(Core)); }

/// Returns the core that runs on this thread. Outside a kernel, where there is no core, throws an
/// exception (T603).
TWIN_API Core& Self();
/// Returns the core that runs on this thread; nullptr outside a kernel.
TWIN_API Core* SelfOrNull();

/// Ends the running task; the launch fails with `code` and the formatted sentence. Never returns;
/// destructors on the kernel's stack do not run. Throws if no task runs on this thread.
[[noreturn]] TWIN_API void Fail(const char* code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

/// Reports an error that need not end the kernel. If the hazard checker watches the launch, the
/// error becomes a finding, and the function returns. Otherwise the function does the same as Fail.
TWIN_API void FailOrNote(const char* code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/// Returns true if the code runs on a cube core. REGIST_MATMUL_OBJ calls this function.
inline bool TwinOnCube() { return Self().kind == CoreKind::Aic; }

}  // namespace twin
