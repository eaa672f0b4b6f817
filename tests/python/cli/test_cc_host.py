# SPDX-License-Identifier: Apache-2.0
"""Tests host code: tiling classes against plain tiling structs, and the bytes of new memory."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from .test_cc import cc

#: Each tiling function fills the class of op_host and the plain struct with the same bytes.
TILINGS = """
#include <cstdio>
#include <cstring>
#include <vector>
#include "acl/acl.h"
#include "tiling/tiling_api.h"
#include "tiling/platform/platform_ascendc.h"

template <class Plain, class Host, class Fill>
void Compare(const char* name, Fill fill) {
    Plain plain, copy;
    Host host;
    std::memset(&plain, 0xEE, sizeof(plain));
    fill(plain);
    fill(host);
    host.SaveToBuffer(&copy, sizeof(copy));
    bool any = false;
    for (size_t i = 0; i < sizeof(copy); ++i) {
        any |= reinterpret_cast<const char*>(&copy)[i] != 0;
    }
    const bool same = std::memcmp(&plain, &copy, sizeof(copy)) == 0;
    std::printf("%s %s\\n", name, any && same ? "same" : "differ");
}

int main() {
    const AscendC::TensorShape two(std::vector<int64_t>{32, 64});
    const AscendC::TensorShape four(std::vector<int64_t>{2, 8, 16, 64});
    Compare<AscendC::tiling::SoftMaxTiling, optiling::SoftMaxTiling>("softmax", [&](auto& tiling) {
        AscendC::SoftMaxTilingFunc(two, 4, 65536, tiling);
    });
    Compare<AscendC::tiling::SoftMaxTiling, optiling::SoftMaxTiling>("flash", [&](auto& tiling) {
        AscendC::SoftMaxFlashV2TilingFunc(two, 4, 4, 65536, tiling, true, true);
    });
    Compare<AscendC::tiling::LayerNormSeparateTiling, optiling::LayerNormSeparateTiling>(
        "layernorm", [&](auto& tiling) {
            AscendC::GetLayerNormNDTilingInfo(two, 65536, 4, false, true, tiling);
        });
    Compare<AscendC::tiling::PadTiling, optiling::PadTiling>("pad", [&](auto& tiling) {
        AscendC::PadTilingFunc(two, two, 65536, 4, tiling);
    });
    Compare<AscendC::tiling::RmsNormTiling, optiling::RmsNormTiling>("rmsnorm", [&](auto& tiling) {
        const AscendC::TensorShape three(std::vector<int64_t>{2, 8, 64});
        if (!AscendC::GetRmsNormTilingInfo(three, three, 65536, 4, tiling)) {
            std::printf("refused\\n");
        }
    });
    uint32_t most = 0, least = 0, newer = 0, same = 0;
    AscendC::GetSelectWithBytesMaskMaxMinTmpSize(two, two, 4, two, 1, false, most, least);
    AscendC::GetSelectMaxMinTmpSize(two, two, 4, two, 1, false, newer, same);
    std::printf("select %s\\n", most == newer && least == same && most > 0 ? "same" : "differ");
    AscendC::Mc2CcTilingConfig config("group", 8, "AllGather=level0:doublering");
    Mc2CcTiling cc;
    Mc2InitTiling init;
    std::printf("mc2 %u %u %u\\n", config.GetTiling(init), config.GetTiling(cc),
                config.SetGroupName(std::string(128, 'x')));
    return 0;
}
"""
MEMORY = """
#include <cstdint>
#include <cstdio>
#include "acl/acl.h"
int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    void* memory = nullptr;
    uint32_t word = 1;
    int status = aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST);
    if (status == 0) {
        aclrtMemcpy(&word, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST);
    }
    std::printf("%d %08x %s\\n", status, word, status == 0 ? "" : aclGetRecentErrMsg());
    return 0;
}
"""


def build(folder: Path, source: str) -> None:
    (folder / "main.cpp").write_text(source)
    done = cc(folder, "main.cpp", "-ltiling_api", "-lregister", "-lplatform", "-o", "program")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    build(folder, MEMORY)
    return folder / "program"


@pytest.mark.slow
def test_tilings_as_classes_and_as_plain_structs(tmp_path: Path) -> None:
    build(tmp_path, TILINGS)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    names = ("softmax", "flash", "layernorm", "pad", "rmsnorm", "select")
    assert done.stdout.splitlines() == [*(f"{name} same" for name in names), "mc2 0 0 1"]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "0 ffc0dead"),
        ("poison", "0 ffc0dead"),
        ("zero", "0 00000000"),
        ("none", 'CANNERY_MEMORY is "none", expected poison or zero'),
    ],
)
def test_what_fresh_device_memory_holds(memory: Path, value: str | None, says: str) -> None:
    env = {**os.environ, "CANNERY_MEMORY": value or ""}
    done = subprocess.run([memory], capture_output=True, text=True, check=True, env=env)
    assert says in done.stdout
