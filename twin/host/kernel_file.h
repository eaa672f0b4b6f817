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

/// Kernels by a name; the two libraries of a mix kernel are one.
using KernelImages = std::map<std::string, std::shared_ptr<const KernelImage>>;

/// What programs and files carry, by instance: a template's instances have one name. Adds to
/// `images`; "" or what is wrong.
std::string LoadCarried(const std::vector<launch::Library>& libraries, KernelImages* images);

/// The kernels of a file, by their own names: one that compile_kernel has made, or several that
/// `cannery cc -shared` has put together. Empty, and `*error`, when it is neither.
KernelImages LoadKernelFile(const std::string& path, std::string* error);

/// A path under which the loader finds these bytes; "" when that is impossible. The file has no
/// name and stays open: another one of the same number would be taken for it.
std::string MemoryFile(const unsigned char* begin, const unsigned char* end);

}  // namespace twin::host

#endif  // TWIN_HOST_KERNEL_FILE_H
