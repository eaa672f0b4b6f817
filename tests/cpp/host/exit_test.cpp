// SPDX-License-Identifier: Apache-2.0
// Ends the process while a stream runs a task. The process must neither hang nor crash.
#include <chrono>
#include <thread>

#include "acl_session.h"
#include "host/runtime.h"

int main() {
    // The object is never deleted, so that no destructor waits for the task.
    AclSession* const session = new AclSession;
    void* memory = nullptr;
    if (aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) {
        return 1;
    }
    twin::host::EnqueueOnStream("test", session->stream, [](const twin::host::CancelFlag& cancel) {
        while (!cancel->load()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return twin::LaunchResult();
    });
    for (int i = 0; i < 10; ++i) {
        if (aclrtMemsetAsync(memory, 1 << 20, i, 1 << 20, session->stream) != ACL_SUCCESS) {
            return 1;
        }
    }
    return 0;
}
