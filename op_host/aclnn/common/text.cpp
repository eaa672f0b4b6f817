// SPDX-License-Identifier: Apache-2.0
#include "common/text.h"

#include <cstddef>

namespace ops {
namespace aclnn {
namespace {

template <typename Enum>
struct Name {
    Enum value;
    const char* text;
};

// Names of dtypes as NumPy and ml_dtypes spell them, because C++ and Python users both know these.
const Name<aclDataType> kDtypeNames[] = {
    {ACL_FLOAT, "float32"},
    {ACL_FLOAT16, "float16"},
    {ACL_BF16, "bfloat16"},
    {ACL_DOUBLE, "float64"},
    {ACL_INT4, "int4"},
    {ACL_INT8, "int8"},
    {ACL_INT16, "int16"},
    {ACL_INT32, "int32"},
    {ACL_INT64, "int64"},
    {ACL_UINT8, "uint8"},
    {ACL_UINT16, "uint16"},
    {ACL_UINT32, "uint32"},
    {ACL_UINT64, "uint64"},
    {ACL_BOOL, "bool"},
    {ACL_STRING, "string"},
    {ACL_COMPLEX64, "complex64"},
    {ACL_COMPLEX128, "complex128"},
};

const Name<aclFormat> kFormatNames[] = {
    {ACL_FORMAT_ND, "ND"},
    {ACL_FORMAT_NCHW, "NCHW"},
    {ACL_FORMAT_NHWC, "NHWC"},
    {ACL_FORMAT_HWCN, "HWCN"},
    {ACL_FORMAT_NDHWC, "NDHWC"},
    {ACL_FORMAT_NCDHW, "NCDHW"},
    {ACL_FORMAT_NC, "NC"},
    {ACL_FORMAT_NCL, "NCL"},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0"},
    {ACL_FORMAT_NC1HWC0_C04, "NC1HWC0_C04"},
    {ACL_FORMAT_NDC1HWC0, "NDC1HWC0"},
    {ACL_FORMAT_FRACTAL_Z, "FRACTAL_Z"},
    {ACL_FRACTAL_Z_3D, "FRACTAL_Z_3D"},
    {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
    {ACL_FORMAT_UNDEFINED, "UNDEFINED"},
};

template <typename Enum, size_t kCount>
std::string Find(const Name<Enum> (&names)[kCount], Enum value) {
    for (const Name<Enum>& name : names) {
        if (name.value == value) {
            return name.text;
        }
    }
    return "number " + std::to_string(static_cast<int>(value));
}

}  // namespace

std::string ListText(const std::vector<int64_t>& values) {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) {
        text += (i > 0 ? ", " : "") + std::to_string(values[i]);
    }
    return text + "]";
}

std::string DtypeText(aclDataType dtype) { return Find(kDtypeNames, dtype); }

std::string FormatText(aclFormat format) { return Find(kFormatNames, format); }

}  // namespace aclnn
}  // namespace ops
