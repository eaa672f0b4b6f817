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
    std::string core;  ///< "3 AIV", the second vector core of a block "3 AIV1"
    uint32_t coreIdx = 0;
    CoreKind kind = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    Opcode opcode = Opcode::None;  ///< None: it is no instruction
    std::string name;              ///< the name that messages have for it
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
    uint32_t index = 0;  ///< among all cores

    std::string Text() const;  ///< as Party::core
};
CoreId IdOf(BlockShape shape, uint32_t index);
Party PartyOf(const CoreId& core, const Location& where, const char* name, Pipe pipe,
              Action action);
Party PartyOf(const CoreId& core, const Location& where, Opcode opcode, Pipe pipe, Action action);

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

    /// Replaces `begin`, a device address, by the place in one of the ranges.
    void NameGm(const std::vector<GmRange>& gm);
};

/// A finding of one core that does not count if the core knew through other cores that the access
/// before had ended.
struct TentativeFinding {
    size_t finding = 0;
    size_t meetings = 0;  ///< the number of meetings that the core had passed
    Lane lane = kS;
    uint32_t index = 0;
};

/// A list of findings with each pair of places in the source once.
class Findings {
public:
    static constexpr size_t kMost = 1000;

    /// Counts the finding; returns true if it is new, and the caller describes it.
    bool Note(const char* code, const void* firstFile, uint32_t firstLine, const void* secondFile,
              uint32_t secondLine, uint64_t sequence, const void* extra = nullptr);
    void Add(Finding finding);
    /// Returns the number of the finding that the latest Note has counted; SIZE_MAX if none.
    size_t Latest() const { return latest_; }
    /// Returns the number of the finding that covers the latest Note; SIZE_MAX if none.
    size_t Standing() const { return standing_; }
    /// Takes so many off the count of a finding.
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

/// The findings of a launch as an error message, and as a list for programs.
struct Report {
    std::string message;  ///< starts with the code of the first finding; empty: nothing was found
    std::string json;
    uint32_t coreIdx = 0;  ///< of the first finding
    CoreKind kind = CoreKind::Aiv;
};

/// What the sources of a kernel say about findings: "// hazard-ok: CODE reason" on the line of one
/// of the two accesses.
class Comments {
public:
    /// `kept`: what was kept when the kernel was compiled; other files are read where they are.
    explicit Comments(const std::vector<SourceComment>& kept);

    /// Whether a comment allows the finding; if none does, the finding notes what is wrong with
    /// one that is there.
    bool Allows(Finding* finding) const;

private:
    /// Returns the text of the line if it may have such a comment.
    std::string At(const std::string& file, uint32_t line) const;
    bool AllowsAt(const Party& party, const std::string& code, std::string* note) const;

    std::map<std::pair<std::string, uint32_t>, std::string> kept_;
    std::vector<std::string> files_;  ///< that were searched
};

/// Whether the text of a line has "// hazard-ok: CODE reason"; `fault` says what keeps another
/// comment from counting, "names T999".
bool Allowed(const std::string& text, const std::string& code, std::string* fault);

/// Sorts and joins the findings, without those that a comment in the source allows. `failure` is
/// the error that has ended the launch; its own text is used if it is the first finding.
Report MakeReport(std::vector<Finding> findings, const Comments& comments, bool incomplete,
                  const std::string& level, const std::string& failure);
/// Names the order that is missing between two parties on one core; with `later` the second one had
/// run before the first.
std::string MissingEdge(const Party& first, const Party& second, bool later);
/// Does the same for parties on two cores.
std::string MissingMeeting(const Party& first, const Party& second);

}  // namespace twin::hazard
