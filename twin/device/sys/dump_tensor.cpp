// SPDX-License-Identifier: Apache-2.0
#include "device/sys/dump_tensor.h"

#include <cinttypes>
#include <string>

#include "device/sys/printf.h"
#include "device/sys/system.h"
#include "device/tensor/operand.h"

namespace twin {
namespace {

constexpr uint64_t kDumpLimit = 30 * 1024;  // bytes that the chip prints for one call

/// Elements of one dimension and the dimensions below it; `next` goes through the tensor.
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

void DumpLocal(const Operand& tensor, const DumpRequest& request, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint64_t bytes = uint64_t{request.count} * SizeOf(request.dtype);
    // The toolkit copies tensors in these three memories as they are and prints the copy.
    const Memory memory = MemoryOf(tensor.position);
    const bool known = memory == Memory::L1 || memory == Memory::L0c;
    const uint8_t* data = CheckLocalOperand(core, tensor, known ? memory : Memory::Ub, bytes,
                                            kBlockBytes, "DumpTensor", "tensor");
    Dump(request, data, tensor.address, known ? Name(memory) : "UB");
}

void DumpGlobal(const GmOperand& tensor, const DumpRequest& request, Location where) {
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
