// SPDX-License-Identifier: Apache-2.0
#ifndef REGISTER_OP_DEF_FACTORY_H
#define REGISTER_OP_DEF_FACTORY_H

#include "register/op_def.h"

namespace ops {

/// The function is called when the definition is first needed, not when its library is loaded.
using OpDefCreator = OpDef (*)(const char* name);

class OpDefFactory {
public:
    static int OpDefRegister(const char* name, OpDefCreator creator);
};

}  // namespace ops

#endif  // REGISTER_OP_DEF_FACTORY_H
