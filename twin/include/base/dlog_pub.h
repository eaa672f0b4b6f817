// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_DLOG_PUB_H
#define BASE_DLOG_PUB_H

#include <stdint.h>

#define DLOG_DEBUG 0x0
#define DLOG_INFO 0x1
#define DLOG_WARN 0x2
#define DLOG_ERROR 0x3

/* Who logs. Operators are one module; the twin tells no others apart. */
enum { OP = 63 };

#ifdef __cplusplus
extern "C" {
#endif

/* 1 when messages of that level are wanted. */
int32_t CheckLogLevel(int32_t moduleId, int32_t level);
int32_t AlogCheckDebugLevel(uint32_t moduleId, int32_t level);
/* An error becomes the sentence of aclGetRecentErrMsg; what is wanted is printed. */
void DlogRecord(int32_t moduleId, int32_t level, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/* From here on in place of ASCEND_GLOBAL_LOG_LEVEL, 4 for nothing; what is wanted is printed with
   ASCEND_SLOG_PRINT_TO_STDOUT=1 only. -1 for a level that does not exist. */
int32_t dlog_setlevel(int32_t moduleId, int32_t level, int32_t enableEvent);

#ifdef __cplusplus
}
#endif

#endif /* BASE_DLOG_PUB_H */
