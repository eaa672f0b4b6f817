// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_REPEATED_LAUNCH_H
#define TWIN_HOST_REPEATED_LAUNCH_H

#include "core/launch.h"

namespace twin::host {

/// Launches, then launches again on the same memory with changes that must not matter: the order of
/// the blocks, the number of threads, the contents of outputs and workspaces before. T611 to T613
/// report differences. Afterwards the memory has the results of the first launch.
LaunchResult LaunchWithRepetitions(const LaunchSpec& spec);

}  // namespace twin::host

#endif  // TWIN_HOST_REPEATED_LAUNCH_H
