// SPDX-License-Identifier: Apache-2.0
#include "device/sys/list_tensor.h"

#include <cinttypes>

namespace twin {
namespace {

constexpr uint64_t kWord = sizeof(uint64_t);
constexpr uint32_t kUnknown = 0xffffffff;

/// Checks that a word of the list is in GM and reads it. The read does not use the modelled data
/// cache, because lists are written before the launch.
uint64_t Word(Core& core, const uint64_t* base, uint64_t index) {
    const auto origin = reinterpret_cast<uintptr_t>(base);
    core.CheckGm(origin, origin + index * kWord, kWord, 0, false, "ListTensorDesc");
    return base[index];
}

void CheckIndex(const TensorList& list, uint32_t index) {
    if (index >= list.tensors) {
        Fail("T443", "no such tensor: index %u of a list of %u tensors%s", index, list.tensors,
             list.pointers == nullptr ? "\n  try: ListTensorDesc::Init first" : "");
    }
}

[[noreturn]] void RefuseList(const char* what, uint64_t got, uint64_t expected) {
    Fail("T443",
         "no tensor list: ListTensorDesc finds %s %" PRIu64 ", expected %" PRIu64
         "\n  try: pass the kernel's argument of the dynamic input, unchanged",
         what, got, expected);
}

/// Walks through the words of the tensors, which must end where the data pointers begin.
void CountTensors(Core& core, const uint64_t* words, uint64_t offset, TensorList* list) {
    const uint64_t entry = 1 + uint64_t{list->dimensions};
    if (list->dimensions == 0 && Word(core, words, 2) == kUnknown) {
        list->tensors = list->count;
        if (offset != 3 * kWord) {
            RefuseList("data pointers at byte", offset, 3 * kWord);
        }
        return;
    }
    uint64_t word = 1;
    for (; word < offset / kWord; ++list->tensors) {
        const auto rank = static_cast<uint32_t>(Word(core, words, word));
        list->sameRank = list->sameRank && rank == list->dimensions;
        word += 1 + uint64_t{rank};
    }
    const uint32_t expected = list->count == 1 ? list->tensors : list->count;
    if (offset != kWord * word || list->tensors != expected) {
        RefuseList("data pointers at byte", offset, kWord * (1 + expected * entry));
    }
}

}  // namespace

TensorList ReadTensorList(const void* data, uint32_t length, uint32_t shapeSize, Location where) {
    Core& core = Self();
    core.Begin(where);
    const auto* words = static_cast<const uint64_t*>(data);
    const uint64_t offset = Word(core, words, 0);
    const uint64_t first = Word(core, words, 1);
    TensorList list;
    list.shapes = words + 1;
    list.pointers = words + offset / kWord;
    list.dimensions = static_cast<uint32_t>(first);
    const uint64_t entry = list.dimensions == 0 ? 2 : 1 + uint64_t{list.dimensions};
    list.count = static_cast<uint32_t>(first >> 32);
    if (list.count ==
        0) {  // older layout: the index of the last tensor gives the number of tensors
        list.count = static_cast<uint32_t>(Word(core, words, offset / kWord - entry) >> 32) + 1;
    }
    CountTensors(core, words, offset, &list);
    if (length != kUnknown && shapeSize != kUnknown) {
        if (shapeSize != list.count) {
            RefuseList("a number of tensors of", list.count, shapeSize);
        }
        if (length != offset + list.count * kWord) {
            RefuseList("a length of", offset + list.count * kWord, length);
        }
    }
    return list;
}

void* TensorListPointer(const TensorList& list, uint32_t index, Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckIndex(list, index);
    return reinterpret_cast<void*>(Word(core, list.pointers, index));
}

void TensorListShape(const TensorList& list, uint32_t index, uint64_t* shape, Location where) {
    Core& core = Self();
    core.Begin(where);
    CheckIndex(list, index);
    if (list.dimensions == 0 || !list.sameRank || shape == nullptr) {
        Fail("T443", "no shape: GetDesc %s",
             shape == nullptr ? "needs TensorDesc::SetShapeAddr first"
             : !list.sameRank ? "on a list whose tensors differ in their number of dimensions"
                              : "on a list that carries data pointers only");
    }
    for (uint32_t i = 0; i < list.dimensions; ++i) {
        shape[i] = Word(core, list.shapes, index * (1 + uint64_t{list.dimensions}) + 1 + i);
    }
}

void RefuseDimension(uint32_t offset, uint64_t dimensions, Location where) {
    Self().Begin(where);
    Fail("T443",
         "no such dimension: TensorDesc::GetShape(%u) of a tensor of %" PRIu64 " dimensions",
         offset, dimensions);
}

}  // namespace twin
