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

/// What an instruction or core did to memory, to a flag or to a buffer.
enum class Action : uint8_t { Reads, Writes, Sets, Waits, Frees, Ends, Updates };

/// One side of a finding: what a core did, and where, as texts for the message.
struct Party {
    /// Block and kind, such as "3 AIV", or "3 AIV1" for the second vector core. For work of a cube
    /// core as Matmul server: "3 AIC for 3 AIV1", with the core that asked for the product.
    std::string core;
    std::string askedBy;  ///< the vector core that asked for the product, such as "3 AIV1", or ""
    uint32_t coreIdx = 0;
    CoreKind kind = CoreKind::Aiv;
    Pipe pipe = Pipe::S;
    Opcode opcode = Opcode::None;  ///< opcode; None if the party is not an instruction
    std::string name;              ///< name of the instruction or call in messages
    Action action = Action::Reads;
    std::string file;
    std::string function;
    uint32_t line = 0;
    std::vector<Location> callers;  ///< lines that have called `function` (CallPaths)
    uint32_t site = UINT32_MAX;     ///< site, if CoreFindings::Complete must check `callers`
    bool exists = false;
};

/// Identifies a core of a launch.
struct CoreId {
    uint32_t block = 0;
    uint32_t subBlock = 0;
    CoreKind kind = CoreKind::Aiv;
    uint32_t index = 0;  ///< number of the core among all cores of the launch

    std::string Text() const;  ///< returns the core's text, as in Party::core
};
CoreId IdOf(BlockShape shape, uint32_t index);
Party PartyOf(const CoreId& core, const Location& where, const char* name, Pipe pipe,
              Action action);
Party PartyOf(const CoreId& core, const Location& where, Opcode opcode, Pipe pipe, Action action);

struct Finding {
    const char* code = "";
    const char* kind = "";  ///< kind of hazard, such as "RAW inter-pipe" or "flag left set"
    std::string memory;     ///< memory, such as "UB" or "GM"; "flag" if the finding is about a flag
    std::string place;      ///< buffer or GM argument, such as "TBuf #0[0]" or "input x"
    uint64_t begin = 0;     ///< offset of the bytes in the memory; for GM: offset in `place`
    uint64_t bytes = 0;
    Party first;
    Party second;
    std::string missing;  ///< the call or order that the kernel lacks
    std::string reason;   ///< reason for invalid bytes, a part of `missing`
    std::string padding;  ///< T822: parameters that DataCopyPad lacks, a part of `missing`
    bool later = false;   ///< the second line had already run before the first access
    bool open = false;    ///< CoreFindings::Complete must still write `missing`
    std::string note;     ///< reason why a hazard-ok comment on one of the lines has no effect
    uint64_t sequence = 0;
    uint64_t count = 1;
    bool sameRequest = false;  ///< two vector cores made the same Matmul request

    /// Makes `begin` an offset in the GM range that contains it; `place` becomes the range's label.
    void NameGm(const std::vector<GmRange>& gm);
};

/// A conflict between two accesses of one core. It does not count if the core learnt from other
/// cores that the earlier access had ended.
struct TentativeFinding {
    size_t finding = 0;
    size_t meetings = 0;  ///< number of synchronisations in the log before the later access
    Lane lane = kS;
    uint32_t index = 0;
};

/// A list with one finding per code and pair of source lines.
class Findings {
public:
    static constexpr size_t kMost = 1000;

    /// Counts a finding. Returns true if it is new; then the caller must describe it with Add().
    bool Note(const char* code, const void* firstFile, uint32_t firstLine, const void* secondFile,
              uint32_t secondLine, uint64_t sequence, const void* extra = nullptr);
    void Add(Finding finding);
    /// Returns the index of the finding that the latest Note() counted; SIZE_MAX if it counted
    /// none.
    size_t Latest() const { return latest_; }
    /// Returns the index of the finding for the code and lines of the latest Note(), even if Note()
    /// has not counted it; SIZE_MAX if there is none.
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

/// The findings of a launch as an error message and as JSON.
struct Report {
    std::string message;  ///< starts with the code of the first finding; empty if there is none
    std::string json;
    uint32_t coreIdx = 0;  ///< core of the first finding
    CoreKind kind = CoreKind::Aiv;
};

/// Finds the comments "// hazard-ok: CODE reason" in a kernel's sources. Such a comment on the line
/// of either access suppresses the finding.
class Comments {
public:
    /// `kept` has the comments stored in the compiled kernel. Other files are read when needed.
    explicit Comments(const std::vector<SourceComment>& kept);

    /// Returns true if a comment suppresses the finding. Otherwise, if a hazard-ok comment has a
    /// mistake, describes the mistake in `note` of the finding.
    bool Allows(Finding* finding) const;

private:
    /// Returns the source line's text; empty if the line cannot have a hazard-ok comment.
    std::string At(const std::string& file, uint32_t line) const;
    bool AllowsAt(const Party& party, const std::string& code, std::string* note) const;

    std::map<std::pair<std::string, uint32_t>, std::string> kept_;
    std::vector<std::string> files_;  ///< files whose comments are stored in kept_
};

/// Returns true if the line has a valid "// hazard-ok: CODE reason" for `code`. Sets `fault` to
/// what is wrong with an invalid comment, such as "names T999".
bool Allowed(const std::string& text, const std::string& code, std::string* fault);

/// Makes the report: drops findings that a comment allows, sorts the rest, and joins findings at
/// the same lines. `failure` is the text of the error that ended the launch. If this error and the
/// first finding have the same code, `failure` replaces the text of the finding.
Report MakeReport(std::vector<Finding> findings, const Comments& comments, bool incomplete,
                  const std::string& level, const std::string& failure);
/// Returns the text that names the missing flag or barrier between two parties on one core. `later`
/// is true if the second line had already run before the first access.
std::string MissingEdge(const Party& first, const Party& second, bool later);
/// Returns the text that names the missing synchronisation between two parties on two cores.
/// `later` is true if the second party's access must come in a later round of a loop than the first
/// one's.
std::string MissingMeeting(const Finding& finding, bool later);
/// Returns true unless the file's name ends like that of a source: .cpp, .cc, .cxx, .asc or .cce.
bool IsHeader(const std::string& file);
/// Returns "line 83" for the party. Adds the name of the party's file if this file is a header, or
/// if the other party is in another file. If the party has exactly one caller, uses the line of
/// this caller instead, unless the same line is also the caller of the other party.
std::string LineOf(const Party& party, const Party& other);

}  // namespace twin::hazard
