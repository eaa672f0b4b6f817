// SPDX-License-Identifier: Apache-2.0
// If a repository has its own log.h anywhere on the include path, that file is used instead.
#if __has_include_next("log/log.h")
#include_next "log/log.h"
#elif !defined(LOG_LOG_H)
#define LOG_LOG_H

#include <cstdint>
#include <string>

#include "base/err_msg.h"
#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace Ops {
namespace Base {

/// Returns "Type:Name" for a context of an operator; returns a text unchanged.
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
        if (CheckLogLevel(OP, level) == 1) {                                                      \
            DlogRecord(OP, level, "%s: " format " (%s at %s:%d)",                                 \
                       Ops::Base::GetOpInfo(name).c_str(), ##__VA_ARGS__, __FUNCTION__, __FILE__, \
                       __LINE__);                                                                 \
        }                                                                                         \
    } while (false)
#define OP_LOGD(name, ...) OP_LOG_AT_LEVEL(DLOG_DEBUG, name, __VA_ARGS__)
#define OP_LOGI(name, ...) OP_LOG_AT_LEVEL(DLOG_INFO, name, __VA_ARGS__)
#define OP_LOGW(name, ...) OP_LOG_AT_LEVEL(DLOG_WARN, name, __VA_ARGS__)
#define OP_LOGE(name, ...) OP_LOG_AT_LEVEL(DLOG_ERROR, name, __VA_ARGS__)

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
