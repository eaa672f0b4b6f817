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

/// One device with one stream, opened by the first run and shared by every thread of the process.
class Device {
public:
    static Device& Instance();

    /// `mapHost` false: always copy through device memory, as on runtimes that cannot map host
    /// memory.
    void Configure(const std::vector<std::string>& directories, bool mapHost);
    /// At interpreter exit, once and for all: aborts what other threads are running, waits until
    /// they have left, and closes the device. A thread that found the interpreter gone while it
    /// waited would take the process down.
    void Close();
    std::string SocName();

    bool MapHost() const { return mapHost_; }
    /// The runtime refused to map host memory once: copy from now on.
    void StopMapping() { mapHost_ = false; }
    aclrtStream Stream() const { return stream_; }
    /// What a thread that helps a run makes current.
    aclrtContext Context() const { return context_; }
    int32_t Id() const { return id_; }

    /// Device memory of exactly `bytes` > 0: what a run gets ends where its range in the device
    /// ends, so a step over the end is found. An allocation can cost more than a kernel, so
    /// released memory is kept for a run that wants the same size, up to a limit.
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
    /// Waits for another thread's run with the GIL released. Throws what a signal handler raised
    /// meanwhile, KeyboardInterrupt for Ctrl-C.
    void Lock();
    void CheckUsable() const;
    /// Leaves its context the thread's current one.
    void EnsureOpen();
    void Initialize();
    /// The thread's own device if it has one, as in a process that uses torch_npu too, else the
    /// first that opens. Which ones there are is up to ASCEND_RT_VISIBLE_DEVICES.
    void Choose();
    void CreateStream();
    /// What a stream says after a failure is up to the runtime: the next run gets a new one.
    void ReplaceStream() { replaceStream_ = true; }
    void FreeKept(size_t count, uint64_t bytes) noexcept;

    std::timed_mutex mutex_;
    std::atomic<int> users_{0};  ///< RunScopes alive, those that wait for the mutex included
    bool closed_ = false;        ///< guarded by the GIL
    pid_t pid_ = 0;              ///< process of the newest RunScope; guarded by the GIL
    bool mapHost_ = true;
    bool initialized_ = false;  ///< our aclInit succeeded, so aclFinalize is ours too
    int32_t id_ = 0;
    aclrtContext context_ = nullptr;
    aclrtStream stream_ = nullptr;
    bool replaceStream_ = false;
    std::map<void*, uint64_t> sizes_;  ///< of every address that Allocate has handed out
    std::vector<Kept> kept_;           ///< oldest first
    uint64_t keptBytes_ = 0;
};

/// Exclusive use of the device for one operator or kernel call: the twin runs one launch at a time
/// anyway, and two runs that map the same array cannot collide. Waits for another thread's run, and
/// Ctrl-C ends the wait.
class RunScope {
public:
    RunScope();
    ~RunScope();
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;

    /// Takes the status of the call `api` that enqueued work and blocks until the stream is empty,
    /// GIL released. On return and on every throw the device has let go of the caller's memory.
    /// Throws AclFailure when enqueueing or the work failed; Ctrl-C aborts the launch and throws
    /// KeyboardInterrupt.
    void Finish(aclError status, const char* api) const;

private:
    void Leave() const noexcept;

    aclrtContext callers_ = nullptr;  ///< the thread's own context, if it has another one
};

}  // namespace cannery

#endif  // CANNERY_DEVICE_H
