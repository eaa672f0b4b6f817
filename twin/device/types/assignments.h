// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/types/fields.h"

// Checks of assignments to fields of parameter structures. In the copy of the kernel's source that
// compile/field_checks.py makes,
//     params.blockLen = n * sizeof(float);        becomes
//     params.blockLen = TwinField<...>("blockLen") |= n * sizeof(float);
// The operator |= has the precedence of =, and no class has an |= that it did not declare.

namespace twin {

template <typename T, typename = void>
struct HasBlocks : std::false_type {};
template <typename T>
struct HasBlocks<T, std::void_t<decltype(T::blockCount)>> : std::true_type {};
template <typename T, typename = void>
struct HasMatrices : std::false_type {};
template <typename T>
struct HasMatrices<T, std::void_t<decltype(T::ndNum)>> : std::true_type {};

/// Returns whether `structure` now describes several blocks or matrices.
template <typename T>
constexpr bool TwinRepeats(const T& structure) {
    if constexpr (IsParameters<T>::value && HasBlocks<T>::value) {
        return structure.blockCount > 1;
    } else if constexpr (IsParameters<T>::value && HasMatrices<T>::value) {
        return structure.ndNum > 1;
    } else {
        return false;
    }
}

/// Returns the value that an assignment stores in a field of type `Field` of an `Owner`. Checks
/// `value` if Owner is a parameter structure. Otherwise returns `other`: a structure of the kernel
/// may have a field of the same name.
template <typename Owner, typename Field, typename V, typename Other>
constexpr auto Assigned(const char* field, Location where, const V& value, Other other) {
    using T = std::remove_cv_t<std::remove_reference_t<Field>>;
    using Structure = std::remove_cv_t<std::remove_reference_t<Owner>>;
    if constexpr (IsParameters<Structure>::value && kIsChecked<T> && kIsNumber<V>) {
        return IsCount(field) ? Stored<T>(field, value, where) : static_cast<T>(value);
    } else {
        return other;
    }
}

/// Stands between a field and the value that is assigned to it. `repeats` is true if the structure
/// has several blocks or matrices, so that the chip uses its strides.
template <typename Owner, typename Field>
class TwinField {
public:
    explicit constexpr TwinField(const char* name, bool repeats = false, TWIN_HERE)
        : name_(name), where_(here), repeats_(repeats) {}
    template <typename V>
    constexpr auto operator|=(V value) const {
        if constexpr (IsCut<V>::value) {
            const auto cut = static_cast<typename V::Type>(value.value);
            return IsStride(name_) && !repeats_
                       ? Assigned<Owner, Field>(name_, where_, cut, cut)
                       : Assigned<Owner, Field>(name_, where_, value.value, cut);
        } else if constexpr (kIsNumber<V>) {
            return Assigned<Owner, Field>(name_, where_, value, value);
        } else {
            return value;
        }
    }

private:
    const char* name_;
    Location where_;
    bool repeats_;
};

/// Stands between a field and the value of an assignment such as +=. `before` is the field's value.
template <typename Owner, typename Field>
class TwinUpdate {
    using T = std::remove_cv_t<std::remove_reference_t<Field>>;

public:
    constexpr TwinUpdate(const char* name, T before, TWIN_HERE)
        : name_(name), where_(here), before_(before) {}

#define TWIN_UPDATE(OP)                                                                       \
    template <typename V>                                                                     \
    constexpr auto operator OP##=(V value) {                                                  \
        if constexpr (kIsNumber<T> && kIsNumber<V>) {                                         \
            return Assigned<Owner, Field>(name_, where_, before_ OP value, before_ OP value); \
        } else {                                                                              \
            before_ OP## = value;                                                             \
            return before_;                                                                   \
        }                                                                                     \
    }
    TWIN_UPDATE(+)
    TWIN_UPDATE(-)
    TWIN_UPDATE(*)
    TWIN_UPDATE(/)
    TWIN_UPDATE(%)
    TWIN_UPDATE(&)
    TWIN_UPDATE(|)
    TWIN_UPDATE(^)
    TWIN_UPDATE(<<)
    TWIN_UPDATE(>>)
#undef TWIN_UPDATE

private:
    const char* name_;
    Location where_;
    T before_;
};

}  // namespace twin
