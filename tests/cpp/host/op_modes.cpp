// SPDX-License-Identifier: Apache-2.0
// The operator source of the tests, compiled like the toolkit's prototype and tiling libraries. The
// test is that it compiles.
#include "probe/host_probe_def.cpp"
