// SPDX-License-Identifier: Apache-2.0
#pragma once

// Interprets a kernel's ASCENDC_TPL_* declarations at compile time. The result is the list of the
// kernel's template instances, each with the tiling key that selects it.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace twin::tiling {

enum class TwinKind {
    TwinDtype,
    TwinFormat,
    TwinUint,
    TwinBool,
    TwinKernelType,
    TwinSharedKernelType,
    TwinDeterministic,
    TwinStruct
};

/// A declared template parameter, or the values of one template parameter in a selection.
struct TwinField {
    const char* name;
    TwinKind kind;
    uint32_t bits;  ///< number of bits in the tiling key; 0 in selections
    std::initializer_list<uint64_t> values;
};

/// An ASCENDC_TPL_ARGS_SEL. Every combination of its values is a template instance.
struct TwinSelection {
    std::initializer_list<TwinField> fields;
};

/// In `TwinField::values`, this or a larger number means ASCENDC_TPL_INPUT(i) or
/// ASCENDC_TPL_OUTPUT(i).
constexpr uint64_t kReferenceBias = 100000000;
constexpr uint64_t kUintRange = 0;
constexpr uint64_t kUintList = 1;

/// Called for a wrong declaration. The function is not constexpr, so the compiler reports an error
/// that shows the sentence.
inline void Refuse(const char* /*sentence*/) {}

constexpr uint64_t Raw(const TwinField& field, size_t index) { return field.values.begin()[index]; }

/// Returns how many ranges a UINT field has before its list of single values.
constexpr size_t RangeCount(const TwinField& field) {
    if (field.values.size() < 2) {
        Refuse("ASCENDC_TPL_UINT_DECL/SEL: expected a mode (UI_LIST, UI_RANGE, UI_MIX) and values");
    }
    return Raw(field, 0) == kUintList ? 0 : static_cast<size_t>(Raw(field, 1));
}

constexpr size_t ListStart(const TwinField& field) {
    return Raw(field, 0) == kUintList ? 1 : 2 + 2 * RangeCount(field);
}

/// Returns the number of values that the field lists, with ranges expanded.
constexpr size_t Count(const TwinField& field) {
    size_t count = 0;
    if (field.kind != TwinKind::TwinUint) {
        for (const uint64_t value : field.values) {
            count += value < kReferenceBias ? 1 : 0;
        }
        return count;
    }
    for (size_t i = 0; i < RangeCount(field); ++i) {
        count += static_cast<size_t>(Raw(field, 3 + 2 * i) - Raw(field, 2 + 2 * i)) + 1;
    }
    return Raw(field, 0) == kUintRange ? count : count + field.values.size() - ListStart(field);
}

constexpr uint64_t ValueAt(const TwinField& field, size_t index) {
    if (field.kind != TwinKind::TwinUint) {
        for (const uint64_t value : field.values) {
            if (value < kReferenceBias && index-- == 0) {
                return value;
            }
        }
        Refuse("ASCENDC_TPL: a selection without values");
    }
    for (size_t i = 0; i < RangeCount(field); ++i) {
        const uint64_t first = Raw(field, 2 + 2 * i);
        const size_t length = static_cast<size_t>(Raw(field, 3 + 2 * i) - first) + 1;
        if (index < length) {
            return first + index;
        }
        index -= length;
    }
    return Raw(field, ListStart(field) + index);
}

/// Returns the bits of `value` in the key: a UINT field stores the position in its declared list;
/// a field of any other kind stores the value itself.
constexpr uint64_t Code(const TwinField& field, uint64_t value) {
    if (field.kind != TwinKind::TwinUint) {
        return value;
    }
    for (size_t i = 0; i < Count(field); ++i) {
        if (ValueAt(field, i) == value) {
            return i;
        }
    }
    Refuse("ASCENDC_TPL_UINT_SEL: a value that ASCENDC_TPL_UINT_DECL does not have");
    return 0;
}

constexpr bool SameText(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

constexpr const TwinField& Find(const TwinSelection& selection, const char* name) {
    for (const TwinField& field : selection.fields) {
        if (SameText(field.name, name)) {
            return field;
        }
    }
    Refuse("ASCENDC_TPL_ARGS_SEL: leaves out a parameter of ASCENDC_TPL_ARGS_DECL");
    return *selection.fields.begin();
}

/// All template instances of one kernel.
template <typename Declared, typename Selected>
struct Instances {
    static constexpr size_t kFields = sizeof(Declared::twinFields) / sizeof(TwinField);
    static constexpr size_t kSelections = sizeof(Selected::twinSelections) / sizeof(TwinSelection);

    static constexpr size_t CountOf(const TwinSelection& selection) {
        size_t count = 1;
        for (const TwinField& field : Declared::twinFields) {
            count *= Count(Find(selection, field.name));
        }
        return count;
    }
    static constexpr size_t Total() {
        size_t total = 0;
        for (const TwinSelection& selection : Selected::twinSelections) {
            total += CountOf(selection);
        }
        return total;
    }
    /// Returns the value of one template parameter in one instance; the last parameter changes
    /// fastest.
    static constexpr uint64_t TwinArgument(size_t instance, size_t parameter) {
        for (const TwinSelection& selection : Selected::twinSelections) {
            if (instance < CountOf(selection)) {
                for (size_t i = kFields; i-- > parameter + 1;) {
                    instance /= Count(Find(selection, Declared::twinFields[i].name));
                }
                const TwinField& field = Find(selection, Declared::twinFields[parameter].name);
                return ValueAt(field, instance % Count(field));
            }
            instance -= CountOf(selection);
        }
        return 0;
    }
    static constexpr uint64_t Key(size_t instance) {
        uint64_t key = 0;
        uint32_t shift = 0;
        for (size_t i = 0; i < kFields; ++i) {
            const TwinField& field = Declared::twinFields[i];
            const uint64_t code = Code(field, TwinArgument(instance, i));
            if (shift + field.bits > 64 || (field.bits < 64 && (code >> field.bits) != 0)) {
                Refuse("ASCENDC_TPL_ARGS_DECL: a value does not fit its bits, or the key 64 bits");
            }
            key |= code << shift;
            shift += field.bits;
        }
        return key;
    }
    /// Returns the KERNEL_TYPE_* of the instance; -1 if the selection names no kernel type.
    static constexpr int32_t KernelType(size_t instance) {
        size_t first = 0;
        for (const TwinSelection& selection : Selected::twinSelections) {
            if (instance < first + CountOf(selection)) {
                for (const TwinField& field : selection.fields) {
                    if (field.kind == TwinKind::TwinKernelType) {
                        return FromCode(Raw(field, 0));
                    }
                }
                break;
            }
            first += CountOf(selection);
        }
        for (size_t i = 0; i < kFields; ++i) {
            if (Declared::twinFields[i].kind == TwinKind::TwinSharedKernelType) {
                return FromCode(TwinArgument(instance, i));
            }
        }
        return -1;
    }

    /// Computes every tiling key, so that every wrong declaration is a compile error.
    static constexpr bool Sound() {
        for (size_t i = 0; i < Total(); ++i) {
            static_cast<void>(Key(i));
        }
        return true;
    }

private:
    /// Returns the KERNEL_TYPE_* for an ASCENDC_TPL_* number. No ASCENDC_TPL_* is 2 or 3.
    static constexpr int32_t FromCode(uint64_t code) {
        return static_cast<int32_t>(code < 2 ? code : code - 2);
    }
};

/// A parameter type that no kernel has; ASCENDC_TPL_ARGS_DECL declares a function with it.
struct TwinNobody;

// The declarations may be in any namespace; the export is in the global namespace. So the export
// gets a type from the friend function PublishedBy(tag): the tag declares it, `TwinPublish` defines
// it.
struct TwinDeclarationTag {
    friend constexpr auto PublishedBy(TwinDeclarationTag);
};
struct TwinSelectionTag {
    friend constexpr auto PublishedBy(TwinSelectionTag);
};
/// Tag of the tiling struct that a tiling header in macro form registers for the operator.
struct TwinTilingTag {
    friend constexpr auto PublishedBy(TwinTilingTag);
};
template <typename Tag, typename What>
struct TwinPublish {
    static constexpr bool twinDone = true;
    friend constexpr auto PublishedBy(Tag) { return What(); }
};

/// `Type` is the type that was published under the tag, or void. `When` is any type that depends on
/// the use: it delays the look-up until the compiler reaches this use.
template <typename Tag, typename When, typename = void>
struct Published {
    using Type = void;
};
template <typename Tag, typename When>
struct Published<Tag, When, std::void_t<decltype(PublishedBy(Tag()))>> {
    using Type = decltype(PublishedBy(Tag()));
};

}  // namespace twin::tiling

/// Macros use this name for the namespace twin::tiling, because a kernel may have a macro
/// `tiling`.
namespace twin_tiling = twin::tiling;
