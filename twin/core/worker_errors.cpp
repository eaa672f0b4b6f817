// SPDX-License-Identifier: Apache-2.0
// Messages about tasks that did not run to their end.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "core/types.h"
#include "core/worker.h"

namespace twin {

std::string Worker::DescribeSignal(const Task& task) const {
    char text[256];
    const std::string guard = task.storage->DescribeGuard(faultAddress);
    if (signalNumber == SIGSEGV && task.storage->stack.InGuard(faultAddress)) {
        std::snprintf(text, sizeof(text), "T502 stack overflow: the kernel's frames exceed %zu KiB",
                      Stack::Bytes() >> 10);
    } else if (signalNumber == SIGSEGV && !guard.empty()) {
        std::snprintf(text, sizeof(text),
                      "T501 segmentation fault: the kernel touched %s, by a raw pointer",
                      guard.c_str());
    } else if (signalNumber == SIGSEGV || signalNumber == SIGBUS) {
        const GmRange* gm =
            task.core.launch->NearestRange(reinterpret_cast<uintptr_t>(faultAddress));
        const bool gone = gm->Contains(reinterpret_cast<uintptr_t>(faultAddress));
        if (gone) {
            std::snprintf(
                text, sizeof(text),
                "T501 segmentation fault: the kernel touched %s, whose host memory is not "
                "there or must not be written",
                task.core.DescribeGm(reinterpret_cast<uintptr_t>(faultAddress)).c_str());
        } else {
            std::snprintf(
                text, sizeof(text),
                "T501 segmentation fault: the kernel touched host address %p by a raw pointer",
                faultAddress);
        }
    } else if (signalNumber == SIGFPE) {
        std::snprintf(text, sizeof(text),
                      "T503 arithmetic trap: an integer division by zero or its like");
    } else if (signalNumber == SIGILL || signalNumber == SIGTRAP) {
        std::snprintf(text, sizeof(text),
                      "T504 illegal instruction: a trap or an unreachable place was reached");
    } else {
        std::snprintf(text, sizeof(text),
                      "T505 abort: the kernel called abort() or an assert failed");
    }
    return text;
}

std::string Worker::DescribeEscape(const Task& task) const {
    const std::string place = DescribePlace(task.core);
    switch (escape) {
        case Escape::Error: {
            // The way out, if the message has one, is easiest to read after the place.
            const size_t way = errorText.find("\n  try: ");
            return way == std::string::npos
                       ? errorText + place
                       : errorText.substr(0, way) + place + errorText.substr(way);
        }
        case Escape::Signal:
            break;
        case Escape::NoInstruction:
            return "T507 timeout: no instruction was issued for CANNERY_TIMEOUT_S seconds; the "
                   "last one is" +
                   place +
                   "\n  try: look for a scalar loop that never ends after this line, or raise the "
                   "timeout";
        case Escape::NoProgress:
            return "T508 endless loop: instructions are issued, but nothing new is read, written "
                   "or finished;"
                   " the last one is" +
                   place +
                   "\n  try: check the loop's exit condition; a polled value must be written by a "
                   "core that still runs";
        default:
            return "T509 cancelled" + place;
    }
    return DescribeSignal(task) + "; the last Ascend C call before it is" + place;
}

std::string DescribeStranded(const Task& task) {
    return "T507 timeout: the kernel does not come back from a call outside its own code; the last "
           "instruction is" +
           DescribePlace(task.core) +
           "\n  try: look for a lock that it waits for; this process cannot run the kernel again";
}

Ends HowItEnds(const char* message) {
    const ErrorCode* const end = kErrorCodes + kErrorCodeCount;
    const ErrorCode* const found =
        std::find_if(kErrorCodes, end, [message](const ErrorCode& known) {
            return std::strncmp(message, known.code, sizeof(known.code) - 1) == 0;
        });
    return found == end ? Ends::Exception : found->ends;
}

}  // namespace twin
