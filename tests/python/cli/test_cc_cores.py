# SPDX-License-Identifier: Apache-2.0
"""Tests that `cannery cc` finds the kinds of core that a kernel runs on, if headers decide them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..processes import run_cannery

#: A header whose code depends on the kind of core, and declares names for one kind or the other.
HEADER = """#pragma once
#include "kernel_operator.h"
struct Marks {
    template <typename T>
    __aicore__ inline void operator()(__gm__ T* out) const {
#if defined(__DAV_CUBE__)
        const uint32_t place = 0;
#elif defined(__DAV_VEC__)
        const uint32_t place = 1 + AscendC::GetSubBlockIdx();
#endif
        AscendC::GlobalTensor<T> gm;
        gm.SetGlobalBuffer(out);
        gm.SetValue(place * 16, place + 5);
        AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::SINGLE_CACHE_LINE>(
            gm[place * 16]);
        if (place == 0) {
            AscendC::TPipe pipe;
            AscendC::TBuf<AscendC::TPosition::A1> l1;
            pipe.InitBuffer(l1, 512);
            AscendC::InitConstValue(l1.Get<half>(),
                                    AscendC::InitConstValueParams<half>(1, 16, 0, half(0)));
        }
    }
};
"""
MAIN = """#include <cstdio>
#include "acl/acl.h"
#include "marks.h"
template <class Operator>
__global__ __aicore__ void Run(Operator op, GM_ADDR out) { op((__gm__ int32_t*)out); }
int main() {
    aclrtStream stream = nullptr;
    int32_t host[48] = {};
    void* out = nullptr;
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&out, sizeof(host), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(out, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
    Run<Marks><<<1, nullptr, stream>>>(Marks(), (GM_ADDR)out);
    if (aclrtSynchronizeStream(stream) != 0) return 1;
    aclrtMemcpy(host, sizeof(host), out, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%d %d %d\\n", host[0], host[16], host[32]);
    return 0;
}
"""


@pytest.mark.slow
def test_a_header_with_code_for_each_kind_of_core(tmp_path: Path) -> None:
    (tmp_path / "marks.h").write_text(HEADER)
    (tmp_path / "main.cpp").write_text(MAIN)
    done = run_cannery("cc", "--run", "main.cpp", "-o", "main", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "5 6 7\n"
