// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// One numbered value of a context, with the function that frees it.
typedef struct {
    union {
        void* pointer;
        unsigned char inplace[sizeof(void*)];
    } data;
    void (*deleter)(void*);
} AsyncAnyValue;

/// First fields of a context. `values` contains only the `input_size` inputs. A unit test removes
/// an input by setting the input's pointer to null.
typedef struct {
    size_t input_size;
    size_t output_size;
    const void* compute_node_info;
    const void* kernel_extend_info;
    AsyncAnyValue** output_start;
    AsyncAnyValue* values[1];
} KernelRunContext;

namespace twin {
namespace host {
class OpNode;
}
}  // namespace twin

namespace gert {

// Declares four getters of a context's inputs. The first one finds an input by its index among all
// instances, the others by the parameter and the instance of this parameter.
#define TWIN_INPUT_GETTERS(TYPE, NAME)                 \
    TYPE GetInput##NAME(size_t index) const;           \
    TYPE GetOptionalInput##NAME(size_t irIndex) const; \
    TYPE GetRequiredInput##NAME(size_t irIndex) const; \
    TYPE GetDynamicInput##NAME(size_t irIndex, size_t relativeIndex) const;

/// In the toolkit, a value of a context and the function that frees it. The twin uses only the type
/// of this function.
class Chain {
public:
    using Deleter = void (*)(void*);
};

/// Base of all contexts, with numbered values. Inputs are the call's input tensors; for tiling, the
/// output tensors follow. Outputs are the values that tiling or inference functions write.
class KernelContext {
public:
    size_t GetInputNum() const;
    size_t GetOutputNum() const;
    /// Returns an input's value, or nullptr if there is no such input.
    template <typename T>
    const T* GetInputPointer(size_t index) const {
        return static_cast<const T*>(InputValue(index));
    }
    template <typename T>
    T* MutableInputPointer(size_t index) const {
        return static_cast<T*>(InputValue(index));
    }
    template <typename T>
    T* GetOutputPointer(size_t index) {
        return static_cast<T*>(OutputValue(index));
    }
    template <typename T>
    const T* GetOutputPointer(size_t index) const {
        return static_cast<const T*>(OutputValue(index));
    }

protected:
    friend class twin::host::OpNode;
    enum Role : uint32_t { kTiling, kTilingParse, kInferShape, kInferShapeRange, kInferDataType };

    void* InputValue(size_t index) const;
    void* OutputValue(size_t index) const;
    /// Returns true if a test has removed the input by setting its value to null.
    bool IsTakenAway(const size_t input) const {
        return input < context_.input_size && context_.values[input]->data.pointer == nullptr;
    }

    twin::host::OpNode* Node() const {
        return static_cast<twin::host::OpNode*>(const_cast<void*>(context_.compute_node_info));
    }
    Role GetRole() const { return static_cast<Role>(context_.output_size); }

    /// Fields in the toolkit's layout. The twin stores a pointer to its OpNode and the Role in two
    /// of them. In a copy for a unit test, the input values continue after the last field.
    KernelRunContext context_ = {};
};
static_assert(std::is_standard_layout<KernelContext>::value,
              "KernelContext must stay standard layout");

}  // namespace gert
