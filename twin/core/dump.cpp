// SPDX-License-Identifier: Apache-2.0
// Writes the instructions of a launch to a file. A launch may have so many instructions that their
// texts do not fit into memory, and cores run at the same time. So each core collects some texts in
// memory, and then moves them to a scratch file. When the launch has ended, the texts are copied to
// the dump file, one core after the other.
#include "core/dump.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/dump_text.h"
#include "core/files.h"
#include "core/range_value.h"
#include "core/types.h"
#include "core/worker.h"

namespace twin {
namespace {

uint64_t ThreadCpuNs() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1000000000U + static_cast<uint64_t>(time.tv_nsec);
}

/// Measures the thread's CPU time from its constructor to its destructor, and adds the time to
/// Worker::recordingNs. So the time that a dump takes does not count for the kernel's time limits.
class NotTheKernel {
public:
    NotTheKernel() : begin_(ThreadCpuNs()) {}
    ~NotTheKernel() { ThisWorker()->recordingNs += ThreadCpuNs() - begin_; }
    NotTheKernel(const NotTheKernel&) = delete;
    NotTheKernel& operator=(const NotTheKernel&) = delete;

private:
    uint64_t begin_;
};

/// A file without a name, which contains texts until the launch has ended. All cores add texts to
/// the file, on several threads. If Add() fails, Copy() reports the error.
class ScratchFile {
public:
    struct Part {
        uint64_t begin = 0;
        uint64_t bytes = 0;
    };

    /// `path` is the dump file. The scratch file is in the same folder, so this disk needs room for
    /// each text twice.
    explicit ScratchFile(std::string path) : path_(std::move(path)) {}

    Part Add(const std::string& text) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (file_ == nullptr && error_ == 0) {
            file_ = Open();
            error_ = file_ == nullptr ? errno : 0;
        }
        if (error_ == 0 && std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) {
            error_ = errno;
        }
        const Part part = {bytes_, text.size()};
        bytes_ += text.size();
        return part;
    }

    /// Copies a part of the scratch file to the file `to`. Throws std::runtime_error if the scratch
    /// file could not be written or cannot be read.
    void Copy(const Part& part, std::FILE* to) {
        std::string text(part.bytes, '\0');
        if (error_ == 0 && (std::fseek(file_.get(), static_cast<long>(part.begin), SEEK_SET) != 0 ||
                            std::fread(&text[0], 1, text.size(), file_.get()) != text.size())) {
            error_ = errno;
        }
        if (error_ != 0) {
            throw std::runtime_error(path_ + " is incomplete: its scratch file: " +
                                     std::strerror(error_) + "\n  try: a disk with room for it");
        }
        std::fwrite(text.data(), 1, text.size(), to);
    }

private:
    File Open() const {
        std::string name = path_ + ".XXXXXX";
        const int file = mkostemp(&name[0], O_CLOEXEC);
        if (file < 0) {
            return File(std::tmpfile());  // the folder may allow no new files, such as /dev
        }
        unlink(name.c_str());
        return File(fdopen(file, "w+"));
    }

    std::mutex mutex_;
    std::string path_;
    File file_;
    uint64_t bytes_ = 0;
    int error_ = 0;
};

/// What the dumps of all cores of a launch share.
struct DumpState {
    explicit DumpState(const std::string& path) : scratch(path) {}

    ScratchFile scratch;
    const LaunchInfo* info = nullptr;
    bool json = false;
    int32_t firstElements = -1;  ///< number of elements to write of each operand; -1: no values
    std::atomic<uint64_t> heldBytes{0};  ///< bytes in memory: texts of cores that have ended
};

class CoreDump : public CoreRecorder {
public:
    explicit CoreDump(DumpState* state) : state_(*state) {}

    void OnOperands(const Instruction& next, const Core& core) override {
        if (state_.firstElements >= 0) {
            const NotTheKernel time;
            values_.assign(next.ranges.size(), RangeValue());
            Take(next, core, false);
        }
    }
    void OnResults(const Instruction& done, const Core& core) override {
        if (state_.firstElements >= 0) {
            const NotTheKernel time;
            values_.resize(done.ranges.size());
            Take(done, core, true);
        }
    }
    void OnInstruction(const Instruction& i) override {
        waiting_.push_back(i);
        if (state_.firstElements >= 0) {
            values_.resize(i.ranges.size());
            waitingValues_.push_back(std::move(values_));
            values_.clear();
        }
        if (waiting_.size() == kWaiting) {
            const NotTheKernel time;
            AddTexts();
            if (text_.size() >= kCoreBytes) {
                MoveText();
            }
        }
    }
    void OnSuccess() override { OnLast(); }
    void OnFailure(const char*, const char*) override { OnLast(); }

    /// Writes all texts of the core.
    void CopyTo(std::FILE* file) {
        AddTexts();
        for (const ScratchFile::Part& part : parts_) {
            state_.scratch.Copy(part, file);
        }
        std::fwrite(text_.data(), 1, text_.size(), file);
    }

private:
    /// Number of instructions whose texts are made together. The clock is read once for all of
    /// them, because reading it takes about as long as making one text.
    static constexpr size_t kWaiting = 128;
    static constexpr size_t kCoreBytes = 256 << 10;
    static constexpr uint64_t kHeldBytes = 16 << 20;

    void OnLast() {
        const NotTheKernel time;
        AddTexts();
        if (state_.heldBytes.fetch_add(text_.size()) + text_.size() > kHeldBytes) {
            state_.heldBytes -= text_.size();
            MoveText();
        }
        text_.shrink_to_fit();
        waiting_.shrink_to_fit();
    }
    void AddTexts() {
        for (size_t i = 0; i < waiting_.size(); ++i) {
            const bool known = state_.firstElements >= 0;
            (state_.json ? AddDumpJson : AddDumpText)(
                waiting_[i], known ? waitingValues_[i].data() : nullptr, *state_.info, &text_);
        }
        waiting_.clear();
        waitingValues_.clear();
    }
    void MoveText() {
        parts_.push_back(state_.scratch.Add(text_));
        text_.clear();
    }
    void Take(const Instruction& instruction, const Core& core, bool write) {
        for (size_t i = 0; i < instruction.ranges.size(); ++i) {
            if (instruction.ranges[i].write == write && HasValue(instruction, i)) {
                values_[i] = ValueOfRange(instruction.ranges[i], core,
                                          static_cast<uint32_t>(state_.firstElements));
            }
        }
    }

    DumpState& state_;
    std::string text_;                      ///< texts that are not in the scratch file yet
    std::vector<ScratchFile::Part> parts_;  ///< where the earlier texts are in the scratch file
    std::vector<RangeValue> values_;        ///< values of the current instruction
    std::vector<Instruction> waiting_;      ///< instructions whose texts are not made yet
    std::vector<std::vector<RangeValue>> waitingValues_;
};

/// Writes the launch's instructions in (block, sub-block, program) order, so that the file never
/// depends on timing.
class DumpObserver : public Observer {
public:
    DumpObserver(const std::string& path, int32_t firstElements)
        : path_(path), file_(OpenAppend(path)), state_(path) {
        state_.json = path.size() > 6 && path.compare(path.size() - 6, 6, ".jsonl") == 0;
        state_.firstElements = firstElements;
    }

    void OnStart(const LaunchInfo& info) override { state_.info = &info; }

    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto& core = cores_[{block, subBlock, kind}];
        core = std::make_unique<CoreDump>(&state_);
        return core.get();
    }

    void OnEnd(const LaunchInfo& info) override {
        if (state_.json) {
            std::fprintf(
                file_.get(),
                "{\"launch\": %s, \"kernel_type\": \"%s\", \"block_dim\": %u, \"status\": %d}\n",
                JsonText(info.kernel).c_str(), info.kernelType.c_str(), info.blockDim, info.status);
        } else {
            std::fprintf(file_.get(),
                         "# launch %s  %s  blockDim %u  tilingKey %" PRIu64
                         "  status %d\n"
                         "# core   seq pipe opcode       elements what\n",
                         info.kernel.c_str(), info.kernelType.c_str(), info.blockDim,
                         info.tilingKey, info.status);
        }
        for (const auto& core : cores_) {
            core.second->CopyTo(file_.get());
        }
        Finish(std::move(file_), path_);
    }

private:
    std::string path_;
    File file_;
    DumpState state_;
    std::mutex mutex_;
    std::map<std::tuple<uint32_t, uint32_t, CoreKind>, std::unique_ptr<CoreDump>> cores_;
};

}  // namespace

std::unique_ptr<Observer> MakeDumpObserver(const std::string& path, int32_t firstElements) {
    return std::make_unique<DumpObserver>(path, firstElements);
}

}  // namespace twin
