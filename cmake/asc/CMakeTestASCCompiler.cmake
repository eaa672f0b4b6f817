# SPDX-License-Identifier: Apache-2.0
# No test program is compiled: the first source shows whether the compiler works.

set(CMAKE_ASC_COMPILER_WORKS 1)
