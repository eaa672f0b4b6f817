// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/dlog_pub.h"

// Logging of host functions that newer toolkits may also run on the chip's AI CPU.

#define TWIN_CPU_LOG(LEVEL, format, ...)                                                       \
    DlogRecord(ASCENDCKERNEL, LEVEL, "[%s:%d][%s] " format "\n", __FILE__, __LINE__, __func__, \
               ##__VA_ARGS__)
#define ASC_CPU_LOG_ERROR(format, ...) TWIN_CPU_LOG(DLOG_ERROR, format, ##__VA_ARGS__)
#define ASC_CPU_LOG_WARNING(format, ...) TWIN_CPU_LOG(DLOG_WARN, format, ##__VA_ARGS__)
#define ASC_CPU_LOG_INFO(format, ...) TWIN_CPU_LOG(DLOG_INFO, format, ##__VA_ARGS__)
#define ASC_CPU_LOG_DEBUG(format, ...) TWIN_CPU_LOG(DLOG_DEBUG, format, ##__VA_ARGS__)
