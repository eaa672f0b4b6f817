// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "core/types.h"

namespace twin::hazard {

/// One side of a finding, as messages name it.
struct Party {
    std::string core;  ///< "3 AIV", the second vector core of a block "3 AIV1"
    uint32_t coreIdx = 0;
    CoreKind kind = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    std::string opcode;
    std::string file;
    std::string function;
    uint32_t line = 0;
    bool write = false;
    bool exists = false;
};

struct Finding {
    const char* code = "";
    const char* kind = "";  ///< "RAW inter-pipe", "flag left set"
    std::string memory;     ///< "UB", "GM"; of flags "flag"
    std::string place;      ///< "VECIN queue 0 buffer 1", "input x"
    uint64_t begin = 0;     ///< in the memory; of GM in what `place` names
    uint64_t bytes = 0;
    Party first;
    Party second;
    std::string missing;  ///< what would put it right
    std::string note;     ///< why a comment on one of its lines does not count
    uint64_t sequence = 0;
    uint64_t count = 1;
};

/// What was found, each pair of places in the source once.
class Findings {
public:
    static constexpr size_t kMost = 1000;

    /// Counts the finding; true when it is new and wants to be described.
    bool Note(const char* code, const void* firstFile, uint32_t firstLine, const void* secondFile,
              uint32_t secondLine, uint64_t sequence, const void* extra = nullptr);
    void Add(Finding finding);
    /// Of the latest Note: the number of the finding that it has counted; SIZE_MAX: none.
    size_t Latest() const { return latest_; }
    /// Of the latest Note: the number of the finding that stands for it; SIZE_MAX: none.
    size_t Standing() const { return standing_; }
    /// So many of those that were counted for it are none.
    void TakeBack(size_t number, uint64_t count) { all_[number].count -= count; }
    void DropTakenBack();
    const std::vector<Finding>& All() const { return all_; }
    std::vector<Finding>& All() { return all_; }
    bool Incomplete() const { return incomplete_; }
    void SetIncomplete() { incomplete_ = true; }

private:
    using Key = std::tuple<std::string, const void*, uint32_t, const void*, uint32_t, const void*>;
    struct Seen {
        size_t index;
        uint64_t sequence;
    };

    std::map<Key, Seen> seen_;
    std::vector<Finding> all_;
    size_t latest_ = SIZE_MAX;
    size_t standing_ = SIZE_MAX;
    bool incomplete_ = false;
};

/// The text of a launch's findings: the error message and the list for programs.
struct Report {
    std::string message;  ///< starts with the code of the first finding; empty: nothing was found
    std::string json;
    uint32_t coreIdx = 0;  ///< of the first finding
    CoreKind kind = CoreKind::Aiv;
};

class Comments;

/// Sorts and joins what was found, leaves out what a comment in the source allows.
/// `failure`: what has ended the launch, where it is one of the findings; it then tells of itself.
Report MakeReport(std::vector<Finding> findings, const Comments& comments, bool incomplete,
                  const std::string& level, const std::string& failure);
/// Words for the edge that is missing between two parties on one core; `later`: the second one had
/// run before the first.
std::string MissingEdge(const Party& first, const Party& second, bool later);
/// The same for parties on two cores.
std::string MissingMeeting(const Party& first, const Party& second);

}  // namespace twin::hazard
