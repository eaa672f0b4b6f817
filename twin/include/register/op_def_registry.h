// SPDX-License-Identifier: Apache-2.0
#ifndef REGISTER_OP_DEF_REGISTRY_H
#define REGISTER_OP_DEF_REGISTRY_H

#include "register/op_def.h"
#include "register/op_def_factory.h"
#include "register/op_impl_registry.h"

// The toolkit compiles the same source three times: for the prototype library (OP_PROTO_LIB), for
// the tiling library (OP_TILING_LIB), and for the tool that reads the definitions. Here OP_ADD does
// the same in all three.
#define OP_ADD(opType, ...)                                           \
    static int g_##opType##_added = ops::OpDefFactory::OpDefRegister( \
        #opType, [](const char* name) -> ops::OpDef { return opType(name); })

#endif  // REGISTER_OP_DEF_REGISTRY_H
