// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_LAUNCH_ARGUMENTS_H
#define TWIN_HOST_LAUNCH_ARGUMENTS_H

#include "core/launch.h"

namespace twin::host {

/// Errors and dumps name memory by the argument that points to it, because the number of an
/// allocation would differ from run to run.
void NameArguments(LaunchSpec* spec);

}  // namespace twin::host

#endif  // TWIN_HOST_LAUNCH_ARGUMENTS_H
