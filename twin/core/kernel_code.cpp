// SPDX-License-Identifier: Apache-2.0
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "core/kernel_image.h"

namespace twin {
namespace {

struct CodeSearch {
    uintptr_t symbol;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
};

/// The executable pages of the library that contains `symbol`.
int FindCode(dl_phdr_info* info, size_t, void* data) {
    auto* search = static_cast<CodeSearch*>(data);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    bool ours = false;
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = info->dlpi_phdr[i];
        if (segment.p_type != PT_LOAD) {
            continue;
        }
        const uintptr_t first = info->dlpi_addr + segment.p_vaddr;
        ours = ours || (search->symbol >= first && search->symbol - first < segment.p_memsz);
        if ((segment.p_flags & PF_X) != 0) {
            begin = std::min(begin, first & ~(page - 1));
            end = std::max(end, (first + segment.p_memsz + page - 1) & ~(page - 1));
        }
    }
    if (ours) {
        search->begin = begin;
        search->end = end;
    }
    return ours ? 1 : 0;
}

}  // namespace

void KernelCode::Add(const void* symbol) {
    CodeSearch search{reinterpret_cast<uintptr_t>(symbol)};
    if (dl_iterate_phdr(FindCode, &search) != 0 && search.begin < search.end) {
        ranges_[ranges_[0].end != 0 ? 1 : 0] = {search.begin, search.end};
    }
}

void KernelCode::Protect(int rights) const {
    for (const Range& range : ranges_) {
        if (range.end != 0) {
            mprotect(reinterpret_cast<void*>(range.begin), range.end - range.begin, rights);
        }
    }
}

void KernelCode::Close() const {
    if (keepOpen_) {
        return;
    }
    closed_.store(true, std::memory_order_release);
    Protect(PROT_READ);
}

void KernelCode::Open() const {
    Protect(PROT_READ | PROT_EXEC);
    closed_.store(false, std::memory_order_release);
}

}  // namespace twin
