// SPDX-License-Identifier: Apache-2.0
#include "core/settings.h"
#include "host/runtime.h"

namespace twin::host {
namespace {

thread_local const SocInfo* tSoc = nullptr;

}  // namespace

const SocInfo& CurrentSoc() {
    return tSoc != nullptr ? *tSoc : *FindSoc(Settings::FromEnvironment().soc.c_str());
}

SocScope::SocScope(const SocInfo* soc) : before_(tSoc) { tSoc = soc; }

SocScope::~SocScope() { tSoc = before_; }

const SocInfo* SocScope::Chip() { return tSoc; }

}  // namespace twin::host
