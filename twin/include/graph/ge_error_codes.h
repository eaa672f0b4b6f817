// SPDX-License-Identifier: Apache-2.0
#ifndef GRAPH_GE_ERROR_CODES_H
#define GRAPH_GE_ERROR_CODES_H

#include <cstdint>

namespace ge {

using graphStatus = uint32_t;

const graphStatus GRAPH_FAILED = 0xFFFFFFFF;
const graphStatus GRAPH_SUCCESS = 0;
const graphStatus GRAPH_NOT_CHANGED = 1343242304;
const graphStatus GRAPH_PARAM_INVALID = 50331649;
const graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644;
const graphStatus GRAPH_MEM_OPERATE_FAILED = 50331539;
const graphStatus GRAPH_NULL_PTR = 50331538;
const graphStatus GRAPH_MEMCPY_FAILED = 50331537;
const graphStatus GRAPH_MEMSET_FAILED = 50331536;
const graphStatus GRAPH_ADD_OVERFLOW = 50331428;
const graphStatus GRAPH_MUL_OVERFLOW = 50331427;

// Older names of the same two results.
const uint32_t SUCCESS = 0;
const uint32_t FAILED = 0xFFFFFFFF;

}  // namespace ge

#endif  // GRAPH_GE_ERROR_CODES_H
