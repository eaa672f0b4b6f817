// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names of data types and formats for template tiling, with the numbers of ge::DataType and
// ge::Format.

enum TwinTemplateDataType {
    C_DT_FLOAT = 0,
    C_DT_FLOAT16 = 1,
    C_DT_INT8 = 2,
    C_DT_INT32 = 3,
    C_DT_UINT8 = 4,
    C_DT_INT16 = 6,
    C_DT_UINT16 = 7,
    C_DT_UINT32 = 8,
    C_DT_INT64 = 9,
    C_DT_UINT64 = 10,
    C_DT_DOUBLE = 11,
    C_DT_BOOL = 12,
    C_DT_BF16 = 27,
    C_DT_INT4 = 29
};

enum TwinTemplateFormat {
    C_FORMAT_NCHW = 0,
    C_FORMAT_NHWC = 1,
    C_FORMAT_ND = 2,
    C_FORMAT_NC1HWC0 = 3,
    C_FORMAT_FRACTAL_Z = 4,
    C_FORMAT_NC1HWC0_C04 = 12,
    C_FORMAT_FRACTAL_Z_C04 = 13,
    C_FORMAT_CHWN = 14,
    C_FORMAT_HWCN = 16,
    C_FORMAT_NDHWC = 27,
    C_FORMAT_FRACTAL_NZ = 29,
    C_FORMAT_NCDHW = 30,
    C_FORMAT_DHWCN = 31,
    C_FORMAT_NDC1HWC0 = 32,
    C_FORMAT_FRACTAL_Z_3D = 33,
    C_FORMAT_CN = 34,
    C_FORMAT_NC = 35,
    C_FORMAT_DHWNC = 36,
    C_FORMAT_NCL = 47
};
