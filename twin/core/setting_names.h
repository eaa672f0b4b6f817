// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace twin {

/// Returns a sentence for each environment variable CANNERY_... that is no setting. The sentence
/// names the setting with the most similar name, or lists the settings if no name is similar. Only
/// the first call in a process returns sentences; later calls return "".
std::string UnknownSettings();

}  // namespace twin
