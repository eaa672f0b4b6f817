// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/library/tmp.h"
#include "device/transpose/trans_data_config.h"
#include "device/types/layout.h"
#include "device/vec/shapes.h"

namespace twin::transpose {

TWIN_API void RunTransData(Dtype dtype, const Operand& dst, const Operand& src,
                           const AscendC::TransDataConfig& config, const Ncdhw& shape,
                           const advanced::Tmp& tmp, Location where);

/// Returns the number of axes of a format of TransData.
constexpr size_t AxesOf(AscendC::DataFormat format) {
    return format == AscendC::DataFormat::NCDHW ? 5
                                                : (format == AscendC::DataFormat::NDC1HWC0 ? 6 : 7);
}

template <typename Shape>
constexpr Ncdhw ShapeOfNcdhw(const Shape& shape) {
    return {static_cast<int64_t>(std::get<0>(shape)), static_cast<int64_t>(std::get<1>(shape)),
            static_cast<int64_t>(std::get<2>(shape)), static_cast<int64_t>(std::get<3>(shape)),
            static_cast<int64_t>(std::get<4>(shape))};
}

}  // namespace twin::transpose

namespace AscendC {

template <typename T, typename U>
struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

/// Converts 16-bit elements from NCDHW to NDC1HWC0 or FRACTAL_Z_3D, or back. In NCDHW, H * W
/// elements are padded to a multiple of 32 B. Newer than CANN 8.1.
#define TWIN_TRANS_DATA(TMP, tmp)                                                           \
    template <const TransDataConfig& config, typename T, typename U, typename S>            \
    inline void TransData(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, \
                          TMP(const) const TransDataParams<U, S>& params, TWIN_HERE) {      \
        TWIN_REFUSE_DTYPE(TransData, T, half, bfloat16_t, int16_t, uint16_t);               \
        static_assert(::twin::transpose::IsTransData(config),                               \
                      "TransData: NCDHW to or from NDC1HWC0 or FRACTAL_Z_3D");              \
        const auto& srcShape = params.srcLayout.GetShape();                                 \
        const auto& dstShape = params.dstLayout.GetShape();                                 \
        static_assert(std::tuple_size_v<std::decay_t<decltype(srcShape)>> ==                \
                              ::twin::transpose::AxesOf(config.srcFormat) &&                \
                          std::tuple_size_v<std::decay_t<decltype(dstShape)>> ==            \
                              ::twin::transpose::AxesOf(config.dstFormat),                  \
                      "TransData: the layouts have as many axes as their formats");         \
        const auto& shape = std::get < config.srcFormat == DataFormat::NCDHW                \
                                ? 0                                                         \
                                : 1 > (std::tie(srcShape, dstShape));                       \
        ::twin::transpose::RunTransData(::twin::kDtypeOf<T>, dstTensor, srcTensor, config,  \
                                        ::twin::transpose::ShapeOfNcdhw(shape), tmp, here); \
    }
TWIN_TMP_FORMS(TWIN_TRANS_DATA)

}  // namespace AscendC
