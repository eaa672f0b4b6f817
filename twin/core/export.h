// SPDX-License-Identifier: Apache-2.0
#pragma once

// The twin is built with hidden visibility; functions that kernels and the host side may call are
// marked.
#define TWIN_API __attribute__((visibility("default")))
