// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <time.h>

#include <chrono>
#include <thread>

#include "core/worker.h"

namespace twin {
namespace {

constexpr size_t kSignalStackBytes = 64 << 10;
constexpr auto kWatchInterval = std::chrono::milliseconds(20);

/// Pool threads live as long as the process: starting threads for every launch would cost more than
/// a small kernel.
class Pool {
public:
    static Pool& Instance() {
        static Pool* const pool =
            new Pool;  // never destroyed: its threads may outlive static objects
        return *pool;
    }

    std::vector<Worker*> Start(LaunchState& launch, uint32_t count) {
        const std::lock_guard<std::mutex> lock(mutex_);
        while (members_.size() < count) {
            members_.push_back(new Member);
            Member* member = members_.back();
            std::thread([this, member] { Serve(*member); }).detach();
        }
        std::vector<Worker*> workers;
        busy_ += count;
        for (uint32_t i = 0; i < count; ++i) {
            members_[i]->launch = &launch;
            workers.push_back(&members_[i]->worker);
        }
        wake_.notify_all();
        return workers;
    }

    /// True when every worker has ended its part, false after one watch interval.
    bool WaitIdle() {
        std::unique_lock<std::mutex> lock(mutex_);
        return idle_.wait_for(lock, kWatchInterval, [this] { return busy_ == 0; });
    }

private:
    struct Member {
        Worker worker;
        LaunchState* launch = nullptr;
    };

    void Serve(Member& member) {
        stack_t signalStack = {};
        signalStack.ss_sp = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        signalStack.ss_size = kSignalStackBytes;
        sigaltstack(&signalStack, nullptr);
        // Ctrl-C and the like belong to the program's own threads.
        sigset_t all;
        sigfillset(&all);
        for (const int number :
             {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, EscapeSignal()}) {
            sigdelset(&all, number);
        }
        pthread_sigmask(SIG_SETMASK, &all, nullptr);
        member.worker.thread = pthread_self();
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&member] { return member.launch != nullptr; });
            lock.unlock();
            member.worker.Run(*member.launch);
            lock.lock();
            member.launch = nullptr;
            if (--busy_ == 0) {
                idle_.notify_all();
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::vector<Member*> members_;
    uint32_t busy_ = 0;
};

using Clock = std::chrono::steady_clock;

double CpuSeconds(pthread_t thread) {
    clockid_t clock;
    timespec time = {};
    if (thread == 0 || pthread_getcpuclockid(thread, &clock) != 0 ||
        clock_gettime(clock, &time) != 0) {
        return 0.0;
    }
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double Since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What the watchdog remembers of one worker. Time is the worker's CPU time, so that a busy machine
/// alone never makes a kernel time out; wall time counts with a tenfold limit, for a kernel that
/// sleeps.
struct Watch {
    uint64_t heartbeat = 0;
    const Task* task = nullptr;
    double cpu = 0.0;
    double cpuAtBeat = 0.0;
    double cpuAtProgress = 0.0;
    Clock::time_point wallAtBeat = Clock::now();

    bool Silent(const Worker& worker, double timeout) {
        const Task* now = worker.current.load(std::memory_order_acquire);
        const uint64_t beat =
            now == nullptr ? 0 : now->core.heartbeat.load(std::memory_order_relaxed);
        cpu = CpuSeconds(worker.thread);
        if (now == nullptr || now != task || beat != heartbeat) {
            cpuAtBeat = cpu;
            wallAtBeat = Clock::now();
        }
        task = now;
        heartbeat = beat;
        return now != nullptr && (cpu - cpuAtBeat > timeout || Since(wallAtBeat) > 10 * timeout);
    }
};

/// Progress of a whole launch: addresses touched for the first time, barriers reached, blocks
/// ended. A launch that issues instructions without any of these for three timeouts is an endless
/// loop; one timeout is enough when its cores do nothing but read the same global memory again.
class ProgressWatch {
public:
    bool Stuck(const LaunchState& launch, std::vector<Watch>& watches, double timeout) {
        uint64_t progress =
            launch.finished + launch.aivBarrier.generation + launch.allBarrier.generation;
        uint64_t polls = 0;
        for (const Task* task : launch.live) {
            progress += task->core.progress.load(std::memory_order_relaxed);
            polls += task->core.polls.load(std::memory_order_relaxed);
        }
        if (progress != progress_ || launch.finished != finished_) {
            progress_ = progress;
            finished_ = launch.finished;
            polls_ = polls;
            for (Watch& watch : watches) {
                watch.cpuAtProgress = watch.cpu;
            }
        }
        const double limit = polls - polls_ > kManyPolls ? timeout : 3 * timeout;
        for (const Watch& watch : watches) {
            if (watch.task != nullptr && watch.cpu - watch.cpuAtProgress > limit) {
                return true;
            }
        }
        return false;
    }

private:
    static constexpr uint64_t kManyPolls = 1000;
    uint64_t progress_ = 0;
    uint64_t polls_ = 0;
    uint32_t finished_ = UINT32_MAX;
};

void RequestEscape(Worker& worker, Escape why) {
    worker.request.store(why, std::memory_order_release);
    pthread_kill(worker.thread, EscapeSignal());
}

}  // namespace

void RunOnWorkers(LaunchState& launch, uint32_t count) {
    launch.workers = count;
    const double timeout = launch.spec.settings.timeoutSeconds;
    const std::vector<Worker*> workers = Pool::Instance().Start(launch, count);
    std::vector<Watch> watches(count);
    ProgressWatch progress;
    Clock::time_point stoppedAt;
    while (!Pool::Instance().WaitIdle()) {
        const std::lock_guard<std::mutex> lock(
            launch.mutex);  // keeps every task alive while it is looked at
        if (!launch.stop && launch.spec.cancel != nullptr && launch.spec.cancel->load()) {
            launch.stop = true;
            stoppedAt = Clock::now();
            launch.NoteChange();
        }
        // A cancelled task leaves at its next instruction; one that issues none has to be thrown
        // out.
        const bool cancelled = launch.stop && Since(stoppedAt) > 0.2;
        for (uint32_t i = 0; i < count; ++i) {
            const bool silent = watches[i].Silent(*workers[i], timeout);
            if (watches[i].task != nullptr && (silent || cancelled)) {
                RequestEscape(*workers[i], cancelled ? Escape::Cancelled : Escape::NoInstruction);
            }
        }
        const bool stuck = progress.Stuck(launch, watches, timeout);
        for (uint32_t i = 0; stuck && i < count; ++i) {
            if (watches[i].task != nullptr) {
                RequestEscape(*workers[i], Escape::NoProgress);
            }
        }
    }
}

}  // namespace twin
