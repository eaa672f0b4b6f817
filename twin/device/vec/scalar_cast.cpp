// SPDX-License-Identifier: Apache-2.0
#include "device/vec/scalar_cast.h"

#include <cmath>

#include "device/lanes/convert.h"

namespace twin::vec {

uint16_t ScalarToHalfOdd(float value) { return NarrowHalfDirected(value, Round::Odd).bits; }

int32_t ScalarToInt32(float value, AscendC::RoundMode mode) {
    const auto exact = static_cast<double>(value);
    const double rounded = mode == AscendC::RoundMode::CAST_FLOOR   ? std::floor(exact)
                           : mode == AscendC::RoundMode::CAST_CEIL  ? std::ceil(exact)
                           : mode == AscendC::RoundMode::CAST_ROUND ? std::round(exact)
                                                                    : std::nearbyint(exact);
    if (std::isnan(rounded)) {
        return 0;
    }
    return rounded >= 0x1p31 ? INT32_MAX
                             : (rounded < -0x1p31 ? INT32_MIN : static_cast<int32_t>(rounded));
}

}  // namespace twin::vec
