// SPDX-License-Identifier: Apache-2.0
#include "core/memory_map.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "core/files.h"

namespace twin {
namespace {

// Largest number of layouts that are stored per core; further layouts are only counted. A kernel
// has few layouts, even if it allocates its buffers again in every iteration.
constexpr size_t kMostLayouts = 32;
constexpr uint64_t kMostBytes = uint64_t{1} << 20;  ///< larger than any local memory

/// The 32 B blocks of one memory that instructions have read or written.
class Touched {
public:
    void Add(uint64_t begin, uint64_t bytes) {
        const uint64_t end = std::min(begin + bytes, kMostBytes);
        if (bytes == 0 || begin >= end) {
            return;
        }
        const uint64_t last = (end - 1) / kBlockBytes;
        if (blocks_.size() <= last) {
            blocks_.resize(last + 1);
        }
        std::fill(blocks_.begin() + static_cast<int64_t>(begin / kBlockBytes),
                  blocks_.begin() + static_cast<int64_t>(last) + 1, true);
    }
    void Add(const Touched& other) {
        blocks_.resize(std::max(blocks_.size(), other.blocks_.size()));
        for (size_t i = 0; i < other.blocks_.size(); ++i) {
            blocks_[i] = blocks_[i] || other.blocks_[i];
        }
    }
    bool Has(uint64_t block) const { return block < blocks_.size() && blocks_[block]; }
    uint64_t Blocks() const { return blocks_.size(); }
    uint64_t Bytes(uint64_t begin, uint64_t bytes) const {
        uint64_t count = 0;
        for (uint64_t at = begin / kBlockBytes; at * kBlockBytes < begin + bytes; ++at) {
            count += Has(at) ? kBlockBytes : 0;
        }
        return std::min(count, bytes);
    }
    bool Any() const { return !blocks_.empty(); }
    /// Forgets the touched blocks of a buffer.
    void Remove(const BufferRecord& buffer) {
        for (uint64_t at = buffer.begin / kBlockBytes;
             at * kBlockBytes < uint64_t{buffer.begin} + buffer.bytes && at < blocks_.size();
             ++at) {
            blocks_[at] = false;
        }
    }

private:
    std::vector<bool> blocks_;
};

/// Buffers that existed at the same time, until one of them was removed.
struct Layout {
    std::vector<BufferRecord> buffers;
    std::array<Touched, kMemories> touched;
    uint64_t times = 1;

    bool Empty() const {
        return buffers.empty() && std::none_of(touched.begin(), touched.end(),
                                               [](const Touched& one) { return one.Any(); });
    }
    /// Returns true if the buffers and their source lines are equal. Does not compare queue
    /// numbers, because they do not restart at 0 after TPipe::Reset.
    bool Like(const Layout& other) const {
        return std::equal(buffers.begin(), buffers.end(), other.buffers.begin(),
                          other.buffers.end(), [](const BufferRecord& a, const BufferRecord& b) {
                              return std::tie(a.memory, a.begin, a.bytes, a.slot, a.where.line) ==
                                         std::tie(b.memory, b.begin, b.bytes, b.slot,
                                                  b.where.line) &&
                                     std::strcmp(a.kind, b.kind) == 0 &&
                                     std::strcmp(a.where.file, b.where.file) == 0;
                          });
    }
    void Merge(const Layout& other) {
        for (uint32_t memory = 0; memory < kMemories; ++memory) {
            touched[memory].Add(other.touched[memory]);
        }
    }
    /// Returns, for each memory, the number of bytes that belong to buffers.
    MemorySizes Taken() const {
        std::vector<BufferRecord> sorted = buffers;
        std::sort(sorted.begin(), sorted.end(),
                  [](const auto& a, const auto& b) { return a.begin < b.begin; });
        MemorySizes taken{};
        MemorySizes end{};
        for (const BufferRecord& buffer : sorted) {
            const auto memory = static_cast<size_t>(buffer.memory);
            const uint64_t begin = std::max<uint64_t>(buffer.begin, end[memory]);
            end[memory] = std::max(end[memory], uint64_t{buffer.begin} + buffer.bytes);
            taken[memory] += end[memory] - std::min(begin, end[memory]);
        }
        return taken;
    }
};

class CoreMap : public CoreRecorder {
public:
    void OnInstruction(const Instruction& instruction) override {
        for (const ByteRange& range : instruction.ranges) {
            if (range.memory != Memory::Gm) {
                Touch(range);
            }
        }
    }

    void OnBuffer(const BufferEvent& event) override {
        if (event.made) {
            open_.buffers.push_back(event.buffer);
            grown_ = true;
            return;
        }
        if (grown_) {
            Close();
        }
        const BufferRecord& gone = event.buffer;
        const auto found = std::find_if(
            open_.buffers.begin(), open_.buffers.end(), [&gone](const BufferRecord& buffer) {
                return std::tie(buffer.queue, buffer.slot, buffer.memory, buffer.begin) ==
                       std::tie(gone.queue, gone.slot, gone.memory, gone.begin);
            });
        if (found != open_.buffers.end()) {
            open_.buffers.erase(found);
        }
    }

    void Finish() {
        const bool touched = std::any_of(open_.touched.begin(), open_.touched.end(),
                                         [](const Touched& one) { return one.Any(); });
        if (grown_ || touched) {
            Close();
        }
    }
    bool Like(const CoreMap& other) const {
        return more_ == other.more_ && most_ == other.most_ && last_ == other.last_ &&
               std::equal(layouts_.begin(), layouts_.end(), other.layouts_.begin(),
                          other.layouts_.end(), [](const Layout& a, const Layout& b) {
                              return a.times == b.times && a.Like(b);
                          });
    }
    void Merge(const CoreMap& other) {
        for (size_t i = 0; i < layouts_.size(); ++i) {
            layouts_[i].Merge(other.layouts_[i]);
        }
    }
    const std::vector<Layout>& Layouts() const { return layouts_; }
    uint64_t More() const { return more_; }
    const MemorySizes& Most() const { return most_; }
    const MemorySizes& Last() const { return last_; }

private:
    void Touch(const ByteRange& range) {
        Touched& touched = open_.touched[static_cast<size_t>(range.memory)];
        const Runs& runs = range.runs;
        for (uint64_t repeat = 0; repeat < runs.repeat.count; ++repeat) {
            for (uint64_t block = 0; block < runs.block.count; ++block) {
                touched.Add(range.begin + repeat * runs.repeat.stride + block * runs.block.stride,
                            runs.bytes);
            }
        }
    }

    /// Ends the current layout and stores it.
    void Close() {
        const auto like = std::find_if(layouts_.begin(), layouts_.end(),
                                       [this](const Layout& one) { return one.Like(open_); });
        if (like != layouts_.end()) {
            like->Merge(open_);
            ++like->times;
        } else if (layouts_.size() < kMostLayouts) {
            layouts_.push_back(open_);
        } else {
            ++more_;
        }
        last_ = open_.Taken();
        for (uint32_t memory = 0; memory < kMemories; ++memory) {
            most_[memory] = std::max(most_[memory], last_[memory]);
        }
        open_.touched = {};
        grown_ = false;
    }

    Layout open_;
    bool grown_ = false;  ///< a buffer was created since the last layout
    std::vector<Layout> layouts_;
    uint64_t more_ = 0;  ///< number of layouts that were not stored
    MemorySizes most_{};
    MemorySizes last_{};
};

/// Cores of one kind that had the same layouts.
struct Group {
    CoreKind kind;
    std::vector<std::string> names;
    CoreMap map;
};

class MapObserver : public Observer {
public:
    explicit MapObserver(const std::string& path) : path_(path), file_(OpenAppend(path)) {}

    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        auto& core = cores_[{block, subBlock, kind}];
        core = std::make_unique<CoreMap>();
        return core.get();
    }

    void OnEnd(const LaunchInfo& info) override {
        std::fprintf(file_.get(),
                     "{\"kernel\": %s, \"kernel_type\": \"%s\", \"block_dim\": %u, \"tiling_key\": "
                     "%llu, \"soc\": \"%s\", \"status\": %d, \"message\": %s, \"left_out\": %u, "
                     "\"memories\": {",
                     JsonText(info.kernel).c_str(), info.kernelType.c_str(), info.blockDim,
                     static_cast<unsigned long long>(info.tilingKey), info.soc, info.status,
                     JsonText(info.message).c_str(), LeftOut(info));
        std::fprintf(file_.get(), "%s}, \"cores\": [", ByMemory(info.memoryBytes).c_str());
        const std::vector<Group> groups = Groups(info);
        for (const Group& group : groups) {
            std::fprintf(file_.get(), "%s", &group == groups.data() ? "" : ", ");
            Write(group);
        }
        std::fprintf(file_.get(), "]}\n");
        twin::Finish(std::move(file_), path_);
    }

private:
    /// Returns how many cores the file leaves out: the cores above a failed core, because the
    /// schedule decides how far they ran. Returns 0 in a deadlock, where all cores are stuck.
    static uint32_t LeftOut(const LaunchInfo& info) {
        const uint32_t cores = info.blockDim * info.shape.Cores();
        return info.allStand || info.failedCore >= cores ? 0 : cores - 1 - info.failedCore;
    }

    std::vector<Group> Groups(const LaunchInfo& info) {
        const uint32_t cores = info.blockDim * info.shape.Cores() - LeftOut(info);
        std::vector<Group> groups;
        for (const auto& core : cores_) {
            const auto& [block, subBlock, kind] = core.first;
            const uint32_t member = kind == CoreKind::Aic ? 0 : info.shape.aic + subBlock;
            if (block * info.shape.Cores() + member >= cores) {
                continue;
            }
            core.second->Finish();
            auto like = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
                return group.kind == kind && group.map.Like(*core.second);
            });
            if (like == groups.end()) {
                groups.push_back(Group{kind, {}, *core.second});
                like = groups.end() - 1;
            } else {
                like->map.Merge(*core.second);
            }
            like->names.push_back(std::to_string(block) + " " + Name(kind) +
                                  (subBlock == 0 ? "" : std::to_string(subBlock)));
        }
        return groups;
    }

    /// Returns JSON members such as "UB": 196608, "L1": 524288.
    static std::string ByMemory(const MemorySizes& bytes) {
        std::string text;
        for (uint32_t memory = static_cast<uint32_t>(Memory::Ub); memory < kMemories; ++memory) {
            text += std::string(text.empty() ? "\"" : ", \"") + Name(static_cast<Memory>(memory)) +
                    "\": " + std::to_string(bytes[memory]);
        }
        return text;
    }

    void Write(const Group& group) {
        std::string names;
        for (const std::string& name : group.names) {
            names += (names.empty() ? "\"" : ", \"") + name + "\"";
        }
        std::fprintf(file_.get(),
                     "{\"kind\": \"%s\", \"names\": [%s], \"more\": %llu, \"most\": {%s}, "
                     "\"last\": {%s}, \"layouts\": [",
                     Name(group.kind), names.c_str(),
                     static_cast<unsigned long long>(group.map.More()),
                     ByMemory(group.map.Most()).c_str(), ByMemory(group.map.Last()).c_str());
        for (const Layout& layout : group.map.Layouts()) {
            std::fprintf(file_.get(), "%s{\"times\": %llu, \"buffers\": [",
                         &layout == group.map.Layouts().data() ? "" : ", ",
                         static_cast<unsigned long long>(layout.times));
            for (const BufferRecord& buffer : layout.buffers) {
                const Touched& touched = layout.touched[static_cast<size_t>(buffer.memory)];
                std::fprintf(
                    file_.get(),
                    "%s{\"memory\": \"%s\", \"begin\": %u, \"bytes\": %u, \"touched\": "
                    "%llu, \"queue\": %d, \"slot\": %d, \"kind\": \"%s\", \"file\": %s, "
                    "\"line\": %u}",
                    &buffer == layout.buffers.data() ? "" : ", ", Name(buffer.memory), buffer.begin,
                    buffer.bytes,
                    static_cast<unsigned long long>(touched.Bytes(buffer.begin, buffer.bytes)),
                    buffer.queue, buffer.slot, buffer.kind, JsonText(buffer.where.file).c_str(),
                    buffer.where.line);
            }
            std::fprintf(file_.get(), "], \"loose\": [%s]}", Loose(layout).c_str());
        }
        std::fprintf(file_.get(), "]}");
    }

    /// Returns JSON for the bytes that were read or written and belonged to no buffer.
    static std::string Loose(const Layout& layout) {
        std::array<Touched, kMemories> left = layout.touched;
        for (const BufferRecord& buffer : layout.buffers) {
            left[static_cast<size_t>(buffer.memory)].Remove(buffer);
        }
        std::string text;
        for (uint32_t memory = 0; memory < kMemories; ++memory) {
            const Touched& touched = left[memory];
            for (uint64_t at = 0; at < touched.Blocks(); ++at) {
                const uint64_t first = at;
                while (touched.Has(at)) {
                    ++at;
                }
                if (at != first) {
                    text += std::string(text.empty() ? "" : ", ") + "{\"memory\": \"" +
                            Name(static_cast<Memory>(memory)) +
                            "\", \"begin\": " + std::to_string(first * kBlockBytes) +
                            ", \"bytes\": " + std::to_string((at - first) * kBlockBytes) + "}";
                }
            }
        }
        return text;
    }

    std::string path_;
    File file_;
    std::mutex mutex_;
    std::map<std::tuple<uint32_t, uint32_t, CoreKind>, std::unique_ptr<CoreMap>> cores_;
};

}  // namespace

std::unique_ptr<Observer> MakeMapObserver(const std::string& path) {
    return std::make_unique<MapObserver>(path);
}

}  // namespace twin
