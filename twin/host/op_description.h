// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_DESCRIPTION_H
#define TWIN_HOST_OP_DESCRIPTION_H

#include <string>

#include "core/export.h"
#include "host/op_model.h"

namespace twin::host {

/// Describes one operator as JSON, as below; empty without a definition.
std::string OperatorText(const std::string& type, const OpModel* model);

}  // namespace twin::host

/// The operators that a library of op_host registers with OP_ADD, as JSON: a list of objects with
/// type, defect (why the twin cannot use the definition), socs, inputs, outputs and attrs. Returns
/// null with a sentence in aclGetRecentErrMsg if the library cannot be loaded. The text exists
/// until the thread calls this again. Only the twin has this function; projects without prototype
/// files are built with it.
extern "C" TWIN_API const char* twinDescribeOperators(const char* library);

#endif  // TWIN_HOST_OP_DESCRIPTION_H
