// SPDX-License-Identifier: Apache-2.0
#include "core/profile_request.h"

namespace twin {
namespace {

thread_local ProfileRequest tProfile;

}  // namespace

const ProfileRequest& RequestedProfile() { return tProfile; }

}  // namespace twin

void twinProfile(const char* file, bool warm) {
    twin::tProfile = {file == nullptr ? "" : file, warm};
}
