// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_EXPORT_H
#define TWIN_CORE_EXPORT_H

// The twin is built with hidden visibility; functions that kernels and the host side may call are
// marked.
#define TWIN_API __attribute__((visibility("default")))

#endif  // TWIN_CORE_EXPORT_H
