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

/// Device 0 with one stream, opened by the first run and shared by every thread of the process.
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

    /// Device memory of at least `bytes` > 0. Kept for the next run where the runtime is a real
    /// one, whose allocation costs more than most kernels; given back at once on a twin, so that
    /// its bounds checks see exact sizes.
    void* Allocate(uint64_t bytes);
    void Release(void* address) noexcept;

private:
    friend class RunScope;

    void EnsureOpen();
    void FreePool() noexcept;

    std::mutex mutex_;
    std::atomic<int> users_{0};  ///< RunScopes alive, those that wait for the mutex included
    bool closed_ = false;        ///< guarded by the GIL
    pid_t pid_ = 0;
    bool mapHost_ = true;
    bool initialized_ = false;  ///< our aclInit succeeded, so aclFinalize is ours too
    aclrtStream stream_ = nullptr;
    std::map<void*, uint64_t> sizes_;
    std::multimap<uint64_t, void*> free_;
};

/// Exclusive use of the device for one operator or kernel call: the twin runs one launch at a time
/// anyway, and two runs that map the same array cannot collide. Waits for another thread's run with
/// the GIL released.
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
    static void Leave();
};

}  // namespace cannery

#endif  // CANNERY_DEVICE_H
