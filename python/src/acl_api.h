// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_ACL_API_H
#define CANNERY_ACL_API_H

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace cannery {

/// Only the twin has these functions: the runner tells it the types of the next launch's arguments,
/// and it tells as which types the kernel read them, and what its hazard checker found.
using SetArgumentTypes = aclError (*)(const aclDataType* types, size_t count);
using RecentHazards = const char* (*)();
using ArgumentTakenFor = const char* (*)(size_t index);

constexpr aclError kRepeatInitialize = 100002;
constexpr aclError kStreamSyncTimeout = 507046;

/// The functions that the runner calls, found by name at run time in the twin's libraries or the
/// toolkit's. The prototypes come from the headers, so a symbol whose type changed does not
/// compile.
#define CANNERY_RUNTIME_SYMBOLS(X)       \
    X(aclInit)                           \
    X(aclFinalize)                       \
    X(aclGetRecentErrMsg)                \
    X(aclrtGetDeviceCount)               \
    X(aclrtGetDevice)                    \
    X(aclrtSetDevice)                    \
    X(aclrtResetDevice)                  \
    X(aclrtGetCurrentContext)            \
    X(aclrtSetCurrentContext)            \
    X(aclrtGetSocName)                   \
    X(aclrtCreateStream)                 \
    X(aclrtDestroyStream)                \
    X(aclrtSynchronizeStream)            \
    X(aclrtSynchronizeStreamWithTimeout) \
    X(aclrtMalloc)                       \
    X(aclrtFree)                         \
    X(aclrtMemcpy)                       \
    X(aclrtMemset)

/// A runtime may lack these functions; the pointers are then null. Without registration of host
/// memory the runner copies arrays; without an abort Ctrl-C waits for the launch's end; without the
/// last four there are no kernels of users.
#define CANNERY_OPTIONAL_SYMBOLS(X) \
    X(aclrtStreamAbort)             \
    X(aclrtHostRegister)            \
    X(aclrtHostUnregister)          \
    X(aclrtHostRegisterV2)          \
    X(aclrtHostGetDevicePointer)    \
    X(aclrtBinaryLoadFromFile)      \
    X(aclrtBinaryGetFunction)       \
    X(aclrtLaunchKernel)

#define CANNERY_META_SYMBOLS(X) \
    X(aclCreateTensor)          \
    X(aclDestroyTensor)         \
    X(aclCreateIntArray)        \
    X(aclDestroyIntArray)       \
    X(aclDestroyAclOpExecutor)

struct AclApi {
#define CANNERY_DECLARE(name) decltype(&::name) name = nullptr;
    CANNERY_RUNTIME_SYMBOLS(CANNERY_DECLARE)
    CANNERY_OPTIONAL_SYMBOLS(CANNERY_DECLARE)
    CANNERY_META_SYMBOLS(CANNERY_DECLARE)
#undef CANNERY_DECLARE
    SetArgumentTypes setArgumentTypes = nullptr;  ///< nullptr on a card
    ArgumentTakenFor argumentTakenFor = nullptr;  ///< nullptr on a card
    RecentHazards recentHazards = nullptr;        ///< nullptr on a card
};

}  // namespace cannery

#endif  // CANNERY_ACL_API_H
