// SPDX-License-Identifier: Apache-2.0
// Implements the toolkit's log functions for operators. After an error message,
// aclGetRecentErrMsg returns this message.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <string>

#include "base/err_msg.h"
#include "core/formatted.h"
#include "host/error.h"
#include "host/op_call.h"
#include "log/log.h"

namespace {

constexpr int32_t kError = 3;

std::string Text(const char* format, va_list arguments) {
    return format == nullptr ? "" : twin::Formatted(format, arguments);
}

void Say(int32_t level, const std::string& text) {
    static const char* const kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    if (level == kError) {
        twin::host::SetRecentError("%s", text.c_str());
    }
    if (twin::host::LogWanted(level)) {
        std::printf("[%s] %s\n", kNames[std::clamp(level, 0, kError)], text.c_str());
        std::fflush(stdout);
    }
}

}  // namespace

extern "C" {

int32_t CheckLogLevel(int32_t, int32_t level) {
    return level == kError || twin::host::LogWanted(level) ? 1 : 0;
}

int32_t AlogCheckDebugLevel(uint32_t, int32_t level) { return CheckLogLevel(OP, level); }

int32_t dlog_setlevel(int32_t, int32_t level, int32_t) {
    return twin::host::SetPrintedLevel(level) ? 0 : -1;
}

void DlogRecord(int32_t, int32_t level, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Say(level, Text(format, arguments));
    va_end(arguments);
}

}  // extern "C"

namespace ge {

int32_t ReportInnerErrMsg(const char*, const char*, uint32_t, const char* code, const char* format,
                          ...) {
    va_list arguments;
    va_start(arguments, format);
    Say(kError, std::string(code == nullptr ? "" : code) + " " + Text(format, arguments));
    va_end(arguments);
    return 0;
}

int32_t ReportUserDefinedErrMsg(const char* code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Say(kError, std::string(code == nullptr ? "" : code) + " " + Text(format, arguments));
    va_end(arguments);
    return 0;
}

int32_t RegisterErrMsgTexts(const char*, size_t) { return 0; }

void ReportInputErrMsg(const std::string& code, const std::vector<std::string>& keys,
                       const std::vector<std::string>& values) {
    std::vector<const char*> names;
    std::vector<const char*> texts;
    names.reserve(keys.size());
    texts.reserve(values.size());
    for (const std::string& key : keys) {
        names.push_back(key.c_str());
    }
    for (const std::string& value : values) {
        texts.push_back(value.c_str());
    }
    ReportPredefinedErrMsg(code.c_str(), names, texts);
}

int32_t ReportPredefinedErrMsg(const char* code, const std::vector<const char*>& keys,
                               const std::vector<const char*>& values) {
    std::string text = code == nullptr ? "" : code;
    for (size_t i = 0; i < keys.size() && i < values.size(); ++i) {
        text += std::string(i == 0 ? " " : ", ") + (keys[i] == nullptr ? "" : keys[i]) + ": " +
                (values[i] == nullptr ? "" : values[i]);
    }
    Say(kError, text);
    return 0;
}

}  // namespace ge
