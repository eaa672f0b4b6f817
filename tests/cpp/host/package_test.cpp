// SPDX-License-Identifier: Apache-2.0
// Tests of the search for operator packages in one process. A package that was not found may be
// installed later. If several threads need an operator at once, each gets it.
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "acl_session.h"
#include "check.h"
#include "host/op_call.h"
#include "host/op_node.h"
#include "probe/probe_call.h"

namespace {

std::string package;

void Search(const std::string& paths) { setenv("ASCEND_CUSTOM_OPP_PATH", paths.c_str(), 1); }

bool IsLoaded(const std::string& library) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find(library) != std::string::npos) {
            return true;
        }
    }
    return false;
}

}  // namespace

TEST(AnUnknownOperatorNamesThePlacesLookedAt) {
    AclSession session;
    const std::string empty = "/tmp";
    Search(empty + ":/nowhere/vendors/none");
    Floats x(4);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, x.tensor), 561003);
    const std::string message = Message();
    for (const char* part : {"HostProbe", "/tmp (from ASCEND_CUSTOM_OPP_PATH): is no package",
                             "/nowhere/vendors/none (from ASCEND_CUSTOM_OPP_PATH): is not there",
                             "/opp/vendors/config.ini)"}) {
        CHECK(message.find(part) != std::string::npos);
    }
}

TEST(APackageMayComeLaterAndIsLoadedWhenNeeded) {
    AclSession session;
    // The first path (the parent folder) is no package; the second path (relative) is a package.
    const size_t slash = package.rfind('/');
    CHECK_EQ(chdir(package.substr(0, slash).c_str()), 0);
    Search("::" + package.substr(0, slash) + "/:" + package.substr(slash + 1) + ":");
    CHECK(!IsLoaded(package));
    std::vector<int> statuses(8, -1);
    std::vector<std::thread> threads;
    Floats x(4);
    for (int& status : statuses) {
        threads.emplace_back([&status, &x] {
            Call call;
            status = call.Plan(x.tensor, x.tensor);
            aclDestroyAclOpExecutor(call.executor);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(statuses == std::vector<int>(8, 0));
    CHECK(IsLoaded(package + "/op_impl/ai_core/tbe/op_tiling/"));
    CHECK(!IsLoaded("libcust_opsproto"));
}

TEST(WhatWasFoundStays) {
    AclSession session;
    Search("/nowhere");
    Floats x(4);
    Call call;
    CHECK_EQ(call.Plan(x.tensor, x.tensor), 0);
    aclDestroyAclOpExecutor(call.executor);
}

TEST(OnePackageUnderTwoNames) {
    AclSession session;
    Search(package + "/./");
    Floats x(4);
    twin::host::OpCall call("StrictProbe");
    call.Input(x.tensor);
    call.Output(x.tensor);
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    // The definition of StrictProbe is loaded, but no kernel file exists: status 561003.
    CHECK_EQ(call.GetWorkspaceSize(&bytes, &executor), 561003);
    CHECK(MessageHas("strict_probe_0.so"));
}

TEST(TilingIsFoundWithoutACall) {
    twin::host::OpNode node("NobodysOp", *twin::FindSoc("Ascend910B2"), 64);
    std::string error;
    CHECK_EQ(RunTiling(&node, &error), ge::GRAPH_FAILED);
    CHECK(error.find("no operator package has this operator") != std::string::npos);
    twin::host::OpNode probe("HostProbe", *twin::FindSoc("Ascend910B2"), 64);
    CHECK_EQ(RunInferShape(&probe, &error), ge::GRAPH_FAILED);
    CHECK(error.find("libcust_opsproto_rt2.0.so is not there") != std::string::npos);
}

int main(int argc, char** argv) {
    package = getenv("ASCEND_CUSTOM_OPP_PATH");
    return check::RunTests(argc, argv);
}
