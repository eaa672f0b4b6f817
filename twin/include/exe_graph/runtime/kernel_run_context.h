// SPDX-License-Identifier: Apache-2.0
#ifndef EXE_GRAPH_RUNTIME_KERNEL_RUN_CONTEXT_H
#define EXE_GRAPH_RUNTIME_KERNEL_RUN_CONTEXT_H

#include <stddef.h>

/// A value of a context.
typedef struct {
    union {
        void* pointer;
        unsigned char inplace[sizeof(void*)];
    } data;
    void (*deleter)(void*);
} AsyncAnyValue;

/// The first fields of a context. It has only the inputs among its values, as many as `input_size`:
/// a unit test removes an input by setting its pointer to null.
typedef struct {
    size_t input_size;
    size_t output_size;
    const void* compute_node_info;
    const void* kernel_extend_info;
    AsyncAnyValue** output_start;
    AsyncAnyValue* values[1];
} KernelRunContext;

#endif  // EXE_GRAPH_RUNTIME_KERNEL_RUN_CONTEXT_H
