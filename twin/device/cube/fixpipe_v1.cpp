// SPDX-License-Identifier: Apache-2.0
#include "device/cube/fixpipe_v1.h"

namespace twin::cube {

void RefuseFixpipeV1(Location where) {
    Self().Begin(where);
    Fail("T455",
         "not modelled: Fixpipe with FixpipeParams, the form before FixpipeParamsV220\n  try: "
         "FixpipeParamsV220");
}

}  // namespace twin::cube
