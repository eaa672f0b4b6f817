// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_OP_REGISTRATIONS_H
#define TWIN_HOST_OP_REGISTRATIONS_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/op_model.h"
#include "register/op_def_factory.h"

namespace twin::host {

/// The definition and the separate registrations of one operator.
struct OpRegistration {
    std::shared_ptr<const OpModel> model;  ///< nullptr without a definition
    OpFunctions functions;                 ///< those of the definition if it has some
};

/// What the initialisers of one library, or of the program, registered. Not thread safe.
class OpRegistrations {
public:
    void AddDefinition(const std::string& opType, ops::OpDefCreator creator);
    void AddFunctions(const std::string& opType, const OpFunctions& functions);

    /// The types of all registered operators, in alphabetical order.
    std::vector<std::string> Types() const;
    /// "OP_ADD" or "Tiling" if an operator has several, of which the last one counts; otherwise
    /// empty.
    std::string Repeated(const std::string& opType) const;
    bool Knows(const std::string& opType) const { return entries_.count(opType) != 0; }
    /// Makes the definition, which runs the operator's own code and may throw.
    OpRegistration Get(const std::string& opType) const;

private:
    struct Entry {
        ops::OpDefCreator creator = nullptr;
        OpFunctions functions;
        std::string repeated;
    };
    std::map<std::string, Entry> entries_;
};

/// While this object exists, registrations of this thread go to `target`; otherwise they go to the
/// program's own.
class RegistrationScope {
public:
    explicit RegistrationScope(OpRegistrations* target);
    ~RegistrationScope();
    RegistrationScope(const RegistrationScope&) = delete;
    RegistrationScope& operator=(const RegistrationScope&) = delete;

private:
    OpRegistrations* const before_;
};

/// What the program itself registered, in its own code or in a library that it loaded, as unit
/// tests of op_host do. Returns false if it has nothing for the operator. Thread safe.
bool FindInProgram(const std::string& opType, OpRegistration* found);

}  // namespace twin::host

#endif  // TWIN_HOST_OP_REGISTRATIONS_H
