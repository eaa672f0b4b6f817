// SPDX-License-Identifier: Apache-2.0
#ifndef BASE_CONTEXT_BUILDER_CONTEXT_HOLDER_H
#define BASE_CONTEXT_BUILDER_CONTEXT_HOLDER_H

#include <memory>
#include <utility>

namespace gert {

/// Owns the node of a context.
class ContextHolderVoid {
public:
    ContextHolderVoid() = default;
    ContextHolderVoid(std::shared_ptr<void> node, void* context)
        : node_(std::move(node)), context_(context) {}
    ContextHolderVoid(ContextHolderVoid&&) = default;
    ContextHolderVoid& operator=(ContextHolderVoid&&) = default;

    void* GetContext() const { return context_; }

private:
    std::shared_ptr<void> node_;
    void* context_ = nullptr;
};

/// A context that a builder made; it exists as long as its holder. A holder can only be moved.
template <typename ContextType>
class ContextHolder {
public:
    ContextHolder() = default;
    explicit ContextHolder(ContextHolderVoid&& holder) : holder_(std::move(holder)) {}

    ContextType* GetContext() { return static_cast<ContextType*>(holder_.GetContext()); }

private:
    ContextHolderVoid holder_;
};

}  // namespace gert

#endif  // BASE_CONTEXT_BUILDER_CONTEXT_HOLDER_H
