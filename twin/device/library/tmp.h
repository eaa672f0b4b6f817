// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/types.h"
#include "device/tensor/local_tensor.h"

namespace twin::advanced {

/// The sharedTmpBuffer of a call. Without one, the call uses the UB that TPipe has not allocated.
struct Tmp {
    Operand place = {};
    bool given = false;

    Tmp() = default;
    Tmp(const AscendC::LocalTensor<uint8_t>& tensor) : place(tensor), given(true) {}
};

// FORM is a macro that declares one overload of an API. Its first argument is a macro that expands
// to the parameter for the temporary buffer; its second argument is the expression that the
// overload passes on as the buffer. Overloads without a buffer use TWIN_NOTHING and {}. If there
// are overloads with a count, FORM has two more such arguments for the count.
#define TWIN_TMP_BUFFER(QUALIFIER) QUALIFIER LocalTensor<uint8_t>&sharedTmpBuffer,
#define TWIN_CAL_COUNT() const uint32_t calCount,

/// Declares the overload with the caller's temporary buffer, and the overload without it.
#define TWIN_TMP_FORMS(FORM) FORM(TWIN_TMP_BUFFER, sharedTmpBuffer) FORM(TWIN_NOTHING, {})
#define TWIN_TMP_FORMS_OF(FORM, ...)                    \
    FORM(TWIN_TMP_BUFFER, sharedTmpBuffer, __VA_ARGS__) \
    FORM(TWIN_NOTHING, {}, __VA_ARGS__)
/// Declares the overloads of TWIN_TMP_FORMS_OF: with a count, and for all elements of tensor SIZED.
#define TWIN_COUNT_FORMS(FORM, SIZED, ...)                         \
    TWIN_TMP_FORMS_OF(FORM, TWIN_CAL_COUNT, calCount, __VA_ARGS__) \
    TWIN_TMP_FORMS_OF(FORM, TWIN_NOTHING, SIZED.GetSize(), __VA_ARGS__)

/// Scratch memory of a call in bytes: the minimum, and the most that the library uses.
struct TmpNeed {
    uint64_t min = 0;
    uint64_t use = 0;
};

/// A field of a tiling: its value, and the value that the call expects.
struct FieldRule {
    const char* field;
    uint64_t value;
    uint64_t expected;
};

/// Fails at the first field whose value is not the expected one (T720).
void CheckFields(const char* api, std::initializer_list<FieldRule> rules);

}  // namespace twin::advanced

// These functions return sizes of scratch memory in bytes, for device checks and host functions.
namespace twin::reduce {

/// Returns how many bytes of scratch memory `Sum` needs for a row of n elements.
TWIN_API uint32_t SumScratch(uint32_t n, uint32_t typeSize);
TWIN_API uint32_t MeanScratch(uint32_t n, uint32_t typeSize, uint32_t accTypeSize);
TWIN_API uint32_t XorSumScratch(uint32_t elements, uint32_t typeSize, bool reuse);

}  // namespace twin::reduce

namespace twin::compare {

/// Returns the scratch size of SelectWithBytesMask in bytes; if `least` is true, the minimum size.
TWIN_API uint32_t ByteChoiceScratch(uint32_t elements, uint32_t maskSize, bool packsMask,
                                    bool least);

}  // namespace twin::compare
