// SPDX-License-Identifier: Apache-2.0
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include <cstdint>
#include <string>

#include "base/err_msg.h"
#include "exe_graph/runtime/shape.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"

extern "C" {
/// 1 when messages of that level (0 debug, 1 info, 2 warning, 3 error) are wanted.
int32_t CheckLogLevel(int32_t moduleId, int32_t level);
/// An error becomes the sentence of aclGetRecentErrMsg; what is wanted is printed.
void DlogRecord(int32_t moduleId, int32_t level, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
}

namespace Ops {
namespace Base {

/// "Type:Name" of a context, or the text itself.
inline std::string GetOpInfo(const std::string& text) { return text; }
inline std::string GetOpInfo(const char* text) { return text == nullptr ? "nil" : text; }
template <typename Context>
std::string GetOpInfo(const Context* context) {
    if (context == nullptr) {
        return "nil:nil";
    }
    return GetOpInfo(context->GetNodeType()) + ":" + GetOpInfo(context->GetNodeName());
}

}  // namespace Base
}  // namespace Ops

#define OP_LOG_AT_LEVEL(level, name, format, ...)                                                 \
    do {                                                                                          \
        if (CheckLogLevel(63, level) == 1) {                                                      \
            DlogRecord(63, level, "%s: " format " (%s at %s:%d)",                                 \
                       Ops::Base::GetOpInfo(name).c_str(), ##__VA_ARGS__, __FUNCTION__, __FILE__, \
                       __LINE__);                                                                 \
        }                                                                                         \
    } while (false)
#define OP_LOGD(name, ...) OP_LOG_AT_LEVEL(0, name, __VA_ARGS__)
#define OP_LOGI(name, ...) OP_LOG_AT_LEVEL(1, name, __VA_ARGS__)
#define OP_LOGW(name, ...) OP_LOG_AT_LEVEL(2, name, __VA_ARGS__)
#define OP_LOGE(name, ...) OP_LOG_AT_LEVEL(3, name, __VA_ARGS__)

#define OP_CHECK_IF(condition, report, action) \
    do {                                       \
        if (condition) {                       \
            report;                            \
            action;                            \
        }                                      \
    } while (false)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer)     \
    do {                                                 \
        if ((pointer) == nullptr) {                      \
            OP_LOGE(context, "%s is nullptr", #pointer); \
            return ge::GRAPH_FAILED;                     \
        }                                                \
    } while (false)

#endif  // LOG_LOG_H
