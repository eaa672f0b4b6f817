// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/types.h"

namespace twin {

/// Says which launches of the calling thread the model of time must time.
struct ProfileRequest {
    std::string file;   ///< file for the timed launches; empty: none are timed
    bool warm = false;  ///< the second-level cache contains the arguments when a launch begins
};

const ProfileRequest& RequestedProfile();

}  // namespace twin

extern "C" {
/// Makes the model of time append all launches that this thread enqueues from now on to `file`;
/// nullptr ends this.
TWIN_API void twinProfile(const char* file, bool warm);
}
