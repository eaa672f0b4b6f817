// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_ACL_API_H
#define CANNERY_ACL_API_H

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

namespace cannery {

// Functions that only the twin has.

/// Sets the dtypes of the next launch's arguments, and fills the user workspace of this launch.
using SetArgumentTypes = aclError (*)(const aclDataType* types, size_t count, void* workspace,
                                      uint64_t bytes);
/// Returns the findings of the hazard checker.
using RecentHazards = const char* (*)();
/// Returns the type as which the kernel used an argument. Returns null if this type is the
/// argument's dtype.
using ArgumentTakenFor = const char* (*)(size_t index);
/// Returns a sentence for each variable CANNERY_... of the environment that is no setting.
using UnknownSettings = const char* (*)();

constexpr aclError kInvalidParam = 100000;
constexpr aclError kRepeatInitialize = 100002;
constexpr aclError kStreamSyncTimeout = 507046;

/// Functions of the twin's or the toolkit's libraries that the runner finds by name at run time.
/// Their types come from acl.h and acl_meta.h, so the compiler checks every call.
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

/// Functions that a runtime may lack; then their pointers are null. The runner copies arrays if it
/// cannot register host memory. Without aclrtStreamAbort, Ctrl-C waits until the launch ends.
/// Without the last three functions, users cannot launch their own kernels.
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
    X(aclCreateTensorList)      \
    X(aclDestroyTensorList)     \
    X(aclCreateIntArray)        \
    X(aclDestroyIntArray)       \
    X(aclCreateFloatArray)      \
    X(aclDestroyFloatArray)     \
    X(aclCreateBoolArray)       \
    X(aclDestroyBoolArray)      \
    X(aclCreateScalar)          \
    X(aclDestroyScalar)         \
    X(aclCreateScalarList)      \
    X(aclDestroyScalarList)     \
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
    UnknownSettings unknownSettings = nullptr;    ///< nullptr on a card
};

}  // namespace cannery

#endif  // CANNERY_ACL_API_H
