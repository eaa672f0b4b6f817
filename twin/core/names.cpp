// SPDX-License-Identifier: Apache-2.0
#include "core/instruction.h"
#include "core/opcodes.h"
#include "core/operand_names.h"
#include "core/types.h"

namespace twin {

const OpcodeRow kOpcodeRows[kOpcodes] = {
    {"", Pipe::S, OpcodeKind::Other},
#define TWIN_OPCODE(API, TEXT, PIPE, KIND) {TEXT, Pipe::PIPE, OpcodeKind::KIND},
#include "core/opcodes.def"
};

const char* Name(Arg operand) {
    static const char* const kNames[] = {"",
#define TWIN_TEXT(NAME, TEXT) TEXT,
                                         TWIN_OPERAND_NAMES(TWIN_TEXT)
#undef TWIN_TEXT
    };
    return kNames[static_cast<size_t>(operand)];
}

const char* Name(AtomicOp op) {
    static const char* const kNames[] = {"none", "add", "max", "min"};
    return kNames[static_cast<int>(op)];
}

const char* Name(Memory memory) {
    static const char* const kNames[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
    return kNames[static_cast<int>(memory)];
}

const char* Name(Pipe pipe) {
    static const char* const kNames[] = {"S",   "V", "M", "MTE1", "MTE2", "MTE3",
                                         "ALL", "?", "?", "?",    "FIX"};
    return kNames[static_cast<int>(pipe)];
}

const char* Name(CoreKind kind) { return kind == CoreKind::Aic ? "AIC" : "AIV"; }

const char* Name(Dtype dtype) {
    static const char* const kNames[kDtypeCount] = {
        "half",    "bfloat16_t", "float",   "int8_t",   "uint8_t", "int16_t", "uint16_t",
        "int32_t", "uint32_t",   "int64_t", "uint64_t", "int4b_t", "double",  "bool"};
    return kNames[static_cast<int>(dtype)];
}

uint32_t SizeOf(Dtype dtype) {
    static const uint32_t kSizes[kDtypeCount] = {2, 2, 4, 1, 1, 2, 2, 4, 4, 8, 8, 0, 8, 1};
    return kSizes[static_cast<int>(dtype)];
}

const char* Name(QueueEvent event) {
    static const char* const kNames[] = {"",      "AllocTensor", "EnQue",
                                         "DeQue", "FreeTensor",  "Destroy"};
    return kNames[static_cast<int>(event)];
}

const char* Name(Register which) {
    static const char* const kNames[kRegisters] = {
        "MASK",    "CTRL",      "CMPMASK",      "RSVD_CNT",  "ACC_VAL", "MAX_MIN_CNT",
        "VMS4_SR", "DEQSCALE",  "PADDING",      "ATOMIC",    "FMATRIX", "L3D_RPT",
        "FIXPIPE", "UNIT_FLAG", "SPARSE_INDEX", "DATA_CACHE"};
    return kNames[static_cast<int>(which)];
}

}  // namespace twin
