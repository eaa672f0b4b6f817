// SPDX-License-Identifier: Apache-2.0
// The operator source of the tests once more, as the toolkit's prototype and tiling libraries
// compile it. That it compiles is the test.
#include "probe/host_probe_def.cpp"
