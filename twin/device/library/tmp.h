// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>

#include "core/types.h"
#include "device/tensor/local_tensor.h"

namespace twin::advanced {

/// sharedTmpBuffer of a call; without one the call uses the rest of UB of the core's TPipe.
struct Tmp {
    Operand place = {};
    bool given = false;

    Tmp() = default;
    Tmp(const AscendC::LocalTensor<uint8_t>& tensor) : place(tensor), given(true) {}
};

// FORM writes one form of a call. It takes the parameter of the temporary buffer, a macro whose
// argument is the parameter's qualifier, and the value that the call passes on: TWIN_NOTHING and {}
// for a form without a buffer. Forms with a count take two such arguments for the count, too.
#define TWIN_TMP_BUFFER(QUALIFIER) QUALIFIER LocalTensor<uint8_t>&sharedTmpBuffer,
#define TWIN_CAL_COUNT() const uint32_t calCount,

/// Writes the form with the caller's temporary buffer, and the form without it.
#define TWIN_TMP_FORMS(FORM) FORM(TWIN_TMP_BUFFER, sharedTmpBuffer) FORM(TWIN_NOTHING, {})
#define TWIN_TMP_FORMS_OF(FORM, ...)                    \
    FORM(TWIN_TMP_BUFFER, sharedTmpBuffer, __VA_ARGS__) \
    FORM(TWIN_NOTHING, {}, __VA_ARGS__)
/// Writes each of them twice: with a count, and for all elements of the tensor SIZED.
#define TWIN_COUNT_FORMS(FORM, SIZED, ...)                         \
    TWIN_TMP_FORMS_OF(FORM, TWIN_CAL_COUNT, calCount, __VA_ARGS__) \
    TWIN_TMP_FORMS_OF(FORM, TWIN_NOTHING, SIZED.GetSize(), __VA_ARGS__)

/// Bytes of scratch: the minimum of the library, and the size that it uses if it has it.
struct TmpNeed {
    uint64_t min = 0;
    uint64_t use = 0;
};

/// The value that a field of a tiling must have for its call.
struct FieldRule {
    const char* field;
    uint64_t value;
    uint64_t expected;
};

/// Refuses the first field that does not fit (T720), whoever filled it.
void CheckFields(const char* api, std::initializer_list<FieldRule> rules);

}  // namespace twin::advanced

// Bytes of scratch, for the checks of the device and for the host's functions.
namespace twin::reduce {

/// For a row of n elements.
TWIN_API uint32_t SumScratch(uint32_t n, uint32_t typeSize);
TWIN_API uint32_t MeanScratch(uint32_t n, uint32_t typeSize, uint32_t accTypeSize);
TWIN_API uint32_t XorSumScratch(uint32_t elements, uint32_t typeSize, bool reuse);

}  // namespace twin::reduce

namespace twin::compare {

/// SelectWithBytesMask; `least` is for the smallest pieces.
TWIN_API uint32_t ByteChoiceScratch(uint32_t elements, uint32_t maskSize, bool packsMask,
                                    bool least);

}  // namespace twin::compare
