// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace twin {

/// Returns a sentence for each environment variable CANNERY_... that is no setting, with the
/// setting whose name is most similar. Returns them only once in a process; later calls return "".
std::string UnknownSettings();

}  // namespace twin
