// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_WORKBENCH_WORKBENCH_H
#define TWIN_HOST_WORKBENCH_WORKBENCH_H

#include "core/export.h"

// Host tiling without a call, for cannery.tiling and related functions. Texts are JSON; a returned
// text exists until the thread calls again; null means a failure, whose sentence is in
// aclGetRecentErrMsg. Only the twin has these functions; no toolkit does.
extern "C" {

/// What a library of op_host registers (op null), or one operator of a library or a package folder:
/// see host/workbench/host_operator.h.
TWIN_API const char* twinDescribeHost(const char* place, const char* op);

/// The tiling of an operator. Request: {"place", "op", "soc", "inputs" and "outputs": [{"shape",
/// "dtype", "format", "values": address or 0} or null], "attrs": [[type, value] or null],
/// "deterministic"}; outputs null: inferred. Answer: {"status", "message", "outputs": [[shape,
/// dtype] or null]} and after success {"row", "key", "block_dim", "schedule_mode", "workspaces",
/// "forms": [[offset, bytes, number of a class or signature with a struct]], "data": hexadecimal}.
TWIN_API const char* twinTiling(const char* request);

/// The fields of a tiling class by its number in an answer (host/workbench/tiling_notes.h).
TWIN_API const char* twinTilingForm(int form);

/// A tiling of Matmul, and of the advanced API (host/workbench/library_tiling.h describes request
/// and answer).
TWIN_API const char* twinMatmulTiling(const char* request);
TWIN_API const char* twinLibraryTiling(const char* request);

/// A chip: {"name", "vector_cores", "cube_cores", "ub_bytes", ...}, with the sizes that tiling
/// sees.
TWIN_API const char* twinChip(const char* soc);
}

#endif  // TWIN_HOST_WORKBENCH_WORKBENCH_H
