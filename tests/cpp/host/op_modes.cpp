// SPDX-License-Identifier: Apache-2.0
// The build compiles this file with the macros of the toolkit's prototype and tiling libraries. The
// test passes if the operator below compiles.
#include "probe/host_probe_def.cpp"
