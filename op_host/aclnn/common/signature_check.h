// SPDX-License-Identifier: Apache-2.0
#ifndef OP_HOST_ACLNN_COMMON_SIGNATURE_CHECK_H
#define OP_HOST_ACLNN_COMMON_SIGNATURE_CHECK_H

#include <cstddef>
#include <string>

#include "aclnn/acl_meta.h"

namespace ops {
namespace aclnn {

/// Statuses that the public aclnn functions return; acl_meta.h names only OK.
constexpr aclnnStatus kParamNullptr = 161001;
constexpr aclnnStatus kParamInvalid = 161002;
constexpr aclnnStatus kInnerTilingError = 561002;

/// Logs "<function>: <sentence>" as the text of aclGetRecentErrMsg, and returns `status`.
aclnnStatus Reject(aclnnStatus status, const char* function, const std::string& sentence);

struct NamedPointer {
    const char* name;
    const void* pointer;
};

/// An argument. If an optional argument is absent, `tensor` is null and fits every table row.
struct NamedTensor {
    const char* name;
    const aclTensor* tensor;
};

/// The dtypes and formats that an operator supports. A row has one dtype and format per tensor.
struct SignatureTable {
    const NamedTensor* tensors;
    size_t columns;
    const aclDataType* dtypes;
    const aclFormat* formats;
    size_t rows;
};

/// Returns OK, or reports the name of the first null pointer and returns kParamNullptr.
aclnnStatus CheckNotNull(const char* function, const NamedPointer* pointers, size_t count);

/// Returns kParamInvalid unless one row has the dtypes and formats of all tensors. ND in a row
/// stands for every format without a private memory layout, because frameworks label plain tensors
/// NCHW, NCL and so on.
aclnnStatus CheckSignature(const char* function, const SignatureTable& table);

template <size_t kColumns, size_t kRows>
aclnnStatus CheckSignature(const char* function, const NamedTensor (&tensors)[kColumns],
                           const aclDataType (&dtypes)[kRows][kColumns],
                           const aclFormat (&formats)[kRows][kColumns]) {
    const SignatureTable table = {tensors, kColumns, dtypes[0], formats[0], kRows};
    return CheckSignature(function, table);
}

}  // namespace aclnn
}  // namespace ops

#endif  // OP_HOST_ACLNN_COMMON_SIGNATURE_CHECK_H
