// SPDX-License-Identifier: Apache-2.0
#ifndef TWIN_HOST_GM_ROLES_H
#define TWIN_HOST_GM_ROLES_H

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/observer.h"

namespace twin::host {

/// Says which kinds of access the instructions of a launch make to a range of global memory.
struct GmRole {
    bool read = false;  ///< an atomic copy reads, too
    bool written = false;
};

/// Collects the role of every range, by its first byte.
class GmRoles : public Observer {
public:
    explicit GmRoles(std::map<uintptr_t, GmRole>* roles);
    ~GmRoles() override;

    CoreRecorder* Recorder(uint32_t block, uint32_t subBlock, CoreKind kind) override;
    void OnEnd(const LaunchInfo& info) override;

private:
    class Recording;

    std::map<uintptr_t, GmRole>* roles_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<Recording>> cores_;
};

}  // namespace twin::host

#endif  // TWIN_HOST_GM_ROLES_H
