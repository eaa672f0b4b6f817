// SPDX-License-Identifier: Apache-2.0
#ifndef REGISTER_OP_DEF_FACTORY_H
#define REGISTER_OP_DEF_FACTORY_H

#include "register/op_def.h"

namespace ops {

/// A plain function, because its address tells which library an operator came from.
using OpDefCreator = OpDef (*)(const char* name);

class OpDefFactory {
public:
    static int OpDefRegister(const char* name, OpDefCreator creator);
};

}  // namespace ops

#endif  // REGISTER_OP_DEF_FACTORY_H
