// SPDX-License-Identifier: Apache-2.0
#include "device/transpose/trans_data_config.h"
#include "tiling/library_scratch.h"

namespace AscendC {

bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                               const ge::Shape& dstShape, ge::DataType dataType,
                               const TransDataConfig& config, uint32_t& maxValue,
                               uint32_t& minValue) {
    using twin::transpose::Parts;
    const bool narrow = dataType == ge::DT_FLOAT16 || dataType == ge::DT_BF16 ||
                        dataType == ge::DT_INT16 || dataType == ge::DT_UINT16;
    if (!narrow || !twin::transpose::IsTransData(config)) {
        return false;
    }
    const bool split = config.srcFormat == DataFormat::NCDHW;
    const ge::Shape& ordinary = split ? srcShape : dstShape;
    const std::vector<int64_t> other = (split ? dstShape : srcShape).GetDims();
    if (ordinary.GetDimNum() != 5) {
        return false;
    }
    const auto axis = [&](size_t i) { return ordinary.GetDim(i); };
    const twin::transpose::Ncdhw s{axis(0), axis(1), axis(2), axis(3), axis(4)};
    const bool fractal = (split ? config.dstFormat : config.srcFormat) == DataFormat::FRACTAL_Z_3D;
    const std::vector<int64_t> expected =
        fractal ? std::vector<int64_t>{s.d, Parts(s.c), s.h, s.w, Parts(s.n), 16, 16}
                : std::vector<int64_t>{s.n, s.d, Parts(s.c), s.h, s.w, 16};
    if (other != expected) {
        return false;
    }
    maxValue = minValue = static_cast<uint32_t>(twin::transpose::TransDataScratch(config, s));
    return true;
}

}  // namespace AscendC
