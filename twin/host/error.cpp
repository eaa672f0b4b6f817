// SPDX-License-Identifier: Apache-2.0
#include "host/error.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/formatted.h"
#include "core/host_output.h"
#include "host/op_call.h"

namespace twin::host {
namespace {

struct ThreadError {
    int status = 0;
    bool pending = false;
    std::string sentence;
    std::string handedOut;
    std::string hazards;
};

ThreadError& Current() {
    // The object is never deleted, because acl may be called while the thread's other objects are
    // being destroyed.
    thread_local ThreadError* const error = new ThreadError;
    return *error;
}

void Remember(std::string sentence) {
    ThreadError& error = Current();
    error.sentence = std::move(sentence);
    error.pending = true;
    error.hazards.clear();
}

constexpr int kErrorLevel = 3;

constexpr int kNothingLevel = 4;
std::atomic<int> setLevel{-1};  ///< -1: the environment decides

/// Returns the lowest level to print, from 0 (debug) to 4 (nothing). SetPrintedLevel or else
/// ASCEND_GLOBAL_LOG_LEVEL gives the level. If neither is set, only errors are printed.
int PrintedLevel() {
    if (setLevel >= 0) {
        return setLevel;
    }
    const char* const level = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
    return level != nullptr && level[0] >= '0' && level[0] <= '4' && level[1] == '\0'
               ? level[0] - '0'
               : kErrorLevel;
}

}  // namespace

bool LogWanted(int level) {
    const char* const wanted = std::getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    return wanted != nullptr && std::strcmp(wanted, "1") == 0 && level >= PrintedLevel();
}

bool SetPrintedLevel(int level) {
    if (level < 0 || level > kNothingLevel) {
        return false;
    }
    setLevel = level;
    return true;
}

int FailText(int status, const std::string& sentence) {
    Remember(sentence);
    Current().status = status;
    if (LogWanted(kErrorLevel)) {
        std::printf("[ERROR] %d %s\n", status, sentence.c_str());
        std::fflush(stdout);
    }
    return status;
}

int Fail(int status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const std::string sentence = Formatted(format, arguments);
    va_end(arguments);
    return FailText(status, sentence);
}

void Refuse(int status, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const std::string sentence = Formatted(format, arguments);
    va_end(arguments);
    throw Refused(FailText(status, sentence));
}

void SetRecentError(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const std::string sentence = Formatted(format, arguments);
    va_end(arguments);
    HostOutput::AddError(sentence);
    Remember(sentence);
}

int LastError() { return Current().status; }

void ClearLastError() { Current().status = 0; }

const char* TakeRecentError() {
    ThreadError& error = Current();
    if (!error.pending) {
        return nullptr;
    }
    error.pending = false;
    error.handedOut = error.sentence;
    return error.handedOut.c_str();
}

void SetRecentHazards(const std::string& hazards) { Current().hazards = hazards; }

}  // namespace twin::host

const char* twinRecentHazards() {
    const std::string& hazards = twin::host::Current().hazards;
    return hazards.empty() ? nullptr : hazards.c_str();
}
