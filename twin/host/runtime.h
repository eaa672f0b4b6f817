// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "core/settings.h"
#include "core/types.h"
#include "host/stream.h"
#include "soc/soc.h"

namespace twin::host {

/// Largest size of device memory or a workspace that is filled with the poison pattern. Filling
/// more memory would take too long.
constexpr uint64_t kPoisonLimit = 64ULL << 20;

/// Device memory is host memory with a 512-byte aligned base between guard pages. Thread safe;
/// never destroyed.
class DeviceMemory {
public:
    static DeviceMemory& Instance();

    /// Allocates `size` bytes, rounded up to a multiple of 32, plus `spare` bytes. Kernels may
    /// access only the first `size` bytes.
    void* Allocate(const char* function, uint64_t size, uint64_t spare);
    /// Frees an allocation; `function` is the caller's name for messages.
    void Free(const char* function, void* address);
    void FreeAll();
    uint64_t Used() const;
    /// Returns true if the address lies in an allocation (not in registered host memory).
    bool Contains(const void* address) const;

private:
    struct Block {
        uint64_t bytes;    ///< bytes of the allocation
        uint8_t* mapping;  ///< start of the mapping, which includes the guard pages
        size_t mapped;
    };

    DeviceMemory() = default;

    mutable std::mutex mutex_;
    std::map<uintptr_t, Block> blocks_;
    uint64_t used_ = 0;
    uint64_t count_ = 0;
};

/// Host memory that device code may access, and memory that aclrtHostRegisterV2 only pinned. Thread
/// safe; never destroyed.
class HostMappings {
public:
    static HostMappings& Instance();

    void Add(const char* function, void* address, uint64_t bytes, bool mapped, bool readOnly);
    void Remove(void* address);
    void* DevicePointer(void* address) const;

private:
    HostMappings() = default;

    mutable std::mutex mutex_;
    std::map<uintptr_t, bool> mappings_;  ///< by base address: true if kernels may access it
    uint64_t count_ = 0;
};

constexpr int32_t kDeviceCount = 1;

struct Context {
    int32_t device = 0;
    aclrtContext handle = nullptr;
    std::atomic<int64_t> deterministic{0};
    std::mutex mutex;
    aclrtStream defaultStream = nullptr;  ///< created at its first use; guarded by `mutex`
};

/// A loaded kernel file.
struct LoadedBinary {
    std::map<std::string, std::shared_ptr<const KernelImage>> images;
};
/// One kernel of a loaded file, with the tiling key for its launches.
struct LoadedFunction {
    std::shared_ptr<LoadedBinary> binary;
    std::shared_ptr<const KernelImage> image;
    uint64_t tilingKey = 0;
};

/// All data that acl has once per process. Never destroyed, because other threads may still use it
/// while the process exits. A call that fails throws Refused.
class Runtime {
public:
    static Runtime& Instance();

    void Initialize();
    void Finalize();
    /// Refuses a call before aclInit, after aclFinalize, or in a child forked after aclInit.
    void RequireReady(const char* function) const;

    void SetDevice(int32_t device);
    void ResetDevice(int32_t device);
    void CreateContext(int32_t device, aclrtContext* context);
    void DestroyContext(aclrtContext context);
    void SetCurrent(aclrtContext context);
    /// Returns the calling thread's context; refuses the call (107002) if there is none.
    std::shared_ptr<Context> Current(const char* function);

    void CreateStream(const char* function, aclrtStream* stream);
    void DestroyStream(aclrtStream stream, bool force);
    /// Returns a handle's stream (null: the default stream) if the calling thread may use it.
    std::shared_ptr<Stream> FindStream(const char* function, aclrtStream handle);
    /// Waits for all streams of the process without reporting their failures.
    void WaitAll();
    /// Waits for all streams of the calling thread's device; the first failure is reported.
    void SynchronizeDevice(const char* function, int timeoutMs);

    HandleTable<Capture> models{7};
    HandleTable<Event> events{3};
    HandleTable<LoadedBinary> binaries{4};
    HandleTable<LoadedFunction> functions{5};
    HandleTable<std::vector<unsigned char>> binaryData{6};
    std::atomic<int64_t> deterministic{0};

private:
    Runtime() = default;
    static void AtExit();
    /// Initialises the runtime at the first call in a process.
    void SetUp();
    bool Forked() const;
    /// Refuses calls in a forked child. The child does not have the parent's other threads, but
    /// locks of these threads may still be locked.
    void RefuseForked(const char* function) const;
    aclrtContext AddContext(int32_t device);
    int ReleaseContext(const Context& context);
    int ReleaseDevice();

    /// Runtime states. SetUp: aclrtSetDevice was called before aclInit. Ready: after aclInit.
    enum class State { Fresh, SetUp, Ready, Finalized };
    std::atomic<State> state_{State::Fresh};
    std::atomic<pid_t> owner_{0};  ///< the process that set the runtime up
    std::mutex deviceMutex_;
    int deviceUsers_ = 0;  ///< number of aclrtSetDevice calls minus aclrtResetDevice calls
    aclrtContext primary_ = nullptr;
    HandleTable<Context> contexts_{1};
    HandleTable<Stream> streams_{2};
};

/// Waits for the stream, then reports and clears its failure; returns 507046 after a timeout.
int ReportStream(const char* function, Stream* stream, int timeoutMs);
/// Reports a launch that has failed, and refuses the call.
void ReportResult(const LaunchResult& result);

/// Returns the chip of this thread's SocScope, or without a SocScope the chip that CANNERY_SOC
/// names. Throws std::invalid_argument for an unknown chip.
TWIN_API const SocInfo& CurrentSoc();

/// While this object exists, `soc` is this thread's chip, even if CANNERY_SOC names another chip.
class TWIN_API SocScope {
public:
    explicit SocScope(const SocInfo* soc);
    ~SocScope();
    SocScope(const SocScope&) = delete;
    SocScope& operator=(const SocScope&) = delete;
    static const SocInfo* Chip();  ///< chip of the innermost scope, or nullptr

private:
    const SocInfo* const before_;
};

/// Makes the stream part of a capture; refused if it is part of another one.
void JoinCapture(const char* function, const std::shared_ptr<Stream>& stream,
                 const std::shared_ptr<Capture>& capture);
/// Adds `task` of the operator library to the stream's queue. An error's sentence names `function`.
TWIN_API void EnqueueOnStream(const char* function, aclrtStream stream, StreamTask task);
/// Returns true if ACL_OPT_DETERMINISTIC is set for the calling thread's context or the process.
TWIN_API bool DeterministicWanted();

}  // namespace twin::host
