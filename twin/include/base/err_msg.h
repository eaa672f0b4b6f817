// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dlog_pub.h"

namespace ge {

/// Stores a message, which aclGetRecentErrMsg then returns; the result is always 0.
int32_t ReportInnerErrMsg(const char* file, const char* function, uint32_t line, const char* code,
                          const char* format, ...) __attribute__((format(printf, 5, 6)));
int32_t ReportUserDefinedErrMsg(const char* code, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
int32_t ReportPredefinedErrMsg(const char* code, const std::vector<const char*>& keys,
                               const std::vector<const char*>& values);

void ReportInputErrMsg(const std::string& code, const std::vector<std::string>& keys,
                       const std::vector<std::string>& values);

/// Does nothing. Messages contain the code, names and values, but not the registered texts.
int32_t RegisterErrMsgTexts(const char* json, size_t bytes);

}  // namespace ge

#define REG_FORMAT_ERROR_MSG(json, bytes) \
    static const int32_t errMsgTextsRegistered = ge::RegisterErrMsgTexts((json), (bytes))
#define REPORT_INNER_ERR_MSG(error_code, format, ...)                                   \
    (void)ge::ReportInnerErrMsg(__FILE__, __FUNCTION__, __LINE__, (error_code), format, \
                                ##__VA_ARGS__)
#define REPORT_USER_DEFINED_ERR_MSG(error_code, format, ...) \
    (void)ge::ReportUserDefinedErrMsg((error_code), format, ##__VA_ARGS__)
#define REPORT_PREDEFINED_ERR_MSG(error_code, key, value) \
    (void)ge::ReportPredefinedErrMsg((error_code), (key), (value))

// Older names of the REPORT_* macros, from error_manager.h.
#define REPORT_INNER_ERROR REPORT_INNER_ERR_MSG
#define REPORT_CALL_ERROR REPORT_INNER_ERR_MSG
#define REPORT_INPUT_ERROR(error_code, key, value) ge::ReportInputErrMsg((error_code), key, value)
#define REPORT_ENV_ERROR REPORT_INPUT_ERROR
