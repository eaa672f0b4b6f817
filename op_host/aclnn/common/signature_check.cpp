// SPDX-License-Identifier: Apache-2.0
#include "common/signature_check.h"

#include <algorithm>
#include <vector>

#include "common/text.h"

namespace ops {
namespace aclnn {
namespace {

struct TensorKind {
    bool present;
    aclDataType dtype;
    aclFormat format;
};

bool IsPlain(aclFormat format) {
    switch (format) {
        case ACL_FORMAT_ND:
        case ACL_FORMAT_NCHW:
        case ACL_FORMAT_NHWC:
        case ACL_FORMAT_HWCN:
        case ACL_FORMAT_NDHWC:
        case ACL_FORMAT_NCDHW:
        case ACL_FORMAT_NC:
        case ACL_FORMAT_NCL:
            return true;
        default:
            return false;
    }
}

/// Returns true if the formats are equal or both plain. Plain formats only name axes differently.
bool FormatFits(aclFormat given, aclFormat expected) {
    return given == expected || (IsPlain(expected) && IsPlain(given));
}

/// Compares a call's tensors with the rows of an operator's table of supported types.
class Matcher {
public:
    Matcher(const SignatureTable& table, std::vector<TensorKind> given)
        : table_(table), given_(std::move(given)) {}

    bool AnyRowFits() const {
        for (size_t row = 0; row < table_.rows; ++row) {
            if (RowFits(row)) {
                return true;
            }
        }
        return false;
    }

    /// Returns why no row fits: names the first tensor that fits no row, or else lists all types.
    std::string Explain() const {
        for (size_t column = 0; column < table_.columns; ++column) {
            if (given_[column].present && !FitsSomewhere(column, &Matcher::FormatFitsAt)) {
                return Name(column) + " has format " + FormatText(given_[column].format) +
                       "; expected " + Choices(column, &Matcher::FormatAt);
            }
        }
        for (size_t column = 0; column < table_.columns; ++column) {
            if (given_[column].present && !FitsSomewhere(column, &Matcher::DtypeFitsAt)) {
                return Name(column) + " has dtype " + DtypeText(given_[column].dtype) +
                       "; expected " + Choices(column, &Matcher::DtypeAt);
            }
        }
        return ExplainCombination();
    }

private:
    using Test = bool (Matcher::*)(size_t row, size_t column) const;
    using Text = std::string (Matcher::*)(size_t row, size_t column) const;

    size_t Cell(size_t row, size_t column) const { return row * table_.columns + column; }
    std::string Name(size_t column) const { return table_.tensors[column].name; }

    bool DtypeFitsAt(size_t row, size_t column) const {
        return given_[column].dtype == table_.dtypes[Cell(row, column)];
    }
    bool FormatFitsAt(size_t row, size_t column) const {
        return FormatFits(given_[column].format, table_.formats[Cell(row, column)]);
    }
    std::string DtypeAt(size_t row, size_t column) const {
        return DtypeText(table_.dtypes[Cell(row, column)]);
    }
    std::string FormatAt(size_t row, size_t column) const {
        return FormatText(table_.formats[Cell(row, column)]);
    }

    bool RowFits(size_t row) const {
        for (size_t column = 0; column < table_.columns; ++column) {
            if (given_[column].present &&
                !(DtypeFitsAt(row, column) && FormatFitsAt(row, column))) {
                return false;
            }
        }
        return true;
    }

    bool FitsSomewhere(size_t column, Test fits) const {
        for (size_t row = 0; row < table_.rows; ++row) {
            if ((this->*fits)(row, column)) {
                return true;
            }
        }
        return false;
    }

    /// Returns the different entries of a table column, such as "float16, bfloat16 or float32".
    std::string Choices(size_t column, Text text) const {
        std::vector<std::string> choices;
        for (size_t row = 0; row < table_.rows; ++row) {
            const std::string choice = (this->*text)(row, column);
            if (std::find(choices.begin(), choices.end(), choice) == choices.end()) {
                choices.push_back(choice);
            }
        }
        std::string joined = choices[0];
        for (size_t i = 1; i < choices.size(); ++i) {
            joined += (i + 1 < choices.size() ? ", " : " or ") + choices[i];
        }
        return joined;
    }

    /// Returns a text such as "float16", or "int8 FRACTAL_NZ" if the format is no plain one.
    static std::string KindText(aclDataType dtype, aclFormat format) {
        return DtypeText(dtype) + (IsPlain(format) ? "" : " " + FormatText(format));
    }

    std::string GivenText() const {
        std::string text;
        for (size_t column = 0; column < table_.columns; ++column) {
            const TensorKind& kind = given_[column];
            if (kind.present) {
                text += (text.empty() ? "" : ", ") + Name(column) + " " +
                        KindText(kind.dtype, kind.format);
            }
        }
        return text;
    }

    std::string RowText(size_t row) const {
        std::string text = "(";
        for (size_t column = 0; column < table_.columns; ++column) {
            const size_t cell = Cell(row, column);
            text += (column == 0 ? "" : ", ") + KindText(table_.dtypes[cell], table_.formats[cell]);
        }
        return text + ")";
    }

    std::string ExplainCombination() const {
        std::string text =
            "these dtypes do not go together: " + GivenText() + "; expected one of the rows ";
        for (size_t row = 0; row < table_.rows; ++row) {
            text += (row == 0 ? "" : ", ") + RowText(row);
        }
        return text;
    }

    const SignatureTable& table_;
    std::vector<TensorKind> given_;
};

}  // namespace

aclnnStatus Reject(aclnnStatus status, const char* function, const std::string& sentence) {
    aclAppLog(ACL_ERROR, function, __FILE__, __LINE__, "%s: %s", function, sentence.c_str());
    return status;
}

aclnnStatus CheckNotNull(const char* function, const NamedPointer* pointers, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (pointers[i].pointer == nullptr) {
            return Reject(kParamNullptr, function,
                          std::string(pointers[i].name) + " is a null pointer; it is required");
        }
    }
    return OK;
}

aclnnStatus CheckSignature(const char* function, const SignatureTable& table) {
    std::vector<TensorKind> given(table.columns);
    for (size_t column = 0; column < table.columns; ++column) {
        const aclTensor* tensor = table.tensors[column].tensor;
        TensorKind& kind = given[column];
        kind.present = tensor != nullptr;
        if (kind.present && (aclGetDataType(tensor, &kind.dtype) != OK ||
                             aclGetFormat(tensor, &kind.format) != OK)) {
            return Reject(kParamInvalid, function,
                          std::string(table.tensors[column].name) +
                              " is no tensor that aclCreateTensor made; create it so");
        }
    }
    const Matcher matcher(table, std::move(given));
    return matcher.AnyRowFits() ? OK : Reject(kParamInvalid, function, matcher.Explain());
}

}  // namespace aclnn
}  // namespace ops
