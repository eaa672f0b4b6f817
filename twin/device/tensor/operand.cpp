// SPDX-License-Identifier: Apache-2.0
#include "device/tensor/operand.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <list>
#include <mutex>
#include <string>

#include "core/core.h"
#include "core/core_output.h"
#include "core/data_cache.h"
#include "core/memory_map.h"
#include "device/issue/issue.h"
#include "device/tensor/global_tensor.h"
#include "device/types/half.h"

namespace twin {
namespace {

/// Returns `where`, or the location of the previous call if a tensor operator passed no location.
Location PlaceOf(Location where) { return where.line == 0 ? Self().where : where; }

/// Records a scalar access to GM. The access is aligned, so it is inside one data cache line.
void NoteScalar(Issue& issue, const GmOperand& operand, uint32_t bytes, bool write,
                const char* api) {
    issue.Called(api);
    issue.Work(0, 1);
    issue.NoteGm(Arg::Element, operand, Runs(bytes), write, bytes);
    issue.Reads(Register::DataCache);
    issue.Writes(Register::DataCache);
}

record::GmScalar ScalarOf(const void* value, uint32_t bytes) {
    record::GmScalar scalar;
    std::memcpy(&scalar.value, value, std::min<size_t>(bytes, sizeof(scalar.value)));
    return scalar;
}

const void* ReadScalar(const GmOperand& operand, uint32_t bytes, const char* api, bool preload,
                       Location where) {
    Issue issue(Opcode::GetValue, PlaceOf(where));
    Core& core = issue.core();
    NoteScalar(issue, operand, bytes, false, api);
    core.NotePoll(operand.address, bytes);
    const GmRange& range = *core.FindRange(operand.origin);
    const uint8_t* const value = core.state->cache.Read(range, operand.address, bytes);
    record::GmScalar scalar = ScalarOf(value, bytes);
    scalar.preload = preload;
    issue.Is(scalar);
    issue.Done();
    return value;
}

template <typename T>
T Load(const uint8_t* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

std::string Real(double value) {
    char text[352];
    std::snprintf(text, sizeof(text), "%f", value);
    return text;
}

}  // namespace

void* LocalScalar(const Operand& operand, uint32_t bytes, bool write, Opcode opcode, Location where,
                  ElementType type) {
    Issue issue({opcode, Pipe::S}, PlaceOf(where));
    issue.Work(0, 1);
    if (bytes > 1 && type.Known()) {  // a single byte may belong to a mask or a larger element
        issue.core().ComputesWith(type.Value());
    }
    // The scalar unit can access UB and L1, and no other local memory.
    const Memory memory = MemoryOf(operand.position) == Memory::L1 ? Memory::L1 : Memory::Ub;
    void* place = CheckLocalOperand(issue.core(), operand, memory, bytes, bytes, issue.api(),
                                    Name(Arg::Element));
    issue.Note(Arg::Element, memory, operand.address, Runs(bytes), write);
    issue.Done();
    return place;
}

void* LocalPointer(const Operand& operand) {
    const Memory memory = MemoryOf(operand.position);
    if (memory == Memory::Gm) {
        RequireMemory(operand, Memory::Ub, "GetPhyAddr", "tensor");
    }
    uint8_t* const start = Self().memory[static_cast<size_t>(memory)];
    // On a core without this memory, returns null: the kernel perhaps never uses the pointer.
    return start == nullptr ? nullptr : start + operand.address;
}

const void* GmScalar(const GmOperand& operand, uint32_t bytes, const char* api, Location where) {
    return ReadScalar(operand, bytes, api, false, where);
}

void GmPreload(const GmOperand& operand, Location where) {
    ReadScalar(operand, 1, "DataCachePreload", true, where);
}

void GmScalarWrite(const GmOperand& operand, const void* value, uint32_t bytes, const char* api,
                   Location where) {
    Issue issue(Opcode::SetValue, PlaceOf(where));
    NoteScalar(issue, operand, bytes, true, api);
    Core& core = issue.core();
    issue.Is(ScalarOf(value, bytes));
    issue.Done();
    core.state->cache.Write(*core.FindRange(operand.origin), operand.address, value, bytes);
}

void CleanDataCache(const GmOperand& operand, bool entire, Location where) {
    Issue issue(entire ? Opcode::DcciAll : Opcode::DcciLine, where);
    Core& core = issue.core();
    record::CacheClean clean;
    if (entire) {
        core.state->cache.CleanAndInvalidateAll();
    } else {
        clean.line = core.DeviceAddress(operand.address);
        core.state->cache.CleanAndInvalidate(operand.address);
    }
    issue.Is(clean);
    issue.Writes(Register::DataCache);
    issue.Done();
}

void RefuseView(const Operand& operand, uint64_t offsetBytes, Location where) {
    if (Self().strict) {
        Self().Begin(where);
        const Memory memory = MemoryOf(operand.position);
        Fail("T107",
             "tensor too small: a view starts %" PRIu64 " B into a tensor of %u B at %s+0x%x%s%s",
             offsetBytes, operand.bytes, Name(memory), operand.address,
             memory == Memory::Gm
                 ? ""
                 : DrawAccess(Self(), memory, operand.address, offsetBytes + 1, operand.bytes).text,
             "\n  try: check the element offset given to operator[]");
    }
}

void RefuseOffset(int64_t number, Location where) {
    if (Self().strict) {
        Self().Begin(where);
        Fail("T107",
             "tensor too small: a view starts at element %" PRId64
             ", and operator[] takes 32 bits "
             "without a sign%s",
             number, "\n  try: check the element offset given to operator[]");
    }
}

void RefuseOddView(uint32_t offset, Location where) {
    Self().Begin(where);
    Fail("T414", "int4b_t in pairs: a view starts at element %u, in the middle of a byte%s", offset,
         "\n  try: an even element offset");
}

AscendC::TPosition PositionAt(const void* pointer) {
    using AscendC::TPosition;
    const Core& core = Self();
    for (const TPosition position : {TPosition::VECCALC, TPosition::A1, TPosition::CO1}) {
        const auto memory = static_cast<size_t>(MemoryOf(static_cast<uint8_t>(position)));
        const auto* const begin = core.memory[memory];
        const auto* const byte = static_cast<const uint8_t*>(pointer);
        if (begin != nullptr && byte >= begin && byte < begin + core.memoryBytes[memory]) {
            return position;
        }
    }
    return TPosition::GM;
}

Operand LocalAt(const void* pointer, const char* api, Location where) {
    return LocalAt(pointer, AscendC::TPosition::VECCALC, api, where);
}

Operand LocalAt(const void* pointer, AscendC::TPosition position, const char* api, Location where) {
    Core& core = Self();
    core.Begin(where);
    Operand place = UbPlace(0, 0);
    place.position = static_cast<uint8_t>(position);
    const Memory memory = MemoryOf(place.position);
    const uint64_t size =
        memory == Memory::Ub ? core.UbBytes() : core.memoryBytes[static_cast<size_t>(memory)];
    const uint64_t offset = reinterpret_cast<uintptr_t>(pointer) -
                            reinterpret_cast<uintptr_t>(core.memory[static_cast<size_t>(memory)]);
    if (offset >= size) {
        Fail("T103",
             "address outside %s: %s is given a pointer that is not into the %llu B of it that "
             "this core has\n  try: GetPhyAddr() of a local tensor",
             memory == Memory::Ub ? "the unified buffer" : Name(memory), api,
             static_cast<unsigned long long>(size));
    }
    place.address = static_cast<uint32_t>(offset);
    place.bytes = static_cast<uint32_t>(size - offset);
    return place;
}

void RefuseShape(uint32_t shapeDim, uint32_t originalShapeDim, Location where) {
    Self().Begin(where);
    Fail("T444", "too many dimensions: ShapeInfo of %u and %u dimensions, expected at most %d",
         shapeDim, originalShapeDim, kMaxShapeDim);
}

const AscendC::ShapeInfo* KeepShape(const AscendC::ShapeInfo& shape) {
    const auto same = [&shape](const AscendC::ShapeInfo& kept) {
        return kept.shapeDim == shape.shapeDim && kept.originalShapeDim == shape.originalShapeDim &&
               kept.dataFormat == shape.dataFormat &&
               std::equal(shape.shape, shape.shape + shape.shapeDim, kept.shape) &&
               std::equal(shape.originalShape, shape.originalShape + shape.originalShapeDim,
                          kept.originalShape);
    };
    // The list is never freed: kernels use few shapes, and tensors may outlive the kernel.
    static auto* const shapes = new std::list<AscendC::ShapeInfo>;
    static auto* const mutex = new std::mutex;
    const std::lock_guard<std::mutex> lock(*mutex);
    auto found = std::find_if(shapes->begin(), shapes->end(), same);
    return found != shapes->end() ? &*found : &shapes->emplace_back(shape);
}

void CheckStaticTensor(const Operand& operand, Location where) {
    Core& core = Self();
    core.Begin(where);
    const Memory memory = MemoryOf(operand.position);
    if (memory == Memory::Gm) {
        RequireMemory(operand, Memory::Ub, "LocalTensor", "tensor");
    }
    if (operand.bytes == 0) {
        Fail("T108", "empty buffer: LocalTensor of 0 elements at %s+0x%x, expected at least one",
             Name(memory), operand.address);
    }
    // A kernel may make the tensor on both kinds of cores but use it on one kind. So this
    // function checks address and size, but not whether this kind of core has the memory.
    core.CheckFit(memory, operand.address, operand.bytes, kBlockBytes, "LocalTensor", "tensor");
}

void RegisterStaticTensor(const Operand& operand) {
    Core& core = Self();
    core.AddBuffer(BufferRecord{MemoryOf(operand.position),
                                operand.address,
                                operand.bytes,
                                core.nextQueue++,
                                0,
                                "LocalTensor",
                                {}});
}

std::string ElementText(Dtype dtype, const uint8_t* from) {
    switch (dtype) {
        case Dtype::F16:
            return Real(static_cast<float>(Load<half>(from)));
        case Dtype::Bf16:
            return Real(static_cast<float>(Load<bfloat16_t>(from)));
        case Dtype::F32:
            return Real(Load<float>(from));
        case Dtype::F64:
            return Real(Load<double>(from));
        case Dtype::I8:
            return std::to_string(Load<int8_t>(from));
        case Dtype::I16:
            return std::to_string(Load<int16_t>(from));
        case Dtype::U16:
            return std::to_string(Load<uint16_t>(from));
        case Dtype::I32:
            return std::to_string(Load<int32_t>(from));
        case Dtype::U32:
            return std::to_string(Load<uint32_t>(from));
        case Dtype::I64:
            return std::to_string(Load<int64_t>(from));
        case Dtype::U64:
            return std::to_string(Load<uint64_t>(from));
        default:
            return std::to_string(*from);
    }
}

void PrintTensor(const Operand& operand, uint32_t count, Dtype dtype, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint32_t size = SizeOf(dtype);
    if (size == 0) {
        Fail("T404", "no elements of their own: LocalTensor<%s>::Print", Name(dtype));
    }
    const uint8_t* data = CheckLocalOperand(core, operand, Memory::Ub, uint64_t{count} * size, size,
                                            "LocalTensor::Print", "tensor");
    const uint32_t perLine = kBlockBytes / size;
    std::string text;
    for (uint32_t i = 0; i < count; ++i) {
        if (i % perLine == 0) {
            char number[16];
            std::snprintf(number, sizeof(number), "%04u : ", i);
            text += (i == 0 ? "" : "\n") + std::string(number);
        }
        text += ElementText(dtype, data + uint64_t{i} * size) + " ";
    }
    text += '\n';
    PrintFromCore(text.data(), text.size());
}

int32_t WriteTensor(const Operand& operand, const char* file, Location where) {
    Core& core = Self();
    core.Begin(where);
    const uint8_t* data = CheckLocalOperand(core, operand, Memory::Ub, operand.bytes, 1,
                                            "LocalTensor::ToFile", "tensor");
    std::FILE* stream = std::fopen(file, "wb");
    if (stream == nullptr) {
        return -1;
    }
    const size_t written = std::fwrite(data, 1, operand.bytes, stream);
    return std::fclose(stream) == 0 && written == operand.bytes ? 0 : -1;
}

}  // namespace twin
