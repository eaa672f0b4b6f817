// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <list>
#include <mutex>

#include "core/core.h"
#include "device/tensor/global_tensor.h"
#include "device/tensor/operand.h"
#include "device/tensor/shape_info.h"

namespace twin {

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
    // Never freed: kernels use few different shapes, and their tensors may outlive the task.
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
    // It is made on both kinds of cores and used on one, so only its size is checked here.
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

}  // namespace twin
