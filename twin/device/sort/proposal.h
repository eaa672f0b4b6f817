// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_DEVICE_SORT_PROPOSAL_H
#define TWIN_DEVICE_SORT_PROPOSAL_H

#include "device/tensor/local_tensor.h"

namespace AscendC {

// The region-proposal format belongs to other chips: these names exist to report that.
#define TWIN_REFUSE_PROPOSAL(API, INSTEAD)                                    \
    template <typename T, typename... Arguments>                              \
    inline void API(const LocalTensor<T>&, Arguments&&...) {                  \
        static_assert(sizeof(T) == 0, #API                                    \
                      " works on region proposals, which A2/A3 do not have; " \
                      "use " INSTEAD);                                        \
    }
TWIN_REFUSE_PROPOSAL(MrgSort4, "MrgSort")
TWIN_REFUSE_PROPOSAL(RpSort16, "Sort32")
TWIN_REFUSE_PROPOSAL(ProposalConcat, "Sort32, which takes scores and indices as they are")
TWIN_REFUSE_PROPOSAL(ProposalExtract, "Extract")
#undef TWIN_REFUSE_PROPOSAL

}  // namespace AscendC

#endif  // TWIN_DEVICE_SORT_PROPOSAL_H
