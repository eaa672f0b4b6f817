// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/quant.h"

#include "device/lanes/select.h"

TWIN_LANES_SELECT(QuantTable, QuantLanes, BestQuant)
