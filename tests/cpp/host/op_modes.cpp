// SPDX-License-Identifier: Apache-2.0
// Compiles the tests' operator as it is compiled for the toolkit's prototype and tiling libraries.
// The test is that it compiles.
#include "probe/host_probe_def.cpp"
