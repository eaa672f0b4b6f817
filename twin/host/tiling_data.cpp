// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "exe_graph/runtime/tiling_context.h"
#include "host/op_call.h"
#include "host/workbench/workbench.h"
#include "register/tilingdata_base.h"

namespace optiling {
namespace {

constexpr size_t kStructAlignment = 8;

}  // namespace

void TilingDef::Pad(const char* name, size_t alignment) {
    const size_t padding = (alignment - bytes_ % alignment) % alignment;
    if (padding == 0) {
        return;
    }
    fields_.push_back(FieldInfo{"uint8_t", std::string(name) + "PH", padding, nullptr, 0});
    places_.push_back(Place{bytes_, 1, nullptr, true});
    bytes_ += padding;
}

size_t TilingDef::AddField(const char* dtype, const char* name, size_t elementBytes, size_t count) {
    Pad(name, elementBytes);
    const size_t offset = bytes_;
    fields_.push_back(FieldInfo{dtype, name, count, nullptr, 0});
    places_.push_back(Place{offset, elementBytes, nullptr, false});
    bytes_ += elementBytes * std::max<size_t>(count, 1);
    return offset;
}

size_t TilingDef::AddStruct(const char* name, TilingDef* nested) {
    Pad(name, kStructAlignment);
    const size_t offset = bytes_;
    fields_.push_back(FieldInfo{"struct", name, 0, nested->className_, nested->bytes_});
    places_.push_back(Place{offset, nested->bytes_, nested, false});
    nested_.emplace_back(nested, offset);
    bytes_ += nested->bytes_;
    return offset;
}

void TilingDef::Finish(bool allocate) {
    Pad(className_, kStructAlignment);
    if (!allocate) {
        return;
    }
    own_.assign(bytes_ / kStructAlignment, 0);
    Bind(reinterpret_cast<uint8_t*>(own_.data()));
}

void TilingDef::Bind(uint8_t* data) {
    data_ = data;
    for (const auto& entry : nested_) {
        entry.first->Bind(data + entry.second);
    }
}

void TilingDef::SetDataPtr(void* data) {
    if (data == nullptr) {
        twin::host::SetRecentError("%s::SetDataPtr: dataPtr is null", className_);
        return;
    }
    bound_ = true;
    Bind(static_cast<uint8_t*>(data));
    twin::host::TilingNotes::Add(data, *this);
}

void TilingDef::SaveToBuffer(void* buffer, size_t capacity) {
    if (bound_) {
        return;
    }
    if (buffer == nullptr || capacity < bytes_) {
        twin::host::SetRecentError(
            "%s::SaveToBuffer: %s; the data takes %zu bytes and the buffer has %zu", className_,
            buffer == nullptr ? "the buffer is null" : "the buffer is too small", bytes_, capacity);
        return;
    }
    std::memcpy(buffer, data_, bytes_);
    twin::host::TilingNotes::Add(buffer, *this);
}

void TilingDef::SetArray(size_t offset, const void* values, size_t bytes) {
    if (data_ + offset != values) {
        std::memmove(data_ + offset, values, bytes);
    }
}

CTilingDataClassFactory& CTilingDataClassFactory::GetInstance() {
    static CTilingDataClassFactory* const factory = new CTilingDataClassFactory;
    return *factory;
}

void CTilingDataClassFactory::RegisterTilingData(const char* opType,
                                                 TilingDataConstructor constructor) {
    constructors_[opType] = constructor;
}

std::shared_ptr<TilingDef> CTilingDataClassFactory::CreateTilingDataInstance(const char* opType) {
    const auto found = constructors_.find(opType == nullptr ? "" : opType);
    return found == constructors_.end() ? nullptr : found->second();
}

}  // namespace optiling

namespace gert {

void NoteTilingStruct(const void* data, size_t bytes, const char* signature) {
    twin::host::TilingNotes::Add(data, bytes, signature);
}

}  // namespace gert
