// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/matrix.h"

#include "device/lanes/select.h"

TWIN_LANES_SELECT(MatrixFloatTable, MatrixFloatLanes, BestMatrixFloat)
TWIN_LANES_SELECT(MatrixIntTable, MatrixIntLanes, BestMatrixInt)
