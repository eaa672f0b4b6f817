// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_PACKAGE_PLACES_H
#define TWIN_HOST_PACKAGE_PLACES_H

#include <string>
#include <vector>

namespace twin::host {

/// A folder that is an operator package, or should be one.
struct PackagePlace {
    std::string path;  ///< absolute
    std::string
        origin;  ///< what names the folder: "ASCEND_CUSTOM_OPP_PATH", "/opp/vendors/config.ini"
};

/// All places in the toolkit's order: the paths of ASCEND_CUSTOM_OPP_PATH, the vendors of
/// ASCEND_OPP_PATH by load_priority, the vendors that come with the twin. Some may not exist. Each
/// call reads the environment.
int FindPackagePlaces(std::vector<PackagePlace>* places);

/// The contents of a file; false and a reason if it cannot be read.
bool ReadWholeFile(const std::string& path, std::string* text, std::string* reason);

}  // namespace twin::host

#endif  // TWIN_HOST_PACKAGE_PLACES_H
