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

/// How a context begins. Of its values only the inputs are there, as many as `input_size`: a unit
/// test that sets a pointer to null takes the input away.
typedef struct {
    size_t input_size;
    size_t output_size;
    const void* compute_node_info;
    const void* kernel_extend_info;
    AsyncAnyValue** output_start;
    AsyncAnyValue* values[1];
} KernelRunContext;

#endif  // EXE_GRAPH_RUNTIME_KERNEL_RUN_CONTEXT_H
