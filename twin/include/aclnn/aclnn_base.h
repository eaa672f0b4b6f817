// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/acl_meta.h"

extern "C" {

/// Initialises aclnn; this call is optional, because the first operator call loads what it needs.
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize();

}  // extern "C"
