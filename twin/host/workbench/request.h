// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_WORKBENCH_REQUEST_H
#define TWIN_HOST_WORKBENCH_REQUEST_H

#include <cstdint>
#include <string>
#include <vector>

#include "graph/types.h"
#include "host/attr_values.h"
#include "host/json.h"
#include "soc/soc.h"

namespace twin::host {

// Reads the requests of the Python package. If something is missing or has another type, that is a
// fault of the package: std::invalid_argument.

const Json& Member(const Json& object, const char* name);
std::string TextOf(const Json& value);
int64_t IntegerOf(const Json& value);
bool TruthOf(const Json& value);
std::vector<int64_t> IntegersOf(const Json& value);
/// "float16" -> DT_FLOAT16.
ge::DataType DataTypeOf(const Json& value);
const SocInfo& SocOf(const Json& value);
/// null, or [AttrTypeName, value]; floats are strings, because JSON cannot express NaN.
AttrValue AttrOf(const Json& value);

}  // namespace twin::host

#endif  // TWIN_HOST_WORKBENCH_REQUEST_H
