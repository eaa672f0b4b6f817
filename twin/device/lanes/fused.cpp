// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/fused.h"

#include "device/lanes/select.h"

TWIN_LANES_SELECT(FusedTable, FusedLanes, BestFused)
