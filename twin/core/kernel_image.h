// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel_arguments.h"
#include "core/types.h"

namespace twin {

/// The machine code of a kernel, in one library or in one for each kind of core. A task that is
/// stopped in this code holds no lock of a library that it has called.
class KernelCode {
public:
    KernelCode() = default;
    KernelCode(const KernelCode&) = delete;
    KernelCode& operator=(const KernelCode&) = delete;

    /// Adds the library that contains `symbol`.
    void Add(const void* symbol);
    /// Says that the code is a part of the program and is never closed, because other threads run
    /// in it.
    void KeepOpen() { keepOpen_ = true; }
    bool Contains(uintptr_t address) const {
        return ranges_[0].Contains(address) || ranges_[1].Contains(address);
    }
    /// Close removes the right to execute, so that a task inside a library call faults when it
    /// returns; Open restores it. Threads that need the code wait in between.
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

/// Returns "" if the file is a shared object with all its segments; otherwise a sentence. A file
/// that is cut short would end the process that loads it.
TWIN_API std::string CheckLibraryComplete(const std::string& path);
/// Returns "" if, in addition, loading the file runs nothing that can end or stop the process;
/// otherwise a sentence. Its initialisers may take `mayTakeSeconds`.
TWIN_API std::string CheckLibraryFile(const std::string& path, double mayTakeSeconds);

/// The marks (core/uses.h) in a kernel's code.
struct KernelMarks {
    std::map<uint64_t, KernelKind> ofKey;        ///< KERNEL_TASK_TYPE, template selections
    KernelKind ofOthers = KernelKind::Unknown;   ///< KERNEL_TASK_TYPE_DEFAULT
    KernelKind ofFile = KernelKind::Unknown;     ///< KERNEL_TASK_TYPE_DEFAULT outside of functions
    KernelKind attribute = KernelKind::Unknown;  ///< __vector__, __cube__, __mix__
    bool cube = false;
    bool hardSync = false;

    /// Adds the marks of the code for the other kind of core.
    void Add(const KernelMarks& other);
};

/// A line of the kernel's source with a comment for the hazard checker; line 0: there is none, but
/// the file was searched for them.
struct SourceComment {
    std::string file;
    uint32_t line = 0;
    std::string text;
};

/// A compiled kernel, which stays loaded as long as somebody holds it: one shared object, or, for a
/// kernel of both kinds of core, `<name>.so` with its code for vector cores and `<name>.cube.so`
/// beside it with that for cube cores.
class TWIN_API KernelImage {
public:
    /// Returns nullptr and a sentence in `error` if a file is missing or cut short, is not a kernel
    /// binary, has another version, or has initialisers that do not finish.
    static std::shared_ptr<const KernelImage> Load(const std::string& path, std::string* error);
    /// Loads a kernel from files of any name, one for each kind of core.
    static std::shared_ptr<const KernelImage> LoadFiles(const std::vector<std::string>& paths,
                                                        std::string* error);
    /// Makes an image of a function of the program, compiled once for both kinds of core. `kind`
    /// gives the cores of a block; with Unknown the program's code decides.
    ///   owner: keeps alive what the binary points to.
    static std::shared_ptr<const KernelImage> OfProgram(const KernelBinary* binary,
                                                        std::shared_ptr<const void> owner,
                                                        KernelKind kind);
    ~KernelImage();

    /// Returns name and arguments, which are the same for both kinds of core.
    const KernelBinary& Binary() const { return *loaded_; }
    /// Returns the code for one kind of core; nullptr if there is none.
    const KernelBinary* CodeFor(CoreKind kind) const {
        return kind == CoreKind::Aic ? cube_ : vector_;
    }
    /// The kernel's type for a tiling key: the type requested when it was compiled; or the task
    /// type that the source names; or the type that follows from the code.
    KernelKind KindOf(uint64_t tilingKey) const;
    /// Returns a text such as "argument x", or "argument 0" if the names in the source are not
    /// known.
    std::string ArgumentName(size_t index) const;
    const std::string& Path() const { return path_; }
    const KernelCode& Code() const { return code_; }
    /// Returns the comments that the compiler of the kernel has found.
    const std::vector<SourceComment>& Comments() const { return comments_; }

    KernelImage(const KernelImage&) = delete;
    KernelImage& operator=(const KernelImage&) = delete;

private:
    explicit KernelImage(std::string path) : path_(std::move(path)) {}
    /// Loads one of the files; returns a sentence if that is impossible.
    std::string Add(const std::string& path);

    std::string path_;
    std::shared_ptr<const void> owner_;  ///< owner of the binary, if it is not in a library
    void* handles_[2] = {};
    /// The library that was added last; Load returns no image without a library.
    const KernelBinary* loaded_ = nullptr;
    const KernelBinary* vector_ = nullptr;
    const KernelBinary* cube_ = nullptr;
    KernelMarks marks_;
    KernelCode code_;
    std::vector<SourceComment> comments_;
};

}  // namespace twin
