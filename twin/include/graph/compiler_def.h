// SPDX-License-Identifier: Apache-2.0
#ifndef GRAPH_COMPILER_DEF_H
#define GRAPH_COMPILER_DEF_H

#define VAR_UNUSED __attribute__((unused))

#endif  // GRAPH_COMPILER_DEF_H
