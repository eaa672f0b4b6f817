// SPDX-License-Identifier: Apache-2.0
#include "core/error_codes.h"

#include <algorithm>

namespace twin {

Ends HowItEnds(const std::string& message) {
    const ErrorCode* const end = kErrorCodes + kErrorCodeCount;
    const ErrorCode* const found =
        std::find_if(kErrorCodes, end, [&message](const ErrorCode& known) {
            return message.compare(0, sizeof(known.code) - 1, known.code) == 0;
        });
    return found == end ? Ends::Exception : found->ends;
}

}  // namespace twin
