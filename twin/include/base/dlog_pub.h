// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_DLOG_PUB_H
#define BASE_DLOG_PUB_H

#include <stdint.h>

#define DLOG_DEBUG 0x0
#define DLOG_INFO 0x1
#define DLOG_WARN 0x2
#define DLOG_ERROR 0x3

/* Modules that write logs. The twin treats all modules as OP (operators). */
enum { OP = 63, ASCENDCKERNEL = 69 };

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if messages of this level are processed, else 0. */
int32_t CheckLogLevel(int32_t moduleId, int32_t level);
int32_t AlogCheckDebugLevel(uint32_t moduleId, int32_t level);
/* Prints a message if its level is enabled. aclGetRecentErrMsg returns messages of DLOG_ERROR. */
void DlogRecord(int32_t moduleId, int32_t level, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sets the lowest printed level (4: none); this overrides ASCEND_GLOBAL_LOG_LEVEL. Messages are
   only printed if ASCEND_SLOG_PRINT_TO_STDOUT=1. Returns -1 for an unknown level. */
int32_t dlog_setlevel(int32_t moduleId, int32_t level, int32_t enableEvent);

#ifdef __cplusplus
}
#endif

#endif /* BASE_DLOG_PUB_H */
