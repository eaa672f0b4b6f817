// SPDX-License-Identifier: Apache-2.0
#include "core/unit_test.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/core.h"
#include "core/launch.h"
#include "host/error.h"
#include "host/launch_arguments.h"
#include "host/runtime.h"

namespace twin::host {
namespace {

using unit_test::Mode;

std::atomic<uint64_t> gTilingKey{0};
std::atomic<int32_t> gMode{static_cast<int32_t>(Mode::ByCode)};

/// Stores the text of a problem and returns its address; returns nullptr for an empty text.
const char* RememberProblem(std::string problem) {
    thread_local std::string last;
    last = std::move(problem);
    return last.empty() ? nullptr : last.c_str();
}

KernelKind KindOf(Mode mode) {
    switch (mode) {
        case Mode::OneAndTwo:
            return KernelKind::MixAic12;
        case Mode::OneAndOne:
            return KernelKind::MixAic11;
        case Mode::Cube:
            return KernelKind::AicOnly;
        case Mode::Vector:
            return KernelKind::AivOnly;
        default:
            return KernelKind::Unknown;
    }
}

/// Builds the KernelBinary of a kernel in the program. (Kernel libraries contain a KernelBinary.)
struct ProgramKernel {
    std::string name;
    std::string argNames;
    std::vector<KernelParameter> parameters;
    KernelBinary binary = {};

    explicit ProgramKernel(const unit_test::Request& request)
        : name(request.kernel), argNames("function") {
        constexpr uint32_t kWord = sizeof(void*);
        for (const std::string& argument : SpelledNames(request.arguments, request.count)) {
            argNames += ", " + argument;
        }
        for (uint32_t i = 0; i <= request.count; ++i) {
            parameters.push_back({i * kWord, kWord, i != 0});
        }
        binary = {CoreAbi(),
                  name.c_str(),
                  static_cast<uint32_t>(parameters.size()),
                  parameters.data(),
                  argNames.c_str(),
                  request.call,
                  CoreKind::Aiv,
                  -1,
                  nullptr};
    }
};

std::string Place(const unit_test::Request& request) {
    return std::string("\n  in ICPU_RUN_KF(") + request.kernel + ", ...) at " + request.file + ":" +
           std::to_string(request.line);
}

/// Returns true if CANNERY_ORACLE is 1. Throws std::invalid_argument unless it is 0, 1 or empty.
bool RepetitionsWanted() {
    const char* const text = std::getenv("CANNERY_ORACLE");
    const std::string value = text == nullptr ? "" : text;
    if (!value.empty() && value != "0" && value != "1") {
        throw std::invalid_argument("CANNERY_ORACLE=" + value + ": expected 0 or 1");
    }
    return value == "1";
}

std::string Run(const unit_test::Request& request) {
    if (SelfOrNull() != nullptr) {
        return "ICPU_RUN_KF: called inside a kernel, whose launch it would wait for; a kernel "
               "calls functions of its own\n  try: launch it from the test" +
               Place(request);
    }
    if (request.count + 1 > kMaxKernelArgs) {
        return "T602 wrong number of arguments: " + std::to_string(request.count) +
               ", expected at most " + std::to_string(kMaxKernelArgs - 1) + Place(request);
    }
    if (request.blocks < 1 || request.blocks > 65535) {
        return "T601 number of blocks is " + std::to_string(request.blocks) +
               ", expected 1 to 65535" + Place(request);
    }
    const auto kernel = std::make_shared<ProgramKernel>(request);
    LaunchSpec spec;
    const KernelKind kind = KindOf(static_cast<Mode>(gMode.load()));
    spec.image = KernelImage::OfProgram(&kernel->binary, kernel, kind);
    spec.coresMayMeet = kind != KernelKind::Unknown;
    spec.blockDim = static_cast<uint32_t>(request.blocks);
    spec.tilingKey = gTilingKey;
    spec.settings = Settings::FromEnvironment();
    spec.args.push_back(const_cast<void*>(request.function));
    spec.args.insert(spec.args.end(), request.pointers, request.pointers + request.count);
    NameArguments(&spec);
    const LaunchResult result = RepetitionsWanted() ? LaunchWithRepetitions(spec) : Launch(spec);
    return result.status == kLaunchOk ? "" : result.message + Place(request);
}

}  // namespace
}  // namespace twin::host

extern "C" {

void* twinTestAllocate(size_t bytes, const char** problem) {
    void* address = nullptr;
    *problem = nullptr;
    const int status = twin::host::Guard("GmAlloc", [&] {
        // As in the toolkit, memory of zero bytes has an address.
        address =
            twin::host::DeviceMemory::Instance().Allocate("GmAlloc", bytes == 0 ? 1 : bytes, 0);
    });
    if (status != 0) {
        *problem = twin::host::RememberProblem(twin::host::TakeSentence());
        return nullptr;
    }
    std::memset(address, 0, bytes);
    return address;
}

const char* twinTestFree(void* address) {
    if (address == nullptr) {
        return nullptr;
    }
    const int status = twin::host::Guard(
        "GmFree", [&] { twin::host::DeviceMemory::Instance().Free("GmFree", address); });
    return status == 0 ? nullptr : twin::host::RememberProblem(twin::host::TakeSentence());
}

const char* twinTestSetMode(int32_t mode) {
    if (mode < 0 || mode > static_cast<int32_t>(twin::unit_test::Mode::OneAndOne)) {
        return twin::host::RememberProblem(
            "SetKernelMode: mode is " + std::to_string(mode) +
            "; expected KernelMode::AIV_MODE, AIC_MODE, MIX_MODE or MIX_AIC_1_1");
    }
    twin::host::gMode = mode;
    return nullptr;
}

void twinTestSetTilingKey(uint64_t key) { twin::host::gTilingKey = key; }

const char* twinTestRun(const twin::unit_test::Request* request) {
    try {
        return twin::host::RememberProblem(twin::host::Run(*request));
    } catch (const std::exception& error) {
        return twin::host::RememberProblem(std::string("ICPU_RUN_KF: ") + error.what());
    }
}

}  // extern "C"
