// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/cast.h"

#include "device/lanes/select.h"

TWIN_LANES_SELECT(CastTable, CastLanes, BestCasts)
