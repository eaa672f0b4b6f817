// SPDX-License-Identifier: Apache-2.0
// Tests of the JSON reader, which reads the files of operator packages.
#include <string>

#include "check.h"
#include "host/op_model.h"

using twin::host::Json;
using twin::host::ParseJson;

namespace {

std::string ErrorOf(const std::string& text) {
    Json value;
    std::string error;
    const bool good = ParseJson(text, &value, &error);
    CHECK_EQ(good, error.empty());
    return error;
}

}  // namespace

TEST(ReadsWhatJsonHas) {
    Json value;
    std::string error;
    CHECK(ParseJson(" {\"a\": [1, -2.5e+3, true, null], \"b\" : {\"c\": \"x\"}, \"\": []}\r\n",
                    &value, &error));
    CHECK_EQ(value.names.size(), 3u);
    CHECK_EQ(value.Find("a")->items.size(), 4u);
    CHECK_EQ(value.Find("a")->items[1].text, "-2.5e+3");
    CHECK(value.Find("a")->items[2].kind == Json::Kind::kBool);
    CHECK(value.Find("a")->items[3].kind == Json::Kind::kNull);
    CHECK_EQ(value.Find("b")->Find("c")->text, "x");
    CHECK(value.Find("d") == nullptr);
    CHECK(value.Find("a")->Find("c") == nullptr);
    CHECK(value.Find("")->kind == Json::Kind::kList);
}

TEST(ReadsEscapesAndOtherScripts) {
    Json value;
    std::string error;
    CHECK(ParseJson("\"\\\"\\\\\\/\\b\\f\\n\\r\\t \\u00e4 \\uD83D\\uDE00 \\u4e2d ö\"", &value,
                    &error));
    CHECK_EQ(value.text, "\"\\/\b\f\n\r\t ä 😀 中 ö");
}

TEST(RefusesEverythingElseAndSaysWhere) {
    for (const char* text : {"",
                             " ",
                             "{",
                             "[",
                             "[1",
                             "[1,",
                             "[1,]",
                             "{\"a\"",
                             "{\"a\":",
                             "{\"a\":1",
                             "{\"a\":1,",
                             "{\"a\":1,}",
                             "{a:1}",
                             "{'a':1}",
                             "1 2",
                             "falsehood",
                             "nul",
                             "+1",
                             "01x",
                             "1.",
                             ".5",
                             "1e",
                             "-",
                             "\"",
                             "\"\\",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\u12g4\"",
                             "\"\\ud83d\\u0041\"",
                             "{}}",
                             "NaN",
                             "// x\n1",
                             "\xef\xbb\xbf{}"}) {
        CHECK(!ErrorOf(text).empty());
    }
    CHECK_EQ(ErrorOf("{\n\"a\": 1,\n\"b\" 2}"), "line 3: expected ':'");
    CHECK_EQ(ErrorOf(std::string("[1]\0", 4)), "line 1: expected the end of the file");
}

TEST(DeepNestingIsRefusedNotAStackOverflow) {
    CHECK(ErrorOf(std::string(60, '[') + std::string(60, ']')).empty());
    CHECK_EQ(ErrorOf(std::string(1000000, '[')), "line 1: expected no deeper nesting");
}

int main(int argc, char** argv) { return check::RunTests(argc, argv); }
