// SPDX-License-Identifier: Apache-2.0
#ifndef CANNERY_SCOPED_VARIABLE_H
#define CANNERY_SCOPED_VARIABLE_H

#include <cstdlib>
#include <list>
#include <map>
#include <optional>
#include <string>

namespace cannery {

/// An environment variable that is set until the destructor restores its old value. The twin reads
/// its settings while a launch is enqueued.
class ScopedVariable {
public:
    ScopedVariable(const std::string& name, const std::string& value) : name_(name) {
        const char* before = std::getenv(name.c_str());
        before_ = before == nullptr ? std::nullopt : std::optional<std::string>(before);
        setenv(name.c_str(), value.c_str(), 1);
    }
    ~ScopedVariable() {
        if (before_) {
            setenv(name_.c_str(), before_->c_str(), 1);
        } else {
            unsetenv(name_.c_str());
        }
    }
    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

/// Environment variables of one launch, and their values.
using LaunchSettings = std::map<std::string, std::string>;

/// Sets the variables until the returned list is destroyed or cleared.
inline std::list<ScopedVariable> Set(const LaunchSettings& settings) {
    std::list<ScopedVariable> set;
    for (const auto& [name, value] : settings) {
        set.emplace_back(name, value);
    }
    return set;
}

}  // namespace cannery

#endif  // CANNERY_SCOPED_VARIABLE_H
