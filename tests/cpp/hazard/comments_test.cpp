// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "check.h"
#include "hazard/finding.h"

using namespace twin::hazard;

namespace {

Finding FindingAt(const std::string& file, uint32_t line) {
    Finding finding;
    finding.code = "T802";
    finding.second.exists = true;
    finding.second.file = file;
    finding.second.line = line;
    return finding;
}

const Comments& Kept() {
    static const Comments comments({{"common/compute.h", 0, ""},
                                    {"some_op/compute.h", 0, ""},
                                    {"some_op/compute.h", 7, "// hazard-ok: T802 why"},
                                    {"compute.h", 0, ""},
                                    {"compute.h", 8, "// hazard-ok: T803 why"}});
    return comments;
}

}  // namespace

TEST(OperatorsAreNamedFromTheirFolderOn) {
    for (const char* const file :
         {"some_op/compute.h", "../../op_kernel/some_op/compute.h",
          "/a/op_kernel/some_op/compute.h", "./op_kernel/some_op/compute.h"}) {
        Finding finding = FindingAt(file, 7);
        CHECK(Kept().Allows(&finding));
    }
    for (const char* const file : {"common/compute.h", "other/compute.h", "an_some_op/compute.h"}) {
        Finding finding = FindingAt(file, 7);
        CHECK(!Kept().Allows(&finding));
        CHECK_EQ(finding.note, "");
    }
}

TEST(TheNoteSaysWhatIsWrong) {
    Finding finding = FindingAt("x/compute.h", 8);
    CHECK(!Kept().Allows(&finding));
    CHECK_EQ(finding.note, "the hazard-ok on line 8 of compute.h names T803, not T802");
    finding.second.line = 9;
    CHECK(!Kept().Allows(&finding));
    CHECK_EQ(finding.note, "the hazard-ok on line 8 of compute.h stands above line 9, not on it");
}

TEST(EitherSideMayAllow) {
    Finding finding = FindingAt("other.h", 1);
    finding.first = FindingAt("some_op/compute.h", 7).second;
    CHECK(Kept().Allows(&finding));
    finding.first.exists = false;
    CHECK(!Kept().Allows(&finding));
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
