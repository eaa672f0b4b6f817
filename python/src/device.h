// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_DEVICE_H
#define CANNERY_DEVICE_H

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "acl_api.h"

namespace cannery {

/// One device with one stream. The first run opens it, and all threads of the process share it.
class Device {
public:
    static Device& Instance();

    /// Opens the libraries in `directories`. If `mapHost` is false, the runner copies arrays to
    /// device memory, as it does on runtimes that cannot map host memory.
    void Configure(const std::vector<std::string>& directories, bool mapHost);
    /// Aborts the launches of other threads, waits until these threads are done, and closes the
    /// device. Called once, at interpreter exit: a thread that returned to Python after the exit
    /// would crash the process.
    void Close();
    std::string SocName();

    bool MapHost() const { return mapHost_; }
    /// Makes later runs copy arrays, because the runtime has refused to map host memory.
    void StopMapping() { mapHost_ = false; }
    aclrtStream Stream() const { return stream_; }
    /// Returns the context that a thread must make current before it helps with copies.
    aclrtContext Context() const { return context_; }
    int32_t Id() const { return id_; }

    /// Returns device memory of exactly `bytes` > 0, so that the twin finds an access after the
    /// end. An allocation can take longer than a kernel. So released memory is kept, up to a limit,
    /// for a later run that needs the same size.
    void* Allocate(uint64_t bytes);
    void Release(void* address) noexcept;

private:
    friend class RunScope;
    struct Kept {
        void* address;
        uint64_t bytes;
    };

    Device();
    void RefuseForked();
    /// Locks the mutex. While another thread's run has locked it, waits with the GIL released.
    /// Throws the exception of a signal handler, such as KeyboardInterrupt for Ctrl-C.
    void Lock();
    void CheckUsable() const;
    /// Opens the device if it is not open, and makes its context the current one of this thread.
    void EnsureOpen();
    void Initialize();
    /// Chooses the device that this thread already uses, for example through torch_npu. Otherwise
    /// chooses the first device that opens. ASCEND_RT_VISIBLE_DEVICES decides which devices exist.
    void Choose();
    void CreateStream();
    /// Gives the next run a new stream, because a stream may be unusable after a failure.
    void ReplaceStream() { replaceStream_ = true; }
    void FreeKept(size_t count, uint64_t bytes) noexcept;

    std::timed_mutex mutex_;
    std::atomic<int> users_{0};  ///< number of RunScopes, including those that wait for the mutex
    bool closed_ = false;        ///< guarded by the GIL
    pid_t pid_ = 0;              ///< process of the newest RunScope; guarded by the GIL
    bool mapHost_ = true;
    bool initialized_ = false;  ///< this object called aclInit, so it must call aclFinalize
    int32_t id_ = 0;
    aclrtContext context_ = nullptr;
    aclrtStream stream_ = nullptr;
    bool replaceStream_ = false;
    std::map<void*, uint64_t> sizes_;  ///< bytes of all memory from Allocate, by address
    std::vector<Kept> kept_;           ///< released memory that is not freed yet, oldest first
    uint64_t keptBytes_ = 0;
};

/// Exclusive use of the device for one call of an operator or kernel, so that two runs that map the
/// same array cannot collide. The constructor waits until the run of another thread ends.
class RunScope {
public:
    RunScope();
    ~RunScope();
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;

    /// Waits with the GIL released until the stream is empty. `api` is the name of the call that
    /// enqueued the launch, and `status` is its result. When this function returns or throws, the
    /// device no longer uses the caller's memory. Throws AclFailure if `api` or the launch failed.
    /// Ctrl-C aborts the launch and throws KeyboardInterrupt.
    void Finish(aclError status, const char* api) const;

private:
    void Leave() const noexcept;

    aclrtContext callers_ = nullptr;  ///< context that Leave() restores; null if none
};

}  // namespace cannery

#endif  // CANNERY_DEVICE_H
