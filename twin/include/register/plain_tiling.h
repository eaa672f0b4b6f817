// SPDX-License-Identifier: Apache-2.0
#pragma once

// The library's tilings have two forms with the same bytes: the plain struct for kernels, and the
// class in optiling that op_host fills. A list of fields in kernel_tiling/ defines both.
#include <memory>

#include "register/tilingdata_base.h"

#ifdef TWIN_KERNEL_NAME  // a kernel has the plain structs only
#define TWIN_HOST_TILING(NAME, FIELDS) using ::NAME;
#else
#define TWIN_HOST_TILING(NAME, FIELDS)                                          \
    BEGIN_TILING_DATA_DEF(NAME)                                                 \
    void Assign(const ::NAME& values) { SetArray(0, &values, sizeof(values)); } \
    TWIN_##FIELDS##_TILING_FIELDS(TILING_DATA_FIELD_DEF) END_TILING_DATA_DEF
#endif

namespace twin {

#ifdef TWIN_KERNEL_NAME  // a kernel has the plain structs only
template <class Host, class>
using TilingOut = Host&;
#else
/// Output parameter for tiling. The caller passes the class that op_host fills, or the plain struct
/// for kernels, which has the same bytes.
template <class Host, class Plain>
class TilingOut {
public:
    TilingOut(Host& host) : host_(&host) {}
    TilingOut(Plain& plain) : own_(new Host), host_(own_.get()), plain_(&plain) {}
    TilingOut(TilingOut&&) = default;
    ~TilingOut() {
        if (own_ != nullptr) {
            own_->SaveToBuffer(plain_, sizeof(Plain));
        }
    }

    void operator=(const Plain& values) { host_->Assign(values); }

private:
    std::unique_ptr<Host> own_;
    Host* host_;
    Plain* plain_ = nullptr;
};
#endif

}  // namespace twin

#define TWIN_TILING_OUT(NAME) ::twin::TilingOut<optiling::NAME, ::NAME>
