// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_CORE_PROFILE_REQUEST_H
#define TWIN_CORE_PROFILE_REQUEST_H

#include <string>

#include "core/export.h"

namespace twin {

/// Which launches of the calling thread are to be timed.
struct ProfileRequest {
    std::string file;   ///< empty: none
    bool warm = false;  ///< the second-level cache holds the arguments when a launch begins
};

const ProfileRequest& RequestedProfile();

}  // namespace twin

extern "C" {
/// Launches that this thread enqueues from now on are timed on the model, which appends them to
/// `file`; nullptr: no longer.
TWIN_API void twinProfile(const char* file, bool warm);
}

#endif  // TWIN_CORE_PROFILE_REQUEST_H
