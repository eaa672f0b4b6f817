// SPDX-License-Identifier: Apache-2.0
#ifndef REGISTER_OP_DEF_REGISTRY_H
#define REGISTER_OP_DEF_REGISTRY_H

#include "register/op_def.h"
#include "register/op_def_factory.h"

// The toolkit compiles the same source three times: for the graph's prototype library, for the
// tiling library, and for the tool that reads the definitions. Each time OP_ADD registers what that
// library is for.
#if defined(OP_PROTO_LIB)

#define OP_ADD(opType, ...)                                \
    static int g_##opType##_added = [](const char* name) { \
        opType op(name);                                   \
        gert::OpImplRegisterV2(name)                       \
            .InferShape(op.GetInferShape())                \
            .InferDataType(op.GetInferDataType());         \
        return 0;                                          \
    }(#opType)

#elif defined(OP_TILING_LIB)

#define OP_ADD(opType, ...)                                           \
    static int g_##opType##_added = [](const char* name) {            \
        opType op(name);                                              \
        gert::OpImplRegisterV2(name).Tiling(op.AICore().GetTiling()); \
        return 0;                                                     \
    }(#opType)

#else

#define OP_ADD(opType, ...)                                           \
    static int g_##opType##_added = ops::OpDefFactory::OpDefRegister( \
        #opType, [](const char* name) -> ops::OpDef { return opType(name); })

#endif

#endif  // REGISTER_OP_DEF_REGISTRY_H
