/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SECUREC_H
#define SECUREC_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* The bounds-checked copies that tiling sources get along with register/tilingdata_base.h. */
#ifndef EOK
#define EOK 0
#endif
typedef int errno_t;

static inline errno_t memcpy_s(void* dest, size_t destMax, const void* src, size_t count) {
    if (dest == NULL || src == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    memcpy(dest, src, count);
    return EOK;
}

static inline errno_t memmove_s(void* dest, size_t destMax, const void* src, size_t count) {
    if (dest == NULL || src == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    memmove(dest, src, count);
    return EOK;
}

static inline errno_t memset_s(void* dest, size_t destMax, int c, size_t count) {
    if (dest == NULL) {
        return EINVAL;
    }
    if (count > destMax) {
        return ERANGE;
    }
    memset(dest, c, count);
    return EOK;
}

#endif /* SECUREC_H */
