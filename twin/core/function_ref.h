// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

namespace twin {

template <typename Signature>
class FunctionRef;

/// Refers to a callable that the caller keeps alive; calling it costs one indirect call.
template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
public:
    FunctionRef() = default;
    template <typename Callable, typename = std::enable_if_t<
                                     !std::is_same<std::decay_t<Callable>, FunctionRef>::value>>
    FunctionRef(const Callable& callable)
        : callable_(&callable), call_([](const void* what, Arguments... arguments) -> Result {
              return (*static_cast<const Callable*>(what))(std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const {
        return call_(callable_, std::forward<Arguments>(arguments)...);
    }

    explicit operator bool() const { return callable_ != nullptr; }

private:
    const void* callable_ = nullptr;
    Result (*call_)(const void*, Arguments...) = nullptr;
};

}  // namespace twin
