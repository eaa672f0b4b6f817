// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "exe_graph/runtime/tiling_context.h"

/// Registers a tiling function also for the device:
/// DEVICE_IMPL_OP_OPTILING(AddCustom).Tiling(Tiling4AddCustom).
#define DEVICE_IMPL_OP_OPTILING(opType)                                                           \
    static optiling::DeviceOpImplRegister __attribute__((unused)) deviceOpImplRegister_##opType = \
        optiling::DeviceOpImplRegister(#opType)

namespace optiling {

using SinkTilingFunc = std::function<ge::graphStatus(gert::TilingContext*)>;

/// On a card, a graph can run the registered function on the device instead of the host. The twin
/// has no graphs: each call runs the function that the definition names, on the host.
class DeviceOpImplRegister {
public:
    explicit DeviceOpImplRegister(const char* /*opType*/) {}
    DeviceOpImplRegister& Tiling(SinkTilingFunc /*function*/) { return *this; }
};

}  // namespace optiling
