// SPDX-License-Identifier: Apache-2.0
#pragma once

// Template tiling in op_host (C++11). The declarations become tables, from which GET_TPL_TILING_KEY
// computes a key.
#include <cstdint>
#include <utility>
#include <vector>

constexpr uint32_t ASCENDC_TPL_KERNEL_TYPE = 4;
constexpr uint32_t ASCENDC_TPL_DETERMINISTIC = 5;
constexpr uint32_t ASCENDC_TPL_SHARED_KERNEL_TYPE = 6;
constexpr uint32_t TWIN_TPL_TILING_STRUCT = 7;
constexpr uint64_t INVALID_TILING_KEY = 0xFFFFFFFFFFFFFFFF;

struct ParamStruct {
    const char* name;
    uint32_t paramType;
    uint8_t bitWidth;
    std::vector<uint64_t> vals;
    const char* macroType;
    ParamStruct(const char* inName, uint32_t inParamType, uint8_t inBitWidth,
                std::vector<uint64_t> inVals, const char* inMacroType)
        : name(inName),
          paramType(inParamType),
          bitWidth(inBitWidth),
          vals(std::move(inVals)),
          macroType(inMacroType) {}
};
using TilingDeclareParams = std::vector<ParamStruct>;
using TilingSelectParams = std::vector<std::vector<ParamStruct>>;

#define TWIN_TPL_PARAM(name, type, bits, macro, ...) \
    ParamStruct { name, type, bits, {__VA_ARGS__}, macro }

#define ASCENDC_TPL_DTYPE_DECL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_FORMAT, ASCENDC_TPL_8_BW, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bw, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_UINT, bw, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_BOOL, ASCENDC_TPL_1_BW, "DECL", __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_SHARED_KERNEL_TYPE, ASCENDC_TPL_8_BW, "DECL", __VA_ARGS__)

#define ASCENDC_TPL_DTYPE_SEL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_FORMAT, ASCENDC_TPL_8_BW, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...) TWIN_TPL_PARAM(#x, ASCENDC_TPL_UINT, 0, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_BOOL, ASCENDC_TPL_1_BW, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) \
    TWIN_TPL_PARAM("kernel_type", ASCENDC_TPL_KERNEL_TYPE, ASCENDC_TPL_8_BW, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) \
    TWIN_TPL_PARAM("deterministic", ASCENDC_TPL_DETERMINISTIC, ASCENDC_TPL_1_BW, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) \
    TWIN_TPL_PARAM(#x, ASCENDC_TPL_SHARED_KERNEL_TYPE, ASCENDC_TPL_8_BW, "SEL", __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) \
    TWIN_TPL_PARAM(#__VA_ARGS__, TWIN_TPL_TILING_STRUCT, 0, "SEL", 0)

#define ASCENDC_TPL_ARGS_DECL(x, ...) \
    static TilingDeclareParams g_tilingDeclareParams { __VA_ARGS__ }
#define ASCENDC_TPL_ARGS_SEL(...) {__VA_ARGS__}
#define ASCENDC_TPL_SEL(...) \
    static TilingSelectParams g_tilingSelectParams { __VA_ARGS__ }

namespace AscendC {

/// Returns the tiling key of a combination of values in declaration order. Without a matching
/// selection, returns INVALID_TILING_KEY, and aclGetRecentErrMsg returns the reason.
__attribute__((visibility("default"))) uint64_t EncodeTilingKey(TilingDeclareParams declareParams,
                                                                TilingSelectParams selectParamsVec,
                                                                std::vector<uint64_t> tilingParams);

}  // namespace AscendC

#define GET_TPL_TILING_KEY(...) \
    AscendC::EncodeTilingKey(g_tilingDeclareParams, g_tilingSelectParams, {__VA_ARGS__})

#define ASCENDC_TPL_SEL_PARAM(context, ...)                       \
    do {                                                          \
        (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__)); \
    } while (0)
