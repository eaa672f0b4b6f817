// SPDX-License-Identifier: Apache-2.0
#include "device/sys/system.h"

#include <chrono>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "core/core_output.h"
#include "core/formatted.h"
#include "core/launch_state.h"
#include "device/issue/issue.h"
#include "device/sys/dump_tensor.h"
#include "device/sys/format_text.h"
#include "device/sys/printf.h"
#include "device/sys/tiling.h"
#include "device/tensor/element_text.h"

namespace twin {
namespace {

/// Prints like printf. The text is formatted before PrintFromCore takes a lock, because formatting
/// crashes if the kernel passes an invalid pointer.
int PrintArguments(const char* format, va_list arguments) {
    std::string text;
    const int length = AppendFormatted(&text, format, arguments);
    if (length > 0) {
        PrintFromCore(text.data(), text.size());
    }
    return length;
}

}  // namespace
}  // namespace twin

// The linker (--wrap) makes kernels call these functions instead of the C library's. A call
// printf("text") selects the C library's printf, and compilers convert such a call to puts.
extern "C" {

TWIN_API int __wrap_printf(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = twin::PrintArguments(format, arguments);
    va_end(arguments);
    return length;
}

TWIN_API int __wrap_puts(const char* text) {
    const std::string line = std::string(text) + "\n";
    twin::PrintFromCore(line.data(), line.size());
    return 1;
}

TWIN_API int __wrap_putchar(int character) {
    const char one = static_cast<char>(character);
    twin::PrintFromCore(&one, 1);
    return static_cast<unsigned char>(one);
}

}  // extern "C"

namespace twin {

int64_t SystemCycle(Location where) {
    static const auto start = std::chrono::steady_clock::now();
    Self().Begin(where);
    constexpr int64_t kNanosecondsPerTick = 20;
    const auto passed = std::chrono::steady_clock::now() - start;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count() /
           kNanosecondsPerTick;
}

int64_t HostClock() { return std::clock(); }

void RaiseTrap(Location where) {
    Self().Begin(where);
    Fail("T441", "trap: the kernel called Trap(), which ends it with an exception");
}

uint8_t* SystemWorkspacePointer() {
    return reinterpret_cast<uint8_t*>(SystemWorkspace(Self().soc->systemWorkspaceBytes));
}

void TwinReadTiling(void* destination, const void* source, uint64_t bytes, Location where) {
    Issue issue(Opcode::GetTilingData, where);
    const auto address = reinterpret_cast<uintptr_t>(source);
    const uint8_t* from = issue.ReadGm(Arg::Src, GmOperand(address, address), Runs{bytes});
    issue.core().gmReadBytes -= bytes;  // the totals are those of the operands
    issue.Work(1, (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
    std::memcpy(destination, from, bytes);
    issue.Done();
}

void TwinCheckTiling(const void* source, uint64_t bytes, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto address = reinterpret_cast<uintptr_t>(source);
    core.CheckGm(address, address, bytes, 0, false, "GET_TILING_DATA_PTR_WITH_STRUCT");
}

void TwinPreloadInstructions(int64_t length, Location where) {
    constexpr int64_t kUnits = 8;  // size of a vector core's instruction cache, in units of 2 KiB
    Issue issue(Opcode::ICachePreLoad, where);
    if (issue.core().strict && (length < 0 || length >= kUnits)) {
        Fail("T402",
             "length out of range: ICachePreLoad(%" PRId64 "), expected 0 to %" PRId64
             " units of 2 KiB (the instruction cache has 16 KiB)",
             length, kUnits - 1);
    }
    issue.Work(1, static_cast<uint64_t>(std::max<int64_t>(0, length)));
    issue.Done();
}

void PrintFormatted(const char* format, PrintValues values) {
    const std::string text = FormattedText(format, values);
    PrintFromCore(text.data(), text.size());
}

void AssertionFailed(const char* condition, Location where, const char* format,
                     PrintValues values) {
    constexpr size_t kMostCondition = 512;
    constexpr size_t kMostText = 1024;
    char told[kMostCondition + kMostText + 128];
    {  // Fail leaves this function without destructors, so no string may exist then.
        const std::string message = FormattedText(format, values);
        if (SelfOrNull() == nullptr) {
            std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.%s%s\n", where.file, where.line,
                         where.function, condition, message.empty() ? "" : " ", message.c_str());
            std::abort();
        }
        std::snprintf(told, sizeof(told), "%s%s%s", CutText(condition, kMostCondition).c_str(),
                      message.empty() ? "" : ", ", CutText(message, kMostText).c_str());
    }
    Self().Begin(where);
    Fail("T442", "assertion failed: %s", told);
}

void PrintLog(const char* level, Location where, const char* format, PrintValues values) {
    const std::string message = FormattedText(format, values);
    const Core& core = Self();
    Print("[%s][Block_%u][%s_%u][%s:%u][%s] %s\n", level, core.blockIdx, Name(core.kind),
          core.subBlockIdx, where.file, where.line, where.function, message.c_str());
}

namespace {

constexpr uint64_t kDumpLimit = 30 * 1024;  // most bytes that the chip prints for one call

/// Writes the elements of `dimension` and of all later dimensions; `next` counts the elements.
void Write(std::string& text, const DumpRequest& request, const uint8_t* data, uint32_t dimension,
           uint64_t* next) {
    text += '[';
    for (uint32_t i = 0; i < request.shape[dimension]; ++i) {
        text += i == 0 ? "" : (dimension + 1 == request.dimensions ? ", " : ",\n");
        if (dimension + 1 < request.dimensions) {
            Write(text, request, data, dimension + 1, next);
            continue;
        }
        text += *next < request.count
                    ? ElementText(request.dtype, data + *next * SizeOf(request.dtype))
                    : "-";
        ++*next;
    }
    text += ']';
}

void Dump(DumpRequest request, const uint8_t* data, uint64_t address, const char* position) {
    char head[160];
    std::snprintf(head, sizeof(head),
                  "DumpTensor: desc=%u, addr=0x%" PRIx64
                  ", data_type=%s, position=%s, dump_size=%u\n",
                  request.description, address, Name(request.dtype), position, request.count);
    std::string text = head;
    const uint64_t bytes = uint64_t{request.count} * SizeOf(request.dtype);
    if (bytes > kDumpLimit) {
        text += "(" + std::to_string(bytes) + " B are more than the " + std::to_string(kDumpLimit) +
                " B that one call prints)";
    } else {
        if (request.dimensions == 0) {
            request.shape = &request.count;
            request.dimensions = 1;
        }
        uint64_t next = 0;
        Write(text, request, data, 0, &next);
    }
    Print("%s\n", text.c_str());
}

}  // namespace

void DumpElements(const Operand& tensor, const DumpRequest& request, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint64_t bytes = uint64_t{request.count} * SizeOf(request.dtype);
    // The toolkit can print tensors in UB, L1 and L0C. Elements come in the order of addresses.
    const Memory memory = MemoryOf(tensor.position);
    const bool known = memory == Memory::L1 || memory == Memory::L0c;
    const uint8_t* data = CheckLocalOperand(core, tensor, known ? memory : Memory::Ub, bytes,
                                            kBlockBytes, "DumpTensor", "tensor");
    Dump(request, data, tensor.address, known ? Name(memory) : "UB");
}

void DumpElements(const GmOperand& tensor, const DumpRequest& request, Location where) {
    Core& core = Self();
    core.Begin(where);
    core.CheckGm(tensor.origin, tensor.address, uint64_t{request.count} * SizeOf(request.dtype), 0,
                 false, "DumpTensor");
    Dump(request, reinterpret_cast<const uint8_t*>(tensor.address),
         core.DeviceAddress(tensor.address), "GM");
}

void PrintTimeStampLine(uint32_t description, Location where) {
    Print("descId is %u, rsv is 0, timeStamp is %lld, pcPtr is %lld\n", description,
          static_cast<long long>(SystemCycle(where)), 0LL);
}

}  // namespace twin
