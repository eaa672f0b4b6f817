// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/fractal.h"

#include "device/lanes/select.h"

TWIN_LANES_SELECT(FractalTable, FractalLanes, BestFractal)
