// SPDX-License-Identifier: Apache-2.0
// matmul_tiling SIZE CORES INPUT OUTPUT prints the 50 numbers of a square product's tiling.
#include <cstdio>
#include <cstdlib>

#include "tiling/tiling_api.h"

int main(int argc, char** argv) {
    if (argc != 5) {
        return 1;
    }
    const int32_t size = std::atoi(argv[1]);
    using namespace matmul_tiling;
    MultiCoreMatmulTiling tiling(
        *platform_ascendc::PlatformAscendCManager::GetInstance("Ascend910B2"));
    const auto input = static_cast<DataType>(std::atoi(argv[3]));
    const auto output = static_cast<DataType>(std::atoi(argv[4]));
    tiling.SetDim(std::atoi(argv[2]));
    tiling.SetAType(TPosition::GM, CubeFormat::ND, input);
    tiling.SetBType(TPosition::GM, CubeFormat::ND, input);
    tiling.SetCType(TPosition::GM, CubeFormat::ND, output);
    tiling.SetShape(size, size, size);
    tiling.SetOrgShape(size, size, size);
    TCubeTiling result;
    if (tiling.GetTiling(result) != 0) {
        return 1;
    }
    for (int32_t i = 0; i < 50; ++i) {
        std::printf("%d ", reinterpret_cast<int32_t*>(&result)[i]);
    }
    return 0;
}
