// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_KERNEL_FILE_H
#define TWIN_HOST_KERNEL_FILE_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/kernel_image.h"
#include "core/launch_site.h"

namespace twin::host {

/// Kernels by name; the two libraries of a mix kernel are one entry.
using KernelImages = std::map<std::string, std::shared_ptr<const KernelImage>>;

/// Adds the kernels that a program or file contains to `images`, by instance (all instances of a
/// template have the same name). Returns "" or an error.
std::string LoadCarried(const std::vector<launch::Library>& libraries, KernelImages* images);

/// The kernels of a file by name. The file comes from compile_kernel, or from `cannery cc -shared`
/// with several kernels. Empty with `*error` if it is neither.
KernelImages LoadKernelFile(const std::string& path, std::string* error);

/// Returns a path under which the loader finds these bytes, or "" if that is impossible. The file
/// has no name and stays open, because the loader would confuse it with another file of the same
/// number.
std::string MemoryFile(const unsigned char* begin, const unsigned char* end);

}  // namespace twin::host

#endif  // TWIN_HOST_KERNEL_FILE_H
