/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SECUREC_H
#define SECUREC_H

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Bounds-checked copies, which tiling sources get from register/tilingdata_base.h. They refuse data
   that does not fit; after a refused text, the destination is an empty text. */
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

/* Returns the length of a text, at most count; C99 has no strnlen. */
static inline size_t twinTextLength(const char* text, size_t count) {
    const char* const end = (const char*)memchr(text, 0, count);
    return end == NULL ? count : (size_t)(end - text);
}

/* Copies at most count characters of src. */
static inline errno_t strncpy_s(char* dest, size_t destMax, const char* src, size_t count) {
    if (dest == NULL || destMax == 0) {
        return dest == NULL ? EINVAL : ERANGE;
    }
    dest[0] = '\0';
    if (src == NULL) {
        return EINVAL;
    }
    const size_t length = twinTextLength(src, count);
    if (length >= destMax) {
        return ERANGE;
    }
    memcpy(dest, src, length);
    dest[length] = '\0';
    return EOK;
}

static inline errno_t strcpy_s(char* dest, size_t destMax, const char* src) {
    return strncpy_s(dest, destMax, src, src == NULL ? 0 : strlen(src));
}

static inline errno_t strcat_s(char* dest, size_t destMax, const char* src) {
    if (dest == NULL || destMax == 0) {
        return dest == NULL ? EINVAL : ERANGE;
    }
    const size_t before = twinTextLength(dest, destMax);
    const errno_t status =
        before == destMax ? ERANGE : strcpy_s(dest + before, destMax - before, src);
    if (status != EOK) {
        dest[0] = '\0';
    }
    return status;
}

/* Returns the length. If it exceeds count, returns -1 and writes the first count characters. */
static inline int vsnprintf_s(char* dest, size_t destMax, size_t count, const char* format,
                              va_list arguments) {
    if (dest == NULL || format == NULL || destMax == 0) {
        return -1;
    }
    const size_t room = count < destMax ? count + 1 : destMax;
    const int length = vsnprintf(dest, room, format, arguments);
    if (length >= 0 && (size_t)length < room) {
        return length;
    }
    if (length < 0 || count >= destMax) {
        dest[0] = '\0';
    }
    return -1;
}

static inline int snprintf_s(char* dest, size_t destMax, size_t count, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
static inline int snprintf_s(char* dest, size_t destMax, size_t count, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf_s(dest, destMax, count, format, arguments);
    va_end(arguments);
    return length;
}

static inline int sprintf_s(char* dest, size_t destMax, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
static inline int sprintf_s(char* dest, size_t destMax, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf_s(dest, destMax, destMax, format, arguments);
    va_end(arguments);
    return length;
}

#endif /* SECUREC_H */
