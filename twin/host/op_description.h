// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_DESCRIPTION_H
#define TWIN_HOST_OP_DESCRIPTION_H

#include <string>

#include "core/export.h"
#include "host/op_model.h"

namespace twin::host {

/// One operator as below; empty without a definition.
std::string OperatorText(const std::string& type, const OpModel* model);

}  // namespace twin::host

/// The operators that a library of op_host registers with OP_ADD, as JSON: a list of objects with
/// type, defect (why the twin cannot use the definition), socs, inputs, outputs and attrs. Null
/// when the library cannot be loaded; the sentence then is in aclGetRecentErrMsg. The text lives
/// until the thread asks again. The twin's own: projects without prototype files are built by it.
extern "C" TWIN_API const char* twinDescribeOperators(const char* library);

#endif  // TWIN_HOST_OP_DESCRIPTION_H
