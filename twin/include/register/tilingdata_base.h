// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef TWIN_KERNEL_NAME  // a kernel that includes its operator's tiling header
#include "device/sys/tiling_def.h"
#else
#include <securec.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace optiling {

/// One member of a tiling struct, in memory order, including padding (uint8_t arrays).
struct FieldInfo {
    const char* dtype_;  ///< C type; "struct" for a nested struct
    std::string name_;
    size_t arrSize_;          ///< number of elements; 0 for a scalar or a struct
    const char* structType_;  ///< class of a nested struct, else nullptr
    size_t structSize_;       ///< bytes of a nested struct, else 0
};

/// Base of the classes that BEGIN_TILING_DATA_DEF defines. Members have the layout of a C struct:
/// each is aligned to its own size. A nested struct and the total size are aligned to 8 bytes.
class TilingDef {
public:
    TilingDef(const TilingDef&) = delete;
    TilingDef& operator=(const TilingDef&) = delete;

    /// Copies the data to `buffer`; does nothing if SetDataPtr has already bound the data to
    /// memory.
    void SaveToBuffer(void* buffer, size_t capacity);
    size_t GetDataSize() const { return bytes_; }
    const char* GetTilingClassName() const { return className_; }
    std::vector<FieldInfo> GetFieldInfo() const { return fields_; }
    /// Binds the members to `data`, which must have room for GetDataSize() bytes.
    void SetDataPtr(void* data);

protected:
    explicit TilingDef(const char* className) : className_(className) {}
    ~TilingDef() = default;

    /// Adds a member of `count` elements (0: a scalar) and returns its offset.
    size_t AddField(const char* dtype, const char* name, size_t elementBytes, size_t count);
    /// Adds a nested struct, which is always bound together with this one; returns its offset.
    size_t AddStruct(const char* name, TilingDef* nested);
    /// Ends the layout; if `allocate` is true, the members get their own memory.
    void Finish(bool allocate);
    void SetArray(size_t offset, const void* values, size_t bytes);

    template <typename T>
    T* Member(size_t offset) const {
        return reinterpret_cast<T*>(data_ + offset);
    }

private:
    /// Position of a member. FieldInfo does not contain it; users add up the sizes instead.
    struct Place {
        size_t offset;
        size_t elementBytes;
        const TilingDef* nested;
        bool padding;
    };
    friend class TilingDefText;

    void Pad(const char* name, size_t alignment);
    void Bind(uint8_t* data);

    const char* className_;
    std::vector<FieldInfo> fields_;
    std::vector<Place> places_;  ///< position of each member in `fields_`
    std::vector<std::pair<TilingDef*, size_t> > nested_;
    std::vector<uint64_t> own_;
    uint8_t* data_ = nullptr;
    size_t bytes_ = 0;
    bool bound_ = false;
};

using TilingDataConstructor = std::shared_ptr<TilingDef> (*)();

/// Creates tiling classes by the name of the operator in REGISTER_TILING_DATA_CLASS.
class CTilingDataClassFactory {
public:
    static CTilingDataClassFactory& GetInstance();
    void RegisterTilingData(const char* opType, TilingDataConstructor constructor);
    /// Creates the tiling class of an operator; returns nullptr for an unknown operator.
    std::shared_ptr<TilingDef> CreateTilingDataInstance(const char* opType);

private:
    std::map<std::string, TilingDataConstructor> constructors_;
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                                    \
    class class_name : public optiling::TilingDef {                          \
    public:                                                                  \
        class_name() : optiling::TilingDef(#class_name) { Finish(true); }    \
        explicit class_name(void* data) : optiling::TilingDef(#class_name) { \
            Finish(false);                                                   \
            if (data != nullptr) {                                           \
                SetDataPtr(data);                                            \
            }                                                                \
        }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                             \
public:                                                                                          \
    void set_##field_name(data_type value) { *Member<data_type>(field_name##_offset_) = value; } \
    data_type get_##field_name() const { return *Member<data_type>(field_name##_offset_); }      \
                                                                                                 \
private:                                                                                         \
    size_t field_name##_offset_ = AddField(#data_type, #field_name, sizeof(data_type), 0);

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                         \
public:                                                                                   \
    void set_##field_name(const arr_type* values) {                                       \
        SetArray(field_name##_offset_, values, (arr_size) * sizeof(arr_type));            \
    }                                                                                     \
    arr_type* get_##field_name() const { return Member<arr_type>(field_name##_offset_); } \
                                                                                          \
private:                                                                                  \
    size_t field_name##_offset_ = AddField(#arr_type, #field_name, sizeof(arr_type), arr_size);

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) \
public:                                                       \
    struct_type field_name{nullptr};                          \
                                                              \
private:                                                      \
    size_t field_name##_offset_ = AddStruct(#field_name, &field_name);

#define END_TILING_DATA_DEF \
    }                       \
    ;

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                            \
    namespace {                                                                                    \
    struct op_type##class_name##Helper {                                                           \
        op_type##class_name##Helper() {                                                            \
            optiling::CTilingDataClassFactory::GetInstance().RegisterTilingData(#op_type, Create); \
        }                                                                                          \
        static std::shared_ptr<optiling::TilingDef> Create() {                                     \
            return std::make_shared<class_name>();                                                 \
        }                                                                                          \
    };                                                                                             \
    op_type##class_name##Helper g_tilingdata_##op_type##class_name##helper;                        \
    }

#endif  // TWIN_KERNEL_NAME
