// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace twin {

/// How a launch with an error ends for its caller: with an exception of the core, with the timeout
/// of a core that hangs, or without a start.
enum class Ends : uint8_t { Exception, Timeout, Refused };

struct ErrorCode {
    char code[5];
    Ends ends;
};

/// Made from twin/errors.toml, in ascending order of codes.
extern const ErrorCode kErrorCodes[];
extern const size_t kErrorCodeCount;

/// Returns how a launch ends whose message starts with a code.
Ends HowItEnds(const std::string& message);

}  // namespace twin
