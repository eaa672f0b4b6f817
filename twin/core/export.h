// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exports a function or class from the twin's library, which is built with hidden visibility.
// Kernels and programs can call exported functions only.
#define TWIN_API __attribute__((visibility("default")))
