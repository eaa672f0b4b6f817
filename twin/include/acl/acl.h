/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACL_ACL_H
#define ACL_ACL_H

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"

#define ACL_MAJOR_VERSION 1
#define ACL_MINOR_VERSION 13
#define ACL_PATCH_VERSION 0

#ifdef __cplusplus
extern "C" {
#endif

/* Initialises acl; a second call returns ACL_ERROR_REPEAT_INITIALIZE. configPath may be NULL. */
ACL_FUNC_VISIBILITY aclError aclInit(const char* configPath);

/* Ends all streams; later acl calls fail. */
ACL_FUNC_VISIBILITY aclError aclFinalize(void);

ACL_FUNC_VISIBILITY aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion,
                                             int32_t* patchVersion);

/* Returns this thread's newest error sentence once, then NULL. It is valid until the thread's next
 * acl call. */
ACL_FUNC_VISIBILITY const char* aclGetRecentErrMsg(void);

#ifdef __cplusplus
}
#endif

#endif /* ACL_ACL_H */
