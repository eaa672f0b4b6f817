// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_REPEATED_LAUNCH_H
#define TWIN_HOST_REPEATED_LAUNCH_H

#include "core/launch.h"

namespace twin::host {

/// Launches, and launches again on the same memory with what must not matter changed: the order of
/// the blocks, the number of threads, what outputs and workspaces hold before. T611 to T613 say
/// what came out otherwise. Leaves behind what the first launch did.
LaunchResult LaunchWithRepetitions(const LaunchSpec& spec);

}  // namespace twin::host

#endif  // TWIN_HOST_REPEATED_LAUNCH_H
