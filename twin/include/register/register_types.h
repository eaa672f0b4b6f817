// SPDX-License-Identifier: Apache-2.0
#pragma once

// Attributes in declarations of registries, which host sources of operators copy from the toolkit.
#define FMK_FUNC_HOST_VISIBILITY __attribute__((visibility("default")))
#define FMK_FUNC_DEV_VISIBILITY __attribute__((visibility("default")))
#define ATTRIBUTED_DEPRECATED(replacement) \
    __attribute__((deprecated("Please use " #replacement " instead.")))
