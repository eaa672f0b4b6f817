// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/types.h"

namespace twin {

/// Between constructor and destructor, collects the text that a function of op_host logs or prints
/// on this thread. If the function refuses a call, this text is the reason in the error message.
/// Printed text still goes to stdout or stderr.
class TWIN_API HostOutput {
public:
    HostOutput();
    ~HostOutput();
    HostOutput(const HostOutput&) = delete;
    HostOutput& operator=(const HostOutput&) = delete;

    /// Returns the logged errors; if there are none, the last printed lines.
    std::string Reason() const;

    /// Adds an error message to the object of this thread, if there is one.
    static void AddError(const std::string& text);
    /// Adds printed text to the object of this thread, if there is one.
    static void AddPrinted(const char* text, size_t bytes);

private:
    std::string errors_;
    std::string printed_;
    HostOutput* outer_;
};

}  // namespace twin
