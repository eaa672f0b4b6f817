// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/rows.h"

#include "device/lanes/select.h"

TWIN_LANES_SELECT(RowTable, RowLanes, BestRows)
