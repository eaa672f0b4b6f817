// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_OPS_H
#define CANNERY_OPS_H

#include <pybind11/pybind11.h>

namespace cannery {

/// Adds one function per operator. Generated from the prototypes
/// (python/cannery/opgen/templates/bindings.cpp.jinja).
void RegisterOps(pybind11::module_& module);

}  // namespace cannery

#endif  // CANNERY_OPS_H
