// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <memory>

#include "acl/acl.h"
#include "host/error.h"
#include "host/runtime.h"

using twin::host::Fail;
using twin::host::Guard;
using twin::host::Runtime;
using twin::host::Stream;

namespace {

int SynchronizeStream(const char* function, aclrtStream handle, int32_t timeout) {
    std::shared_ptr<Stream> stream;
    if (int status = Runtime::Instance().FindStream(function, handle, &stream)) {
        return status;
    }
    return twin::host::ReportStream(function, stream.get(), timeout);
}

}  // namespace

extern "C" {

aclError aclrtCreateStream(aclrtStream* stream) {
    return Guard("aclrtCreateStream",
                 [&] { return Runtime::Instance().CreateStream("aclrtCreateStream", stream); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
    return Guard("aclrtCreateStreamWithConfig", [&]() -> int {
        constexpr uint32_t kLowestPriority = 7;
        constexpr uint32_t kKnownFlags = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC;
        if (priority > kLowestPriority) {
            return Fail(ACL_ERROR_RT_PARAM_INVALID,
                        "aclrtCreateStreamWithConfig: priority is %" PRIu32
                        "; expected 0 (highest) to 7",
                        priority);
        }
        if ((flag & ~kKnownFlags) != 0) {
            return Fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                        "aclrtCreateStreamWithConfig: flag is 0x%" PRIx32
                        "; the twin knows ACL_STREAM_FAST_LAUNCH (1) "
                        "and ACL_STREAM_FAST_SYNC (2) only",
                        flag);
        }
        return Runtime::Instance().CreateStream("aclrtCreateStreamWithConfig", stream);
    });
}

aclError aclrtDestroyStream(aclrtStream stream) {
    return Guard("aclrtDestroyStream",
                 [&] { return Runtime::Instance().DestroyStream(stream, false); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return Guard("aclrtDestroyStreamForce",
                 [&] { return Runtime::Instance().DestroyStream(stream, true); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    return Guard("aclrtSynchronizeStream",
                 [&] { return SynchronizeStream("aclrtSynchronizeStream", stream, -1); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
    return Guard("aclrtSynchronizeStreamWithTimeout", [&] {
        return SynchronizeStream("aclrtSynchronizeStreamWithTimeout", stream, timeout);
    });
}

aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus* status) {
    return Guard("aclrtStreamQuery", [&]() -> int {
        if (status == nullptr) {
            return Fail(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery: status is null");
        }
        std::shared_ptr<Stream> stream;
        if (int code = Runtime::Instance().FindStream("aclrtStreamQuery", handle, &stream)) {
            return code;
        }
        *status = stream->Idle() ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
        return ACL_SUCCESS;
    });
}

aclError aclrtStreamAbort(aclrtStream handle) {
    return Guard("aclrtStreamAbort", [&]() -> int {
        std::shared_ptr<Stream> stream;
        if (int status = Runtime::Instance().FindStream("aclrtStreamAbort", handle, &stream)) {
            return status;
        }
        stream->Abort();
        return ACL_SUCCESS;
    });
}

}  // extern "C"
