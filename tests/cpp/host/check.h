// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

/// A small test runner: TEST bodies register themselves, and RunTests runs those whose name
/// contains the first argument.
namespace check {

struct Case {
    const char* name;
    void (*body)();
};

inline std::vector<Case>& Cases() {
    static std::vector<Case> cases;
    return cases;
}

inline int& Failures() {
    static int failures = 0;
    return failures;
}

struct Register {
    Register(const char* name, void (*body)()) { Cases().push_back({name, body}); }
};

inline void Report(bool good, const char* file, int line, const std::string& text) {
    if (good) {
        return;
    }
    ++Failures();
    std::printf("%s:%d: %s\n", file, line, text.c_str());
}

template <typename A, typename B>
void Equal(const A& got, const B& expected, const char* file, int line, const char* text) {
    std::ostringstream out;
    out << text << " is " << got << ", expected " << expected;
    Report(got == expected, file, line, out.str());
}

inline int RunTests(int argc, char** argv) {
    const std::string filter = argc > 1 ? argv[1] : "";
    int run = 0;
    for (const Case& test : Cases()) {
        if (std::string(test.name).find(filter) == std::string::npos) {
            continue;
        }
        const int before = Failures();
        test.body();
        ++run;
        std::printf("%s %s\n", Failures() == before ? "ok  " : "FAIL", test.name);
    }
    std::printf("%d tests, %d failed checks\n", run, Failures());
    return Failures() == 0 && run > 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                   \
    static void name();                              \
    static check::Register name##Case(#name, &name); \
    static void name()

#define CHECK(condition) check::Report(static_cast<bool>(condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(got, expected) check::Equal((got), (expected), __FILE__, __LINE__, #got)
