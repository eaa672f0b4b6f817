// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cinttypes>
#include <string>

#include "host/error.h"
#include "tiling/template_argument.h"

namespace twin::host {
namespace {

constexpr uint64_t kReferenceBias = 100000000;  // smallest value of ASCENDC_TPL_INPUT(x)

bool IsArgument(const ParamStruct& param) {
    return param.paramType != ASCENDC_TPL_KERNEL_TYPE &&
           param.paramType != ASCENDC_TPL_DETERMINISTIC &&
           param.paramType != TWIN_TPL_TILING_STRUCT;
}

/// Appends to `values` all values that a parameter allows; a range gives each of its values.
/// Returns false if the parameter's list is malformed.
bool Spell(const ParamStruct& param, std::vector<uint64_t>* values) {
    const std::vector<uint64_t>& raw = param.vals;
    if (param.paramType != ASCENDC_TPL_UINT) {
        std::copy_if(raw.begin(), raw.end(), std::back_inserter(*values),
                     [](uint64_t value) { return value < kReferenceBias; });
        return !raw.empty();
    }
    if (raw.size() < 2 || raw[0] > ASCENDC_TPL_UI_MIX) {
        return false;
    }
    size_t list = 1;
    if (raw[0] != ASCENDC_TPL_UI_LIST) {
        list = 2 + 2 * raw[1];
        if (raw[1] > raw.size() || list > raw.size()) {
            return false;
        }
        for (size_t i = 2; i < list; i += 2) {
            for (uint64_t value = raw[i]; value <= raw[i + 1]; ++value) {
                values->push_back(value);
            }
        }
    }
    if (raw[0] != ASCENDC_TPL_UI_RANGE) {
        values->insert(values->end(), raw.begin() + list, raw.end());
    }
    return true;
}

uint64_t Malformed(const ParamStruct& param) {
    Fail(kAclnnTiling,
         "template tiling: ASCENDC_TPL_*_%s(%s, ...) lists no values, or not as its "
         "mode says",
         param.macroType, param.name);
    return INVALID_TILING_KEY;
}

bool Contains(const std::vector<uint64_t>& values, uint64_t value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

/// Returns true if `selection` allows `values`, that is, it lists each parameter's value.
bool Selects(const std::vector<ParamStruct>& selection, const TilingDeclareParams& declared,
             const std::vector<uint64_t>& values) {
    for (size_t i = 0; i < declared.size(); ++i) {
        const auto chosen =
            std::find_if(selection.begin(), selection.end(), [&](const ParamStruct& param) {
                return IsArgument(param) && std::string(param.name) == declared[i].name;
            });
        std::vector<uint64_t> list;
        if (chosen == selection.end() || !Spell(*chosen, &list) || !Contains(list, values[i])) {
            return false;
        }
    }
    return true;
}

std::string Text(const TilingDeclareParams& declared, const std::vector<uint64_t>& values) {
    std::string text;
    for (size_t i = 0; i < declared.size(); ++i) {
        text +=
            (i == 0 ? "" : ", ") + std::string(declared[i].name) + "=" + std::to_string(values[i]);
    }
    return text;
}

/// Packs the values into a tiling key; the first declared parameter gets the lowest bits.
uint64_t Pack(const TilingDeclareParams& declared, const std::vector<uint64_t>& values) {
    uint64_t key = 0;
    uint32_t shift = 0;
    for (size_t i = 0; i < declared.size(); ++i) {
        const ParamStruct& param = declared[i];
        uint64_t code = values[i];
        if (param.paramType == ASCENDC_TPL_UINT) {
            std::vector<uint64_t> list;
            if (!Spell(param, &list)) {
                return Malformed(param);
            }
            code = static_cast<uint64_t>(std::find(list.begin(), list.end(), code) - list.begin());
        }
        if (shift + param.bitWidth > 64 || (param.bitWidth < 64 && (code >> param.bitWidth) != 0)) {
            Fail(kAclnnTiling,
                 "template tiling: %s=%" PRIu64
                 " needs more than its %u bits, or the key more than "
                 "64",
                 param.name, values[i], param.bitWidth);
            return INVALID_TILING_KEY;
        }
        key |= code << shift;
        shift += param.bitWidth;
    }
    return key;
}

}  // namespace
}  // namespace twin::host

namespace AscendC {

uint64_t EncodeTilingKey(TilingDeclareParams declareParams, TilingSelectParams selectParamsVec,
                         std::vector<uint64_t> tilingParams) {
    using namespace twin::host;
    if (declareParams.size() != tilingParams.size()) {
        Fail(kAclnnTiling,
             "template tiling: GET_TPL_TILING_KEY got %zu values, ASCENDC_TPL_ARGS_DECL declares "
             "%zu",
             tilingParams.size(), declareParams.size());
        return INVALID_TILING_KEY;
    }
    const bool selected = std::any_of(selectParamsVec.begin(), selectParamsVec.end(),
                                      [&](const std::vector<ParamStruct>& selection) {
                                          return Selects(selection, declareParams, tilingParams);
                                      });
    if (!selected) {
        Fail(kAclnnTiling, "template tiling: no ASCENDC_TPL_ARGS_SEL has %s",
             Text(declareParams, tilingParams).c_str());
        return INVALID_TILING_KEY;
    }
    return Pack(declareParams, tilingParams);
}

}  // namespace AscendC
