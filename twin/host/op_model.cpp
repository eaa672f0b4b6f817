// SPDX-License-Identifier: Apache-2.0
#include "host/op_model.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "host/error.h"
#include "host/op_registrations.h"

namespace twin::host {
namespace {

/// Returns a list of `total` entries: each entry of `list` `run` times, and all of them in turn.
template <typename List>
List InTurn(const List& list, size_t run, size_t total) {
    List result;
    result.reserve(total);
    for (size_t i = 0; i < total; ++i) {
        result.push_back(list[i / run % list.size()]);
    }
    return result;
}

/// Appends a row of other parameters to the rows of `params`.
void Append(std::vector<ParamModel>* params, const std::vector<ParamModel>& others, size_t row) {
    for (size_t i = 0; i < params->size(); ++i) {
        (*params)[i].dataTypes.push_back(others[i].dataTypes[row]);
        (*params)[i].formats.push_back(others[i].formats[row]);
    }
}

/// Returns true for the short name of a chip that the twin has.
bool IsTwins(const std::string& shortName) {
    for (size_t i = 0; i < SocCount(); ++i) {
        if (shortName == SocAt(i).shortName) {
            return true;
        }
    }
    return false;
}

}  // namespace

void OpModel::RequireSoc(const SocInfo& soc) const {
    if (socs.count(soc.shortName) == 0) {
        const std::string known = Joined(socs);
        Refuse(kAclnnInvalid, "%s: the chip is %s (%s); the operator's definition has %s",
               type.c_str(), soc.name, soc.shortName,
               known.empty() ? "no AddConfig at all" : known.c_str());
    }
}

const ops::ScalarVar* ParamModel::InitValue(ge::DataType dataType) const {
    if (initValues.size() == 1) {
        return initValues.data();
    }
    for (size_t i = 0; i < initValues.size(); ++i) {
        if (initTypes[i] == dataType) {
            return &initValues[i];
        }
    }
    return nullptr;
}

ParamModel OpModel::FromParam(const ops::OpParamDef& param) {
    const ops::OpParamDefImpl& from = *param.impl_;
    ParamModel model;
    model.name = from.name;
    model.type = from.type;
    model.dataTypes = from.dataTypes;
    model.formats = from.formats;
    model.valueDepend = from.valueDepend;
    model.scalar = from.scalar;
    model.scalarType = from.scalarType;
    model.scalarLike = from.scalarLike;
    model.initValues = from.initValues;
    model.initTypes = from.dataTypes;
    model.autoContiguous = from.autoContiguous;
    model.ignoreContiguous = from.ignoreContiguous;
    model.everyDataType = from.everyDataType;
    model.everyFormat = from.everyFormat;
    model.follows = from.follows;
    return model;
}

void OpModel::CheckParam(const ops::OpParamDef& param) {
    const ops::OpParamDefImpl& from = *param.impl_;
    std::string call = from.unmodelled;
    if (call.empty() && from.type == ops::VIRTUAL) {
        call = "ParamType(VIRTUAL)";
    }
    const size_t values = from.initValues.size();
    if (call.empty() && values > 0 && from.type == ops::DYNAMIC) {
        call = "InitValue for a list of tensors";
    } else if (call.empty() && values > 1 && values != from.dataTypes.size()) {
        call = "InitValue with " + std::to_string(values) + " values for " +
               std::to_string(from.dataTypes.size()) + " dtypes";
    }
    if (!call.empty() && defect.empty()) {
        defect = "parameter " + from.name + " of the definition uses " + call +
                 ", which the twin does not model";
    }
}

/// Adds the parameters of the definition. A parameter of the SoC's own configuration replaces the
/// one with its name, or comes behind the others.
void OpModel::CollectParams(const ops::OpDef& definition, const ops::OpAICoreConfig* special) {
    const auto collect = [this](std::vector<ParamModel>* params,
                                const std::deque<ops::OpParamDef>& general,
                                const std::deque<ops::OpParamDef>* own) {
        std::vector<const ops::OpParamDef*> chosen;
        chosen.reserve(general.size());
        for (const ops::OpParamDef& param : general) {
            chosen.push_back(&param);
        }
        for (size_t i = 0; own != nullptr && i < own->size(); ++i) {
            const auto same = [&](const ops::OpParamDef* param) {
                return param->impl_->name == (*own)[i].impl_->name;
            };
            const auto found = std::find_if(chosen.begin(), chosen.end(), same);
            if (found == chosen.end()) {
                chosen.push_back(&(*own)[i]);
            } else {
                *found = &(*own)[i];
            }
        }
        for (const ops::OpParamDef* param : chosen) {
            CheckParam(*param);
            params->push_back(FromParam(*param));
        }
    };
    collect(&inputs, definition.impl_->inputs, special ? &special->impl_->inputs : nullptr);
    collect(&outputs, definition.impl_->outputs, special ? &special->impl_->outputs : nullptr);
}

void OpModel::CollectAttrs(const ops::OpDef& definition) {
    for (const ops::OpAttrDef& attr : definition.impl_->attrs) {
        attrs.push_back({attr.impl_->name, attr.impl_->required, attr.impl_->value});
    }
    for (const auto& config : definition.impl_->aiCore.impl_->configs) {
        socs.insert(config.first);
        extended[config.first] = config.second.impl_->extended;
    }
}

/// Replaces each list of types or formats that go with all others (DataTypeList, FormatList) by a
/// list with an entry for each row. Of such lists, the last one changes fastest.
void OpModel::ExpandLists() {
    size_t plain = 0;         // number of rows without these lists
    size_t combinations = 1;  // number of rows that take the place of each of these rows
    const auto count = [&](size_t size, bool every) {
        if (every && size != 0) {
            combinations *= size;
        } else if (plain == 0) {
            plain = size;
        }
    };
    size_t inner = 1;
    const auto expand = [&](auto* list, bool every) {
        if (list->empty()) {
            return;
        }
        const size_t size = list->size();
        inner /= every ? size : 1;
        *list = InTurn(*list, every ? inner : combinations,
                       (every ? std::max<size_t>(plain, 1) : size) * combinations);
    };
    for (const std::vector<ParamModel>* params : {&inputs, &outputs}) {
        for (const ParamModel& param : *params) {
            count(param.dataTypes.size(), param.everyDataType);
            count(param.formats.size(), param.everyFormat);
        }
    }
    inner = combinations;
    for (std::vector<ParamModel>* params : {&inputs, &outputs}) {
        for (ParamModel& param : *params) {
            expand(&param.dataTypes, param.everyDataType);
            expand(&param.formats, param.everyFormat);
        }
    }
}

/// Gives a parameter with Follow the types and formats of the input that it follows.
void OpModel::FollowInputs() {
    for (std::vector<ParamModel>* params : {&inputs, &outputs}) {
        for (ParamModel& param : *params) {
            for (const ParamModel& input : inputs) {
                if (input.name != param.follows) {
                    continue;
                }
                if (param.dataTypes.empty()) {
                    param.dataTypes = input.dataTypes;
                }
                if (param.formats.empty()) {
                    param.formats = input.formats;
                }
            }
        }
    }
}

/// Sets `rows`, the length that all lists of dtypes and formats must have. Default format: ND.
void OpModel::ResolveRows() {
    for (std::vector<ParamModel>* params : {&inputs, &outputs}) {
        for (ParamModel& param : *params) {
            if (rows == 0) {
                rows = param.dataTypes.size();
            }
            if (param.formats.empty()) {
                param.formats.assign(param.dataTypes.size(), ge::FORMAT_ND);
            }
            const bool even = param.dataTypes.size() == rows && param.formats.size() == rows;
            if (even || !defect.empty()) {
                continue;
            }
            defect = "parameter " + param.name + " has " + std::to_string(param.dataTypes.size()) +
                     " dtypes and " + std::to_string(param.formats.size()) +
                     " formats, others have " + std::to_string(rows) +
                     "; give every list the same length";
        }
    }
}

OpModel OpModel::WithParams(const ops::OpDef& definition, const ops::OpAICoreConfig* special) {
    OpModel model;
    model.CollectParams(definition, special);
    model.ExpandLists();
    model.FollowInputs();
    model.ResolveRows();
    return model;
}

/// Adds the rows that the definition has for another SoC. Refuses other differences.
void OpModel::AddRowsOf(const OpModel& other, const std::string& soc) {
    const auto withoutRows = [](OpModel model) {
        for (std::vector<ParamModel>* params : {&model.inputs, &model.outputs}) {
            for (ParamModel& param : *params) {
                param.dataTypes.clear();
                param.formats.clear();
            }
        }
        return model.ParamsText();
    };
    if (!defect.empty() || !other.defect.empty()) {
        defect = defect.empty() ? other.defect : defect;
        return;
    }
    if (withoutRows(*this) != withoutRows(other)) {
        defect = "the definition has other parameters for " + soc + " than for " +
                 *rowSocs[0].begin() +
                 ", apart from dtypes and formats; the twin takes one "
                 "definition for both";
        return;
    }
    for (size_t from = 0; from < other.rows; ++from) {
        size_t to = 0;
        while (to < rows && !SameRow(to, other, from)) {
            ++to;
        }
        if (to == rows) {
            Append(&inputs, other.inputs, from);
            Append(&outputs, other.outputs, from);
            rowSocs.resize(++rows);
        }
        rowSocs[to].insert(soc);
    }
}

bool OpModel::SameRow(size_t row, const OpModel& other, size_t otherRow) const {
    const auto same = [&](const std::vector<ParamModel>& own, const std::vector<ParamModel>& its) {
        for (size_t i = 0; i < own.size(); ++i) {
            if (own[i].dataTypes[row] != its[i].dataTypes[otherRow] ||
                own[i].formats[row] != its[i].formats[otherRow]) {
                return false;
            }
        }
        return true;
    };
    return same(inputs, other.inputs) && same(outputs, other.outputs);
}

bool OpModel::HasRow(size_t row, const SocInfo& soc) const {
    return rowSocs.empty() || rowSocs[row].count(soc.shortName) != 0;
}

/// Returns the model of the operator on the twin's chips. What the definition says about other
/// chips alone has no effect.
OpModel OpModel::FromDefinition(const ops::OpDef& definition) {
    OpModel model = WithParams(definition, nullptr);
    for (const auto& config : definition.impl_->aiCore.impl_->configs) {
        if (!IsTwins(config.first)) {
            continue;
        }
        OpModel own = WithParams(definition, &config.second);
        if (model.rowSocs.empty()) {
            model = std::move(own);
            model.rowSocs.assign(std::max<size_t>(model.rows, 1), {config.first});
        } else {
            model.AddRowsOf(own, config.first);
        }
    }
    model.type = definition.impl_->type;
    if (definition.impl_->communicates && model.defect.empty()) {
        model.defect =
            "the definition uses MC2, for communication between devices, which the "
            "twin does not model";
    }
    model.functions.tiling = definition.impl_->aiCore.impl_->tiling;
    model.launchEmpty = definition.impl_->aiCore.impl_->launchEmpty;
    model.functions.inferShape = definition.impl_->inferShape;
    model.functions.inferDataType = definition.impl_->inferDataType;
    model.CollectAttrs(definition);
    return model;
}

}  // namespace twin::host
