// SPDX-License-Identifier: Apache-2.0
#include "soc/soc.h"

#include <cstring>

#include "soc/ascend910_9362.h"
#include "soc/ascend910_9372.h"
#include "soc/ascend910_9381.h"
#include "soc/ascend910_9382.h"
#include "soc/ascend910_9391.h"
#include "soc/ascend910_9392.h"
#include "soc/ascend910b1.h"
#include "soc/ascend910b2.h"
#include "soc/ascend910b2c.h"
#include "soc/ascend910b3.h"
#include "soc/ascend910b4.h"
#include "soc/ascend910b4_1.h"

namespace twin {
namespace {

const SocInfo* const kSocs[] = {
    &kAscend910B1,    &kAscend910B2,    &kAscend910B2C,   &kAscend910B3,
    &kAscend910B4,    &kAscend910B4_1,  &kAscend910_9391, &kAscend910_9392,
    &kAscend910_9381, &kAscend910_9382, &kAscend910_9372, &kAscend910_9362,
};

}  // namespace

size_t SocCount() { return sizeof(kSocs) / sizeof(kSocs[0]); }

const SocInfo& SocAt(size_t index) { return *kSocs[index]; }

const SocInfo* FindSoc(const char* name) {
    for (const SocInfo* soc : kSocs) {
        if (name != nullptr && std::strcmp(soc->name, name) == 0) {
            return soc;
        }
    }
    return nullptr;
}

}  // namespace twin
