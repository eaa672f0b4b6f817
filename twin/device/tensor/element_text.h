// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_TENSOR_ELEMENT_TEXT_H
#define TWIN_DEVICE_TENSOR_ELEMENT_TEXT_H

#include <cstdint>
#include <string>

#include "core/types.h"

namespace twin {

/// The text of one element for DumpTensor and Print: reals with six decimals.
std::string ElementText(Dtype dtype, const uint8_t* from);

}  // namespace twin

#endif  // TWIN_DEVICE_TENSOR_ELEMENT_TEXT_H
