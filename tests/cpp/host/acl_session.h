// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "acl/acl.h"

/// Initialises acl once per process; the object owns one stream.
class AclSession {
public:
    AclSession() {
        aclInit(nullptr);
        aclrtSetDevice(0);
        aclrtCreateStream(&stream);
    }
    ~AclSession() {
        aclrtDestroyStream(stream);
        aclrtResetDevice(0);
    }
    AclSession(const AclSession&) = delete;
    AclSession& operator=(const AclSession&) = delete;

    aclrtStream stream = nullptr;
};

/// Returns the text of the last failure, or "" if there is none.
inline std::string Message() {
    const char* const message = aclGetRecentErrMsg();
    return message == nullptr ? std::string() : std::string(message);
}

inline bool MessageHas(const char* part) { return Message().find(part) != std::string::npos; }
