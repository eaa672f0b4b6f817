// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/kernel_arguments.h"
#include "core/types.h"

namespace twin {

/// The machine code of a kernel: one library, or one for each kind of core. While a task executes
/// this code itself and not a called function, the task holds no lock of another library.
class KernelCode {
public:
    KernelCode() = default;
    KernelCode(const KernelCode&) = delete;
    KernelCode& operator=(const KernelCode&) = delete;

    /// Adds the library that contains `symbol`.
    void Add(const void* symbol);
    /// Makes Close() do nothing: the code is a part of the program, and other threads may run it.
    void KeepOpen() { keepOpen_ = true; }
    bool Contains(uintptr_t address) const {
        return ranges_[0].Contains(address) || ranges_[1].Contains(address);
    }
    /// Makes the code not executable, so that a task inside a library call faults when it returns.
    /// Other tasks that reach the code wait until Open() makes the code executable again.
    void Close() const;
    void Open() const;
    bool Closed() const { return closed_.load(std::memory_order_acquire); }

private:
    struct Range {
        uintptr_t begin = 0;
        uintptr_t end = 0;
        bool Contains(uintptr_t address) const { return address >= begin && address < end; }
    };
    void Protect(int rights) const;

    Range ranges_[2];
    bool keepOpen_ = false;
    mutable std::atomic<bool> closed_{false};
};

/// Returns "" if the file is a shared object with all its segments; otherwise an error. A truncated
/// file would end the process that loads it.
TWIN_API std::string CheckLibraryComplete(const std::string& path);
/// Checks like CheckLibraryComplete, and checks that the file's static initialisers neither end the
/// process nor take more than `mayTakeSeconds`. Returns "" or an error.
TWIN_API std::string CheckLibraryFile(const std::string& path, double mayTakeSeconds);

/// The information about the kernel's type and its tiling keys that the marks in its code contain
/// (core/uses.h).
struct KernelMarks {
    std::set<uint64_t> keys;  ///< tiling keys that TILING_KEY_IS and TILING_KEY_LIST name
    bool anyKey = false;      ///< the code also reads the key without TILING_KEY_IS and _LIST
    std::map<uint64_t, KernelKind> ofKey;        ///< type by key: KERNEL_TASK_TYPE, ASCENDC_TPL_SEL
    KernelKind ofOthers = KernelKind::Unknown;   ///< for other keys: KERNEL_TASK_TYPE_DEFAULT
    KernelKind ofFile = KernelKind::Unknown;     ///< from KERNEL_TASK_TYPE_DEFAULT at file scope
    KernelKind attribute = KernelKind::Unknown;  ///< from __vector__, __cube__ or __mix__
    bool cube = false;
    bool hardSync = false;

    /// Adds the marks of the code for the other kind of core.
    void Add(const KernelMarks& other);
};

/// A line of the kernel's source that has a comment for the hazard checker. Line 0 only shows that
/// the file was searched for such comments.
struct SourceComment {
    std::string file;
    uint32_t line = 0;
    std::string text;
};

/// A compiled kernel, which is loaded as long as this object exists. A kernel for one kind of core
/// is one shared object. A kernel for both kinds consists of `<name>.so` for vector cores and
/// `<name>.cube.so` for cube cores in the same folder.
class TWIN_API KernelImage {
public:
    /// Loads a kernel. Returns nullptr and sets `error` if a file is missing or truncated, is not a
    /// kernel binary, has another version, or has initialisers that do not finish.
    static std::shared_ptr<const KernelImage> Load(const std::string& path, std::string* error);
    /// Loads a kernel from files of any name, one for each kind of core.
    static std::shared_ptr<const KernelImage> LoadFiles(const std::vector<std::string>& paths,
                                                        std::string* error);
    /// Makes an image of a kernel function of the program, compiled once for both kinds of core.
    /// `kind` is the kernel's type; if it is Unknown, the marks in the program's code decide.
    ///   owner: keeps the data alive that `binary` points to.
    static std::shared_ptr<const KernelImage> OfProgram(const KernelBinary* binary,
                                                        std::shared_ptr<const void> owner,
                                                        KernelKind kind);
    ~KernelImage();

    /// Returns the kernel's description; name and parameters are equal for both kinds of core.
    const KernelBinary& Binary() const { return *loaded_; }
    /// Returns the code for one kind of core; nullptr if there is none.
    const KernelBinary* CodeFor(CoreKind kind) const {
        return kind == CoreKind::Aic ? cube_ : vector_;
    }
    /// Returns the kernel's type for a tiling key: the type that was requested when the kernel was
    /// compiled, else the type that the source names, else the type that follows from the code.
    KernelKind KindOf(uint64_t tilingKey) const;
    /// Returns the tiling keys that TILING_KEY_IS and TILING_KEY_LIST name in the kernel.
    const std::set<uint64_t>& TilingKeys() const { return marks_.keys; }
    /// Returns whether the kernel also reads the key in another way, for example by TILING_KEY_VAR.
    /// Such a kernel may have a branch for any key.
    bool ReadsTilingKey() const { return marks_.anyKey; }
    /// Returns a text such as "argument x", or "argument 0" if the names in the source are not
    /// known.
    std::string ArgumentName(size_t index) const;
    const std::string& Path() const { return path_; }
    const KernelCode& Code() const { return code_; }
    /// Returns the comments for the hazard checker in the kernel's source.
    const std::vector<SourceComment>& Comments() const { return comments_; }

    KernelImage(const KernelImage&) = delete;
    KernelImage& operator=(const KernelImage&) = delete;

private:
    explicit KernelImage(std::string path) : path_(std::move(path)) {}
    /// Loads one file of the kernel. Returns "" or an error.
    std::string Add(const std::string& path);

    std::string path_;
    std::shared_ptr<const void> owner_;  ///< owner of the binary, if it is not in a library
    void* handles_[2] = {};
    /// Description of the library that was added last; never nullptr in an image.
    const KernelBinary* loaded_ = nullptr;
    const KernelBinary* vector_ = nullptr;
    const KernelBinary* cube_ = nullptr;
    KernelMarks marks_;
    KernelCode code_;
    std::vector<SourceComment> comments_;
};

}  // namespace twin
