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

    /// With `mapHost` false the runner always copies through device memory, as on runtimes that
    /// cannot map host memory.
    void Configure(const std::vector<std::string>& directories, bool mapHost);
    /// Called once, at interpreter exit: aborts the launches of other threads, waits until they
    /// have left, and closes the device. A thread that waited and then found no interpreter would
    /// crash the process.
    void Close();
    std::string SocName();

    bool MapHost() const { return mapHost_; }
    /// The runtime has refused to map host memory, so later runs copy.
    void StopMapping() { mapHost_ = false; }
    aclrtStream Stream() const { return stream_; }
    /// A thread that helps a run makes this context current.
    aclrtContext Context() const { return context_; }
    int32_t Id() const { return id_; }

    /// Returns device memory of exactly `bytes` > 0: a run's memory ends where its range in the
    /// device ends, so the twin finds a step over the end. An allocation can cost more than a
    /// kernel, so released memory is kept, up to a limit, for a run that wants the same size.
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
    /// Waits for another thread's run with the GIL released. Throws the exception of a signal
    /// handler, such as KeyboardInterrupt for Ctrl-C.
    void Lock();
    void CheckUsable() const;
    /// Makes its context the thread's current one.
    void EnsureOpen();
    void Initialize();
    /// Chooses the thread's own device if it has one, as in a process that also uses torch_npu,
    /// else the first that opens. ASCEND_RT_VISIBLE_DEVICES decides which devices there are.
    void Choose();
    void CreateStream();
    /// A stream's state after a failure depends on the runtime, so the next run gets a new stream.
    void ReplaceStream() { replaceStream_ = true; }
    void FreeKept(size_t count, uint64_t bytes) noexcept;

    std::timed_mutex mutex_;
    std::atomic<int> users_{0};  ///< RunScopes, including those that wait for the mutex
    bool closed_ = false;        ///< guarded by the GIL
    pid_t pid_ = 0;              ///< process of the newest RunScope; guarded by the GIL
    bool mapHost_ = true;
    bool initialized_ = false;  ///< our aclInit succeeded, so aclFinalize is ours too
    int32_t id_ = 0;
    aclrtContext context_ = nullptr;
    aclrtStream stream_ = nullptr;
    bool replaceStream_ = false;
    std::map<void*, uint64_t> sizes_;  ///< sizes of all addresses from Allocate
    std::vector<Kept> kept_;           ///< oldest first
    uint64_t keptBytes_ = 0;
};

/// Has exclusive use of the device for one operator or kernel call: the twin runs one launch at a
/// time anyway, and two runs that map the same array cannot collide. Waits for another thread's
/// run; Ctrl-C ends the wait.
class RunScope {
public:
    RunScope();
    ~RunScope();
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;

    /// Takes the status of the call `api` that enqueued work and waits with the GIL released until
    /// the stream is empty. On return and on every throw the device no longer uses the caller's
    /// memory. Throws AclFailure if enqueueing or the work failed; Ctrl-C aborts the launch and
    /// throws KeyboardInterrupt.
    void Finish(aclError status, const char* api) const;

private:
    void Leave() const noexcept;

    aclrtContext callers_ = nullptr;  ///< the thread's own context, if it has another one
};

}  // namespace cannery

#endif  // CANNERY_DEVICE_H
