// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_KERNEL_IMAGE_H
#define TWIN_CORE_KERNEL_IMAGE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/export.h"
#include "core/kernel_binary.h"
#include "core/kernel_code.h"

namespace twin {

/// The marks (core/uses.h) that a kernel's code has left.
struct KernelMarks {
    std::map<uint64_t, KernelKind> ofKey;        ///< KERNEL_TASK_TYPE, template selections
    KernelKind ofOthers = KernelKind::Unknown;   ///< KERNEL_TASK_TYPE_DEFAULT
    KernelKind ofFile = KernelKind::Unknown;     ///< the same outside of functions
    KernelKind attribute = KernelKind::Unknown;  ///< __vector__, __cube__, __mix__
    bool cube = false;
    bool hardSync = false;

    /// Takes over what the code for the other kind of core says beyond this.
    void Add(const KernelMarks& other);
};

/// A line of the kernel's source with a comment for the hazard checker; line 0: none, but the file
/// has been searched for them.
struct SourceComment {
    std::string file;
    uint32_t line = 0;
    std::string text;
};

/// A compiled kernel, kept loaded as long as somebody holds it: one shared object, or, for a kernel
/// of both kinds of core, `<name>.so` with its code for vector cores and `<name>.cube.so` beside it
/// with that for cube cores.
class TWIN_API KernelImage {
public:
    /// nullptr and a sentence in `error` when a file is missing or cut short, is no kernel binary,
    /// speaks another version, or has initialisers that do not come to their end.
    static std::shared_ptr<const KernelImage> Load(const std::string& path, std::string* error);
    /// The same from files of any name, each for another kind of core.
    static std::shared_ptr<const KernelImage> LoadFiles(const std::vector<std::string>& paths,
                                                        std::string* error);
    /// A function of the program, compiled once for both kinds of core. `kind`: the cores of a
    /// block; Unknown: as the program's code says.   owner: of what the binary points to.
    static std::shared_ptr<const KernelImage> OfProgram(const KernelBinary* binary,
                                                        std::shared_ptr<const void> owner,
                                                        KernelKind kind);
    ~KernelImage();

    /// Name and arguments, the same for both kinds of core.
    const KernelBinary& Binary() const { return *loaded_; }
    /// Its code for one kind of core, nullptr when there is none.
    const KernelBinary* CodeFor(CoreKind kind) const {
        return kind == CoreKind::Aic ? cube_ : vector_;
    }
    /// The kernel's type under a tiling key: what whoever compiled it asked for; else the task type
    /// that the source names; else what it uses.
    KernelKind KindOf(uint64_t tilingKey) const;
    /// "argument x", or "argument 0" where the source's names are not known.
    std::string ArgumentName(size_t index) const;
    const std::string& Path() const { return path_; }
    const KernelCode& Code() const { return code_; }
    /// Those that were kept when it was compiled.
    const std::vector<SourceComment>& Comments() const { return comments_; }

    KernelImage(const KernelImage&) = delete;
    KernelImage& operator=(const KernelImage&) = delete;

private:
    explicit KernelImage(std::string path) : path_(std::move(path)) {}
    /// Loads one of the files; a sentence when that is impossible.
    std::string Add(const std::string& path);

    std::string path_;
    std::shared_ptr<const void> owner_;  ///< of the binary, where no library is
    void* handles_[2] = {};
    const KernelBinary* loaded_ = nullptr;  ///< the last one added; Load leaves none without any
    const KernelBinary* vector_ = nullptr;
    const KernelBinary* cube_ = nullptr;
    KernelMarks marks_;
    KernelCode code_;
    std::vector<SourceComment> comments_;
};

}  // namespace twin

#endif  // TWIN_CORE_KERNEL_IMAGE_H
