// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace twin {

class Core;

/// Prints what a kernel has done to its process, and the kernel's last Ascend C call. Uses neither
/// locks nor the heap, so that signal handlers may call it.
void SayProcessEnds(const Core& core, const char* what);

/// Watches for kernels that end or copy their process in code that the twin's linker flags do not
/// reach, such as another library. Call it before kernels run; later calls do nothing.
void WatchProcessCalls();

}  // namespace twin
