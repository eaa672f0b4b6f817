// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>

#include "core/worker.h"

namespace twin {
namespace {

constexpr size_t kSignalStackBytes = 64 << 10;
constexpr auto kWatchInterval = std::chrono::milliseconds(20);

/// The worker threads. They exist as long as the process, because starting threads for every launch
/// would cost more than a small kernel.
class Pool {
public:
    static Pool& Instance() {
        static Pool* const pool = new Pool;  // never destroyed: its threads may outlive statics
        return *pool;
    }

    /// Starts the launch on `count` workers, or fewer if the machine gives no more threads.
    std::vector<Worker*> Start(LaunchState& launch, uint32_t count) {
        const std::lock_guard<std::mutex> lock(mutex_);
        while (members_.size() < count && AddMember()) {
        }
        if (members_.empty()) {
            throw std::runtime_error("this machine gives no thread for a worker");
        }
        count = std::min(count, static_cast<uint32_t>(members_.size()));
        std::vector<Worker*> workers;
        workers.reserve(count);
        for (uint32_t i = 0; i < count; ++i) {
            workers.push_back(&members_[i]->worker);
        }
        launch.workers = count;
        busy_ += count;
        for (uint32_t i = 0; i < count; ++i) {
            members_[i]->launch = &launch;
        }
        wake_.notify_all();
        return workers;
    }

    /// Removes a worker whose thread hangs in a call. The next launch starts another thread if it
    /// needs one.
    void Abandon(const Worker* worker) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found =
            std::find_if(members_.begin(), members_.end(),
                         [worker](const Member* member) { return &member->worker == worker; });
        (*found)->abandoned = true;
        members_.erase(found);
        --busy_;
    }

    /// Waits for one watch interval; returns true as soon as every worker is idle.
    bool WaitIdle() {
        std::unique_lock<std::mutex> lock(mutex_);
        return idle_.wait_for(lock, kWatchInterval, [this] { return busy_ == 0; });
    }

private:
    struct Member {
        Worker worker;
        LaunchState* launch = nullptr;
        bool abandoned = false;
        void* signalStack = nullptr;
    };

    bool AddMember() {
        void* const stack = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED) {
            return false;
        }
        try {
            auto member = std::make_unique<Member>();
            member->signalStack = stack;
            members_.reserve(members_.size() + 1);
            Member* const started = member.get();
            std::thread([this, started] { Serve(*started); }).detach();
            members_.push_back(member.release());
        } catch (const std::exception&) {  // no memory, or too many threads
            munmap(stack, kSignalStackBytes);
            return false;
        }
        return true;
    }

    void Serve(Member& member) {
        stack_t signalStack = {};
        signalStack.ss_sp = member.signalStack;
        signalStack.ss_size = kSignalStackBytes;
        sigaltstack(&signalStack, nullptr);
        // Workers block Ctrl-C and similar signals, which the program's own threads handle.
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
            if (member.abandoned) {
                // The abandoned thread has returned after all: the kernel can be launched again.
                member.launch->spec.image->Code().Open();
                return;
            }
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

/// The watchdog's data about one worker. Time is the worker's CPU time, so a kernel does not time
/// out on a busy machine. The limit of wall time is ten times as long, for a kernel that sleeps.
struct Watch {
    uint64_t heartbeat = 0;
    const Task* task = nullptr;
    double cpu = 0.0;
    double cpuAtBeat = 0.0;
    double cpuAtMeeting = 0.0;
    double cpuAtProgress = 0.0;
    Clock::time_point wallAtBeat = Clock::now();
    bool silent = false;  ///< the task has issued no instruction for too long

    /// Updates the data; `worker` is nullptr if it was abandoned.
    void Look(const Worker* worker, double timeout) {
        const Task* now =
            worker == nullptr ? nullptr : worker->current.load(std::memory_order_acquire);
        const uint64_t beat = now == nullptr ? 0 : now->core.heartbeat.Get();
        if (worker != nullptr) {
            const double recording = 1e-9 * static_cast<double>(worker->recordingNs.load());
            cpu = CpuSeconds(worker->thread) - recording;
        }
        if (now == nullptr || now != task || beat != heartbeat) {
            cpuAtBeat = cpu;
            wallAtBeat = Clock::now();
        }
        task = now;
        heartbeat = beat;
        silent = now != nullptr && (cpu - cpuAtBeat > timeout || Since(wallAtBeat) > 10 * timeout);
    }
};

/// Progress of a whole launch: cores end, or access GM addresses for the first time. A launch
/// without progress for three timeouts counts as an endless loop. If its cores only poll GM, one
/// timeout is enough. Barriers and flags between cores extend the time, but only to 20 timeouts,
/// because an endless loop may contain barriers and flags, too.
class ProgressWatch {
public:
    bool Stuck(const LaunchState& launch, std::vector<Watch>& watches, double timeout) {
        uint64_t progress = launch.finished;
        uint64_t meetings = 0;
        uint64_t polls = 0;
        for (const Task* task : launch.live) {
            progress += task->core.progress.Get();
            meetings += task->core.meetings.Get();
            polls += task->core.polls.Get();
        }
        const bool advanced = progress != progress_ || launch.finished != finished_;
        if (advanced || meetings != meetings_) {
            polls_ = polls;
            for (Watch& watch : watches) {
                watch.cpuAtMeeting = watch.cpu;
                watch.cpuAtProgress = advanced ? watch.cpu : watch.cpuAtProgress;
            }
        }
        progress_ = progress;
        finished_ = launch.finished;
        meetings_ = meetings;
        const double limit = polls - polls_ > kManyPolls ? timeout : kNothingNew * timeout;
        return std::any_of(watches.begin(), watches.end(), [&](const Watch& watch) {
            return watch.task != nullptr &&
                   (watch.cpu - watch.cpuAtMeeting > limit ||
                    watch.cpu - watch.cpuAtProgress > kOnlyMeetings * timeout);
        });
    }

private:
    static constexpr uint64_t kManyPolls = 1000;
    static constexpr double kNothingNew = 3;
    static constexpr double kOnlyMeetings = 20;
    uint64_t progress_ = 0;
    uint64_t meetings_ = 0;
    uint64_t polls_ = 0;
    uint32_t finished_ = UINT32_MAX;
};

/// Ends tasks that do not end by themselves. A task is ended only in the kernel's own code:
/// elsewhere it may hold a lock of the C library, and the next thread that needs the lock would
/// wait for ever.
class Bouncer {
public:
    Bouncer(LaunchState& launch, std::vector<Worker*>& workers)
        : launch_(launch), workers_(workers), askedAt_(workers.size()) {}

    void Ask(size_t index, Escape why) {
        if (workers_[index]->request.exchange(why) == Escape::None) {
            askedAt_[index] = Clock::now();
        }
        pthread_kill(workers_[index]->thread, EscapeSignal());
    }

    /// Makes the kernel's code not executable while a requested end of a task is pending. Abandons
    /// workers that hang. The caller holds the launch's lock.
    void FollowUp() {
        const KernelCode& code = launch_.spec.image->Code();
        bool pending = false;
        for (size_t i = 0; i < workers_.size(); ++i) {
            Worker* const worker = workers_[i];
            if (worker == nullptr || worker->current.load() == nullptr ||
                worker->request.load() == Escape::None) {
                continue;
            }
            pending = true;
            if (Since(askedAt_[i]) > kPatienceSeconds) {
                Abandon(i);
            }
        }
        if (pending && !code.Closed()) {
            code.Close();
        } else if (!pending && code.Closed() && !launch_.abandoned) {
            code.Open();
        }
    }

    void Done() {
        if (launch_.spec.image->Code().Closed() && !launch_.abandoned) {
            launch_.spec.image->Code().Open();
        }
    }

private:
    static constexpr double kPatienceSeconds = 10;

    /// Makes the kernel's code executable again at exit, when destructors in its library run.
    static void OpenAtExit(std::shared_ptr<const KernelImage> image) {
        using Images = std::vector<std::shared_ptr<const KernelImage>>;
        static Images* const images = new Images;
        if (images->empty()) {
            std::atexit([] {
                for (const auto& closed : *images) {
                    closed->Code().Open();
                }
            });
        }
        images->push_back(std::move(image));
    }

    void Abandon(size_t index) {
        const Task* task = workers_[index]->current.load();
        launch_.AddFailure(task->core, true, DescribeStranded(*task));
        launch_.abandoned = true;
        --launch_.running;
        launch_.End();
        OpenAtExit(launch_.spec.image);
        Pool::Instance().Abandon(workers_[index]);
        workers_[index] = nullptr;
    }

    LaunchState& launch_;
    std::vector<Worker*>& workers_;
    std::vector<Clock::time_point> askedAt_;
};

}  // namespace

void RunOnWorkers(LaunchState& launch, uint32_t count) {
    const double timeout = launch.spec.settings.timeoutSeconds;
    std::vector<Worker*> workers = Pool::Instance().Start(launch, count);
    std::vector<Watch> watches(workers.size());
    ProgressWatch progress;
    Bouncer bouncer(launch, workers);
    Clock::time_point stoppedAt;
    bool stopped = false;
    while (!Pool::Instance().WaitIdle()) {
        const std::lock_guard<std::mutex> lock(launch.mutex);  // keeps every task alive
        if (!launch.stop.Get() && launch.spec.cancel != nullptr && launch.spec.cancel->load()) {
            launch.cancelled = true;
            launch.End();
        }
        if (launch.stop.Get() && !stopped) {
            stopped = true;
            stoppedAt = Clock::now();
        }
        // A task ends at its next instruction. If it issues no instruction, a signal ends the task.
        const bool overdue = stopped && Since(stoppedAt) > 0.2;
        for (size_t i = 0; i < workers.size(); ++i) {
            watches[i].Look(workers[i], timeout);
        }
        const bool stuck = progress.Stuck(launch, watches, timeout);
        for (size_t i = 0; i < workers.size(); ++i) {
            if (watches[i].task == nullptr) {
                continue;
            }
            if (overdue) {
                bouncer.Ask(i, Escape::Cancelled);
            } else if ((watches[i].silent || stuck) && !stopped) {
                // A core that waits for a failed core has not failed itself.
                if (!launch.failures.empty()) {
                    launch.End();
                } else {
                    bouncer.Ask(i, watches[i].silent ? Escape::NoInstruction : Escape::NoProgress);
                }
            }
        }
        bouncer.FollowUp();
    }
    bouncer.Done();
}

}  // namespace twin
