// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/types.h"

namespace twin {

/// The launches of the calling thread that are to be timed.
struct ProfileRequest {
    std::string file;   ///< empty: none
    bool warm = false;  ///< the second-level cache contains the arguments when a launch begins
};

const ProfileRequest& RequestedProfile();

}  // namespace twin

extern "C" {
/// From now on, launches that this thread enqueues are timed on the model, which appends them to
/// `file`; nullptr ends this.
TWIN_API void twinProfile(const char* file, bool warm);
}
