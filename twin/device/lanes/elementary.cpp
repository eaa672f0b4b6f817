// SPDX-License-Identifier: Apache-2.0
#include "device/lanes/elementary.h"

#include "device/lanes/select.h"

TWIN_LANES_SELECT_UP_TO(ElementaryTable, ElementaryLanes, BestElementary, x86_64_v3)
