// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/cross_core.h"
#include "core/gm.h"
#include "core/kernel_image.h"
#include "core/opcodes.h"
#include "hazard/clocks.h"

namespace twin::hazard {

/// An action on memory, or on a flag.
enum class Action : uint8_t { Reads, Writes, Sets, Waits, Frees, Ends };

/// One side of a finding, as messages name it.
struct Party {
    std::string core;  ///< such as "3 AIV"; the second vector core of a block is "3 AIV1"
    uint32_t coreIdx = 0;
    CoreKind kind = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    Opcode opcode = Opcode::None;  ///< opcode of the instruction; None: the party is no instruction
    std::string name;              ///< name of the party in messages
    Action action = Action::Reads;
    std::string file;
    std::string function;
    uint32_t line = 0;
    bool exists = false;
};

/// The place of a core in its launch.
struct CoreId {
    uint32_t block = 0;
    uint32_t subBlock = 0;
    CoreKind kind = CoreKind::Aiv;
    uint32_t index = 0;  ///< number of the core among all cores

    std::string Text() const;  ///< text of the core, as in Party::core
};
CoreId IdOf(BlockShape shape, uint32_t index);
Party PartyOf(const CoreId& core, const Location& where, const char* name, Pipe pipe,
              Action action);
Party PartyOf(const CoreId& core, const Location& where, Opcode opcode, Pipe pipe, Action action);

struct Finding {
    const char* code = "";
    const char* kind = "";  ///< such as "RAW inter-pipe" or "flag left set"
    std::string memory;     ///< such as "UB" or "GM"; "flag" in a finding about a flag
    std::string place;      ///< such as "VECIN queue 0 buffer 1" or "input x"
    uint64_t begin = 0;     ///< offset of the bytes in the memory; in GM their offset in `place`
    uint64_t bytes = 0;
    Party first;
    Party second;
    std::string missing;  ///< the order that the kernel lacks
    std::string note;     ///< the reason why a comment on one of the lines does not count
    uint64_t sequence = 0;
    uint64_t count = 1;

    /// Replaces `begin`, a device address, by the offset in the range that contains it.
    void NameGm(const std::vector<GmRange>& gm);
};

/// A finding of one core. It does not count if the core knew through other cores that the earlier
/// access had ended.
struct TentativeFinding {
    size_t finding = 0;
    size_t meetings = 0;  ///< the number of meetings that the core had passed
    Lane lane = kS;
    uint32_t index = 0;
};

/// A list of findings that has each pair of source lines once.
class Findings {
public:
    static constexpr size_t kMost = 1000;

    /// Counts the finding; returns true if it is new, and the caller describes it.
    bool Note(const char* code, const void* firstFile, uint32_t firstLine, const void* secondFile,
              uint32_t secondLine, uint64_t sequence, const void* extra = nullptr);
    void Add(Finding finding);
    /// Returns the number of the finding that the latest Note has counted; SIZE_MAX if it has
    /// counted none.
    size_t Latest() const { return latest_; }
    /// Returns the number of the finding that covers the latest Note; SIZE_MAX if there is none.
    size_t Standing() const { return standing_; }
    void TakeBack(size_t number, uint64_t count) { all_[number].count -= count; }
    void DropTakenBack();
    const std::vector<Finding>& All() const { return all_; }
    std::vector<Finding>& All() { return all_; }
    bool Incomplete() const { return incomplete_; }

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

/// The findings of a launch as an error message, and as a list for programs.
struct Report {
    std::string message;  ///< starts with the code of the first finding; empty: nothing was found
    std::string json;
    uint32_t coreIdx = 0;  ///< core of the first finding
    CoreKind kind = CoreKind::Aiv;
};

/// The comments "// hazard-ok: CODE reason" in the sources of a kernel. One on the line of either
/// access allows a finding.
class Comments {
public:
    /// `kept` has the comments that the compiler of the kernel has found; other files are read now.
    explicit Comments(const std::vector<SourceComment>& kept);

    /// Returns whether a comment allows the finding. If a comment is wrong, the finding notes why.
    bool Allows(Finding* finding) const;

private:
    /// Returns the text of the line if it may have such a comment.
    std::string At(const std::string& file, uint32_t line) const;
    bool AllowsAt(const Party& party, const std::string& code, std::string* note) const;

    std::map<std::pair<std::string, uint32_t>, std::string> kept_;
    std::vector<std::string> files_;  ///< files that were searched
};

/// Returns whether the line has "// hazard-ok: CODE reason". `fault` says why another comment of
/// the line does not count, such as "names T999".
bool Allowed(const std::string& text, const std::string& code, std::string* fault);

/// Sorts and joins the findings, without those that a comment in the source allows. `failure` is
/// the error that has ended the launch; its own text is used if it is the first finding.
Report MakeReport(std::vector<Finding> findings, const Comments& comments, bool incomplete,
                  const std::string& level, const std::string& failure);
/// Names the order that two parties on one core lack; with `later`, the second one ran before the
/// first.
std::string MissingEdge(const Party& first, const Party& second, bool later);
/// Names the order that two parties on two cores lack.
std::string MissingMeeting(const Party& first, const Party& second);

}  // namespace twin::hazard
