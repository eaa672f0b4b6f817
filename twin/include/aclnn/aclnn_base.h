// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aclnn/acl_meta.h"

extern "C" {

/// Calling this is optional; it may load what the first operator call would load.
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize();

}  // extern "C"
